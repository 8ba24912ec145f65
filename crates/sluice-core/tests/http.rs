//! What answers, and the lack of one, say of an effect.

use proptest::prelude::*;
use sluice_core::downstream::{Profile, Said};
use sluice_core::http::{Answer, HttpFault, Meaning, Table, Transport, classify, transport};
use sluice_core::record::LedgerTime;
use sluice_core::retry::{Failed, Next, Retry, Stop, next};
use sluice_core::{Failure, FailureClass};
use std::collections::BTreeMap;
use std::time::Duration;

const NOW: LedgerTime = LedgerTime(784_111_777_000);
const NONE: &[(&str, &[u8])] = &[];
const CLOUDFLARE_PAGE: &[(&str, &[u8])] =
    &[("Server", b"cloudflare"), ("Content-Type", b"text/html; charset=UTF-8"), ("CF-RAY", b"8f")];

type Headers<'a> = &'a [(&'a str, &'a [u8])];

fn read(status: u16, headers: Headers<'_>, table: &Table) -> Result<(), HttpFault> {
    classify(&Answer { status, headers, code: None }, table, true, NOW)
}

fn fault(status: u16, headers: Headers<'_>) -> HttpFault {
    read(status, headers, &Table::default()).unwrap_err()
}

fn class(status: u16, headers: Headers<'_>) -> Option<FailureClass> {
    read(status, headers, &Table::default()).err().map(|fault| fault.class)
}

#[test]
fn every_status_means_what_the_table_says() {
    use FailureClass::{Permanent, Transient, Unknown};
    for status in 0..=1100 {
        let expected = match status {
            200..=299 => None,
            307 | 401 | 403 | 407 | 429 => Some(Transient),
            408 | 409 | 425 | 499 => Some(Unknown),
            308 | 400..=498 => Some(Permanent),
            _ => Some(Unknown),
        };
        assert_eq!(class(status, NONE), expected, "{status}");
    }
    assert_eq!(class(u16::MAX, NONE), Some(Unknown));
}

#[test]
fn an_answer_says_how_long_to_wait_and_a_malformed_wait_says_nothing() {
    let wait = |value: &[u8]| fault(429, &[("rEtRy-AfTeR", value)]).retry_after;
    assert_eq!(wait(b"2"), Some(Duration::from_secs(2)));
    assert_eq!(wait(b"Sun, 06 Nov 1994 08:49:40 GMT"), Some(Duration::from_secs(3)));
    assert_eq!(wait(b"-5"), None);
    assert_eq!(wait(b"\xff"), None);
    assert_eq!(fault(429, &[("Retry-After", b"2"), ("Retry-After", b"3")]).retry_after, None);
    assert_eq!(fault(503, &[("Retry-After", b"7")]).retry_after, Some(Duration::from_secs(7)));
}

#[test]
fn a_page_with_the_mark_of_a_gateway_is_not_the_targets_word() {
    for status in [400, 401, 403, 404, 413, 308] {
        let fault = fault(status, CLOUDFLARE_PAGE);
        assert_eq!((fault.class, fault.from_target), (FailureClass::Unknown, false), "{status}");
    }
    let marks: [Headers<'_>; 5] = [
        &[("Content-Type", b"text/html"), ("Server", b"nginx/1.27.0")],
        &[("content-type", b"TEXT/HTML"), ("via", b"1.1 varnish")],
        &[("Content-Type", b"text/html"), ("X-Amz-Cf-Id", b"x")],
        &[("Proxy-Status", b"edge; error=connection_timeout")],
        &[("cf-mitigated", b"challenge")],
    ];
    for headers in marks {
        assert_eq!(class(404, headers), Some(FailureClass::Unknown), "{headers:?}");
    }
}

#[test]
fn one_sign_of_a_gateway_alone_says_nothing() {
    let alone: [Headers<'_>; 5] = [
        &[("Content-Type", b"text/html")],
        &[("Content-Type", b"application/json"), ("Server", b"cloudflare"), ("Via", b"1.1 x")],
        &[("Server", b"nginx")],
        &[("Content-Type", b"text/html"), ("Server", b"my-own-server")],
        &[("Proxy-Status", b"edge; received-status=404")],
    ];
    for headers in alone {
        let fault = fault(404, headers);
        assert_eq!((fault.class, fault.from_target), (FailureClass::Permanent, true), "{headers:?}");
    }
    let pages = read(404, CLOUDFLARE_PAGE, &Table::default().with_pages()).unwrap_err();
    assert_eq!(pages.class, FailureClass::Permanent);
}

