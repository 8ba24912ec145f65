//! Hand-made keys, whole payloads, and whatever else somebody may call a key.

use proptest::collection::vec;
use proptest::prelude::*;
use sluice_core::key::{Json, SuspicionKind, Suspicions};
use std::fmt::Write;

fn parse(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

/// The kinds and places of everything that is found, a line each.
fn told(text: &str) -> String {
    let mut lines = String::new();
    for one in Suspicions::of_parts(&parse(text)).kept() {
        writeln!(lines, "{} {}", one.kind(), one.path()).unwrap();
    }
    lines
}

#[track_caller]
fn keys_hold(kinds: &[&str], keys: &[&str]) {
    for key in keys {
        let found: Vec<_> = Suspicions::of_key(key).kept().iter().map(|one| one.kind().as_str()).collect();
        assert_eq!(found, kinds, "{key}");
    }
}

#[test]
fn hand_made_keys_are_read_in_their_parts() {
    keys_hold(&["clock", "email"], &["charge:jo@example.org:2026-11-30T10:00:00Z"]);
    keys_hold(&["email"], &["welcome/jo@example.org", "jo@example.org", "mail|jo@example.org|receipt"]);
    keys_hold(
        &["clock"],
        &[
            "charge:o-17:2026-11-30T10:00:00Z",
            "o-17_2026-11-30_10:00:00",
            "order-17-1764493200123",
            "charge:o-17:20261130100000",
            "charge o-17 at=1764493200",
            "o-17/timestamp=1764493200",
        ],
    );
    keys_hold(&["attempt"], &["charge:o-17:attempt-2", "o-17/retry:3", "o-17-attempt2", "o-17;attempt=2"]);
    keys_hold(
        &["delivery_id"],
        &[
            "charge:message_id=m-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "charge:toolu_01A09q90qw90lq917835lq9",
        ],
    );
    keys_hold(&["phone"], &["sms:+14155550100", "+49 30 901820"]);
    keys_hold(&["payment_card"], &["charge:4111111111111111:1999", "charge:4111-1111-1111-1111"]);
    keys_hold(
        &[],
        &[
            "order-17",
            "charge:o-17",
            "invoice:2026-11:acct-7",
            "statement:acct-7:2026-11-30",
            "charge:1764493200123",
            "shop:5678901234567:refund-2",
            "aafba8bf689d13477a5e9d3e16577d328cea7e75964a4c1d71fcfe444222f57a",
            "5fea7756-0ea4-451a-a703-a558b933e274",
            "evt_1NG8Du2eZvKYlo2CUI79vXWy",
            "retry",
            "attempt:first",
            "o-17:114-3941689-8772232",
            "k",
            "",
        ],
    );
    assert_eq!(Suspicions::of_key("charge:jo@example.org").kept()[0].path(), "");
}

/// Real payloads, each with everything that is found in it; nothing else in them is suspected, be it an id, a URL, a
/// hash or a count.
#[test]
fn real_webhooks_hold_exactly_these() {
    let payloads = [
        (include_str!("data/webhooks/push.json"), PUSH),
        (include_str!("data/webhooks/workflow_run.json"), WORKFLOW_RUN),
        (include_str!("data/webhooks/milestone.json"), MILESTONE),
        (include_str!("data/webhooks/star.json"), STAR),
        (include_str!("data/webhooks/security_advisory.json"), SECURITY_ADVISORY),
    ];
    for (payload, expected) in payloads {
        let found = told(payload);
        let mut lines: Vec<_> = found.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, expected);
    }
}

const PUSH: &[&str] = &[
    "clock /head_commit/timestamp",
    "clock /repository/created_at",
    "clock /repository/pushed_at",
    "clock /repository/updated_at",
    "email /head_commit/author/email",
    "email /head_commit/committer/email",
    "email /pusher/email",
    "email /repository/owner/email",
];

const WORKFLOW_RUN: &[&str] = &[
    "attempt /workflow_run/run_attempt",
    "clock /repository/created_at",
    "clock /repository/pushed_at",
    "clock /repository/updated_at",
    "clock /workflow/created_at",
    "clock /workflow/updated_at",
    "clock /workflow_run/created_at",
    "clock /workflow_run/head_commit/timestamp",
    "clock /workflow_run/run_started_at",
    "clock /workflow_run/updated_at",
    "email /workflow_run/head_commit/author/email",
    "email /workflow_run/head_commit/committer/email",
];

