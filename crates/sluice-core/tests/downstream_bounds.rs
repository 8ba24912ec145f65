//! The exact bounds of what is concluded from a profile, and which names are close enough to be meant.

use sluice_core::downstream::{KeyAge, Profile, oldest_key};
use sluice_core::record::LedgerTime;
use std::time::Duration;

const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[test]
fn a_key_is_young_enough_to_the_millisecond_and_one_from_the_future_never_is() {
    let age = KeyAge { first_used: LedgerTime(1_000), at_most: Duration::from_secs(2) };
    for (now, allowed) in [(999, false), (1_000, true), (3_000, true), (3_001, false), (i64::MAX, false)] {
        assert_eq!(age.allows(LedgerTime(now)), allowed, "{now}");
    }
}

#[test]
fn a_key_may_be_as_old_as_leaves_time_for_one_whole_attempt() {
    let mins = Duration::from_mins;
    let with = |remembers, attempt_timeout| {
        oldest_key(&Profile { remembers, ..Profile::default() }, attempt_timeout)
    };
    for (remembers, attempt_timeout, oldest) in [
        (None, None, None),
        (Some(mins(100)), None, Some(mins(89))),
        (Some(mins(100)), Some(mins(20)), Some(mins(70))),
        (Some(mins(100)), Some(mins(90)), Some(mins(0))),
        (Some(mins(100)), Some(mins(91)), None),
        (Some(mins(1)), Some(mins(0)), Some(mins(0))),
        (Some(mins(1)), None, None),
    ] {
        assert_eq!(with(remembers, attempt_timeout), oldest, "{remembers:?} {attempt_timeout:?}");
    }
}

#[test]
fn a_key_has_exactly_one_place_and_an_empty_name_is_none() {
    let place = |header: Option<&str>, body: Option<&str>| {
        let given = serde_json::json!({"name": "m", "header": header, "body": body});
        Profile::parse(&given.to_string()).map(|profile| (profile.header, profile.body)).is_ok()
    };
    for (header, body, usable) in [
        (Some("K"), None, true),
        (None, Some("k"), true),
        (Some("K"), Some("k"), false),
        (None, None, false),
        (Some(""), None, false),
        (None, Some(""), false),
        (Some(""), Some(""), false),
        (Some(""), Some("k"), false),
        (Some("K"), Some(""), false),
    ] {
        assert_eq!(place(header, body), usable, "{header:?} {body:?}");
    }
}

#[test]
fn a_key_of_exactly_the_length_that_the_target_takes_is_taken() {
    let profile = Profile::parse(r#"{"name":"m","header":"K","max_key_len":32}"#).unwrap();
    assert_eq!(profile.key_len(), 32);
    assert_eq!(profile.header_value(&HEX[..32]).unwrap(), &HEX[..32]);
    assert!(profile.header_value(&HEX[..33]).is_err());
    assert_eq!(Profile::default().key_len(), 64);
}

#[test]
fn a_name_is_meant_where_at_most_two_letters_differ() {
    let meant = |member: &str| {
        let said = Profile::parse(&format!(r#"{{"name":"stripe","{member}":1}}"#)).unwrap_err().to_string();
        said.split_once(": ").map(|(_, meant)| meant.to_owned())
    };
    for (member, expected) in [
        ("heade", Some("header")),
        ("head", Some("header")),
        ("headers", Some("header")),
        ("theaders", Some("header")),
        ("eheadres", None),
        ("xexder", Some("header")),
        ("xexdex", None),
        ("headersss", None),
        ("replays_failure", Some("replays_failures")),
        ("replay_failure", Some("replays_failures")),
        ("replay_failur", None),
        ("lik", Some("like")),
    ] {
        let expected = expected.map(|name| format!("\"{name}\" may be meant"));
        assert_eq!(meant(member), expected, "{member}");
    }
}