#[test]
fn what_a_gateway_turns_away_by_itself_did_not_happen() {
    for status in [407, 429] {
        assert_eq!(class(status, CLOUDFLARE_PAGE), Some(FailureClass::Transient));
    }
    assert!(!fault(407, NONE).from_target);
}

#[test]
fn the_same_key_with_other_parameters_is_unknown_and_a_conflict_never_permanent() {
    let table = Table::for_target(&Profile::known("stripe").unwrap());
    let read =
        |code, first| classify(&Answer { status: 400, headers: NONE, code }, &table, first, NOW).unwrap_err();
    for first in [true, false] {
        let known = read(Some("idempotency_error"), first);
        assert_eq!((known.class, known.is_conflict), (FailureClass::Unknown, true));
        assert_eq!((known.code.as_str(), known.retry_after), ("http_key_conflict", Some(Duration::MAX)));
        let other = read(Some("parameter_missing"), first);
        assert_eq!((other.class, other.is_conflict), (FailureClass::Permanent, false));
    }
    assert_eq!(read(None, true).class, FailureClass::Permanent);
    assert_eq!(read(None, false).class, FailureClass::Unknown);
}

#[test]
fn a_status_alone_is_a_mismatch_only_where_the_key_was_sent_before() {
    let table = Table::for_target(&Profile::known("ietf_draft").unwrap());
    let read = |first| {
        classify(&Answer { status: 422, headers: NONE, code: Some("x") }, &table, first, NOW).unwrap_err()
    };
    assert_eq!((read(true).class, read(true).is_conflict), (FailureClass::Permanent, false));
    assert_eq!((read(false).class, read(false).is_conflict), (FailureClass::Unknown, true));
}

#[test]
fn no_rule_of_a_user_makes_a_mismatch_permanent() {
    let table = Table::for_target(&Profile::known("increase").unwrap()).with(400..=499, Meaning::Permanent);
    let code = Some("idempotency_key_already_used_error");
    let fault = classify(&Answer { status: 409, headers: NONE, code }, &table, true, NOW).unwrap_err();
    assert_eq!(fault.class, FailureClass::Unknown);
}

#[test]
fn what_stripe_says_of_retries_is_respected_and_changes_no_doubt() {
    let said = |status, value: &[u8]| fault(status, &[("Stripe-Should-Retry", value), ("Retry-After", b"1")]);
    let second = Some(Duration::from_secs(1));
    assert_eq!((said(400, b"true").class, said(400, b"true").retry_after), (FailureClass::Transient, second));
    assert_eq!((said(500, b"true").class, said(500, b"true").retry_after), (FailureClass::Unknown, second));
    for (status, class) in [(429, FailureClass::Transient), (500, FailureClass::Unknown)] {
        let told = said(status, b"false");
        assert_eq!((told.class, told.retry_after), (class, Some(Duration::MAX)));
    }
    assert_eq!(said(400, b"maybe").class, FailureClass::Permanent);
    let both = [("Stripe-Should-Retry", &b"true"[..]), ("Stripe-Should-Retry", b"false")];
    assert_eq!(fault(400, &both).class, FailureClass::Permanent);
}

#[test]
fn an_answer_that_is_a_replay_is_not_asked_for_again() {
    let replayed = fault(500, &[("Idempotent-Replayed", b"true")]);
    assert!(replayed.is_replayed);
    assert_eq!((replayed.class, replayed.retry_after), (FailureClass::Unknown, Some(Duration::MAX)));
    assert_eq!(read(201, &[("Idempotent-Replayed", b"true")], &Table::default()), Ok(()));
    let failed = Failed {
        attempt: 1,
        class: replayed.class,
        retry_after: replayed.retry_after,
        in_doubt: false,
        until_deadline: None,
        may_send: true,
        attempt_timeout: None,
        window: Some(Duration::from_hours(9)),
        circuit_allows: true,
        is_cancelled: false,
    };
    let decided = next(&failed, &Retry::default(), 0.0, || true);
    assert_eq!(decided, Next::Stop(Stop::RetryAfterTooLong { asked: Duration::MAX }));
}