/// The day on which the milestone is due stays unsaid: that was agreed on.
const MILESTONE: &[&str] = &[
    "clock /milestone/created_at",
    "clock /milestone/updated_at",
    "clock /repository/created_at",
    "clock /repository/pushed_at",
    "clock /repository/updated_at",
];

const STAR: &[&str] = &[
    "clock /repository/created_at",
    "clock /repository/pushed_at",
    "clock /repository/updated_at",
    "clock /starred_at",
];

const SECURITY_ADVISORY: &[&str] =
    &["clock /security_advisory/published_at", "clock /security_advisory/updated_at"];

#[test]
fn places_are_pointers_and_values_and_telling_names_stay_unsaid() {
    assert_eq!(
        told(r#"{"args":{"a/b":[{"sentAt":"2026-11-30T10:00:00Z"}],"by":{"jo@example.org":{"n":1}}}}"#),
        "clock /args/a~1b/0/sentAt\nemail /args/by\n"
    );
    assert_eq!(told(r#""jo@example.org""#), "email \n");
    let debugged = format!("{:?}", Suspicions::of_parts(&parse(r#"{"to":"jo@example.org"}"#)));
    assert!(!debugged.contains("jo@"), "{debugged}");
}

#[test]
fn the_rest_is_counted_and_a_thousand_of_one_kind_hide_no_other() {
    let times = vec![r#"{"at":1764493200}"#; 1000].join(",");
    let found = Suspicions::of_parts(&parse(&format!(r#"{{"list":[{times}],"to":"jo@example.org"}}"#)));
    assert_eq!((found.count(SuspicionKind::Clock), found.count(SuspicionKind::Email)), (1000, 1));
    assert_eq!((found.kept().len(), found.total()), (17, 1001));
    assert_eq!(found.kept()[16].path(), "/to");
}

#[test]
fn the_work_grows_with_the_text_and_not_with_its_square() {
    // Without optimisation this takes seconds; work that grew with the square would take hours.
    const SIZE: usize = 256 * 1024;
    let fill = |piece: &str| piece.repeat(SIZE / piece.len());
    for piece in [
        "@",
        "a@",
        "a@b.",
        "+1",
        "+14155550100",
        "1",
        "2026-11-30T",
        "4111 ",
        "4111-",
        "://",
        "a@b:",
        ":",
        "://a@",
    ] {
        let text = fill(piece);
        let _ = Suspicions::of_parts(&Json::from(text.as_str()));
        let _ = Suspicions::of_key(&text);
        let _ = Suspicions::of_parts(&Json::Object(vec![(text, Json::Null)]));
    }
    let members = (0..SIZE / 32).map(|n| (format!("request_id_{n}_created_at"), Json::from("x"))).collect();
    let _ = Suspicions::of_parts(&Json::Object(members));
}

#[test]
fn a_tree_deeper_than_any_text_is_left_alone_below() {
    let deep = (0..10_000).fold(Json::from("jo@example.org"), |inner, _| Json::Array(vec![inner]));
    assert!(Suspicions::of_parts(&deep).is_empty());
    // Dropping it level by level is what this test is not about.
    std::mem::forget(deep);
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z_. -]{0,12}(Id|_id|At|_at|time|Ts|phone|card|attempt|retry_count|message_id|traceparent)",
    ]
}

fn value() -> impl Strategy<Value = Json> {
    prop_oneof![
        any::<String>().prop_map(Json::from),
        "[0-9+@:TZ./ ()-]{0,40}".prop_map(Json::from),
        "(é|@|\\+|[0-9]|T|:|-|<|>|a|\\.|//|=){0,60}".prop_map(Json::from),
        any::<i32>().prop_map(|n| Json::from(sluice_core::key::Number::from(n))),
        any::<bool>().prop_map(Json::from),
    ]
}

proptest! {
    #[test]
    fn nothing_makes_it_panic_and_what_is_kept_is_counted(members in vec((name(), value()), 0..8), key in ".{0,200}") {
        let found = Suspicions::of_parts(&Json::Object(members));
        let counted: usize = SuspicionKind::ALL.iter().map(|kind| found.count(*kind)).sum();
        prop_assert_eq!(counted, found.total());
        prop_assert!(found.kept().len() <= found.total());
        let _ = Suspicions::of_key(&key);
    }

    #[test]
    fn ids_amounts_and_order_numbers_are_never_suspected(id in 1_u64..1 << 53, text in "[a-z]{1,3}[-_][0-9]{1,12}") {
        let json = format!(r#"{{"id":{id},"order_id":"{id}","node_id":"{text}","reference":"{text}"}}"#);
        prop_assert_eq!(told(&json), "");
    }
}