#[test]
fn a_profile_says_which_answers_prove_that_nothing_landed() {
    let profile = Profile {
        proves_not_landed: vec![
            Said { status: 404, code: Some("no_such_request".to_owned()) },
            Said { status: 410, code: None },
        ],
        ..Profile::default()
    };
    let table = Table::for_target(&profile);
    let proves = |status, headers, code| {
        classify(&Answer { status, headers, code }, &table, false, NOW).unwrap_err().proves_not_landed
    };
    assert!(proves(404, NONE, Some("no_such_request")));
    assert!(!proves(404, NONE, Some("no_such_customer")) && !proves(404, NONE, None));
    assert!(proves(410, NONE, None) && proves(410, NONE, Some("x")));
    assert!(!proves(410, CLOUDFLARE_PAGE, None), "only the target's own word");
}

#[test]
fn a_user_says_what_statuses_mean_and_the_narrower_and_later_word_counts() {
    let rules: BTreeMap<String, Meaning> = serde_json::from_str(
        r#"{"409":"success","4xx":"transient","402-404":"permanent","5xx":"not_started"}"#,
    )
    .unwrap();
    let table = Table::default().with_rules(&rules).unwrap();
    let class = |status| read(status, NONE, &table).err().map(|fault| fault.class);
    let cases = [
        (409, None),
        (400, Some(FailureClass::Transient)),
        (403, Some(FailureClass::Permanent)),
        (499, Some(FailureClass::Transient)),
        (599, Some(FailureClass::NotStarted)),
    ];
    for (status, expected) in cases {
        assert_eq!(class(status), expected, "{status}");
    }
    assert_eq!(table.with(403..=403, Meaning::Unknown).meaning(403), Meaning::Unknown);
    for written in ["", "4x", "xx", "40", "4000", "500-", "504-500", "-1", "+40", "4xx-5xx", "é0x"] {
        let rules = BTreeMap::from([(written.to_owned(), Meaning::Success)]);
        let error = Table::default().with_rules(&rules).unwrap_err().to_string();
        assert!(error.ends_with("names no statuses: write 409, 4xx or 500-504"), "{error}");
    }
}

#[test]
fn without_a_connection_nothing_was_sent_and_after_that_nobody_knows() {
    use Transport::{ConnectRefused, ConnectTimeout, Dns, Tls};
    for ended in Transport::ALL {
        let nothing_sent = matches!(ended, Dns | ConnectRefused | ConnectTimeout | Tls);
        let expected = if nothing_sent { FailureClass::Transient } else { FailureClass::Unknown };
        let fault = transport(ended);
        assert_eq!((fault.class, fault.from_target), (expected, false), "{ended:?}");
    }
    let mut codes = Transport::ALL.map(Transport::code).to_vec();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Transport::ALL.len());
}

#[test]
fn a_fault_becomes_a_failure_with_everything_that_matters() {
    let effect = || -> Result<(), Failure> {
        read(429, &[("Retry-After", b"2"), ("X-Secret", b"s3cret")], &Table::default())?;
        Ok(())
    };
    let failure = effect().unwrap_err();
    assert_eq!(failure.class(), FailureClass::Transient);
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(failure.message(), "the target answered with status 429");
    let (stored, source) = failure.into_parts();
    assert_eq!(stored.code.as_deref(), Some("http_429"));
    assert!(source.is_none());
    assert_eq!(Failure::from(fault(402, NONE)).class(), FailureClass::Permanent);
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic_and_none_gets_into_what_is_stored(
        status: u16,
        headers in prop::collection::vec(
            ("(?i)(retry-after|server|via|content-type|proxy-status|stripe-should-retry|idempotent-replayed)",
             prop::collection::vec(any::<u8>(), 0..40)),
            0..8,
        ),
        code in prop::option::of("[a-z_]{9,20}"),
        first: bool,
        now: i64,
    ) {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let answer = Answer { status, headers: &headers, code: code.as_deref() };
        let table = Table::for_target(&Profile::known("stripe").unwrap());
        let read = classify(&answer, &table, first, LedgerTime(now));
        prop_assert_eq!(read.is_ok(), (200..300).contains(&status));
        if let Err(fault) = read {
            let said = format!("{} {}", fault.code, fault.message);
            prop_assert!(code.is_none_or(|code| !said.contains(&code)));
            prop_assert!(said.is_ascii() && said.len() < 120);
        }
    }

    #[test]
    fn headers_never_turn_a_doubt_into_certainty(
        status in 500_u16..1000, name in "(?i)(retry-after|server|via|stripe-should-retry|idempotent-replayed)", value: Vec<u8>,
    ) {
        prop_assert_eq!(class(status, &[(name.as_str(), value.as_slice())]), Some(FailureClass::Unknown));
    }
}
