//! What is known of targets, how it is overridden, and what is concluded from it.

use proptest::prelude::*;
use sluice_core::FailureClass::{self, NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
use sluice_core::downstream::{
    LastAnswer, Profile, ProfileError, known_names, margin, may_rotate, window_left,
};
use sluice_core::record::LedgerTime;
use std::time::Duration;

const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const CLASSES: [FailureClass; 6] = [Permanent, Transient, NotStarted, Unknown, Unclassified, Overdue];

fn known() -> Vec<Profile> {
    known_names().into_iter().map(|name| Profile::known(name).unwrap()).collect()
}

fn refused(json: &str) -> String {
    Profile::parse(json).unwrap_err().to_string()
}

#[test]
fn every_built_in_profile_has_a_source_a_date_and_a_scope_and_stands_the_checks() {
    for profile in known() {
        assert!(profile.source.starts_with("https://"), "{}", profile.name);
        assert!(!profile.scope.is_empty() && !profile.methods.is_empty(), "{}", profile.name);
        let digits = profile.date.split('-').map(str::len).collect::<Vec<_>>();
        assert_eq!(digits, [4, 2, 2], "{}", profile.name);
        assert!(profile.proves_not_landed.is_empty(), "nothing is taken for a proof by itself");
        let again = Profile::parse(&serde_json::to_string(&profile).unwrap()).unwrap();
        assert_eq!(again, profile);
    }
    assert_eq!(Profile::known("Stripe"), None);
}

#[test]
fn every_built_in_profile_takes_a_key_of_the_length_that_it_asks_for() {
    for profile in known() {
        let key = &HEX[..profile.key_len().min(HEX.len())];
        let written = profile.header_value(key).unwrap();
        assert!(written.len() <= profile.max_key_len + 2 * usize::from(profile.quoted), "{}", profile.name);
    }
}

#[test]
fn single_members_of_a_known_profile_can_be_overridden_and_the_others_stay() {
    let stripe = Profile::known("stripe").unwrap();
    let shorter = Profile::parse(r#"{"name":"stripe","remembers_ms":60000}"#).unwrap();
    assert_eq!(shorter, Profile { remembers: Some(Duration::from_mins(1)), ..stripe.clone() });
    let unknown = Profile::parse(r#"{"name":"stripe","remembers_ms":null}"#).unwrap();
    assert_eq!(unknown.remembers, None);
    let mine = Profile::parse(r#"{"name":"billing","like":"stripe"}"#).unwrap();
    assert_eq!(mine, Profile { name: "billing".to_owned(), ..stripe });
    let proof = Profile::parse(r#"{"name":"stripe","proves_not_landed":[{"status":404,"code":"no_such"}]}"#);
    assert_eq!(proof.unwrap().proves_not_landed[0].code.as_deref(), Some("no_such"));
}

#[test]
fn of_an_unknown_target_nothing_is_relied_on_that_was_not_said() {
    let mine = Profile::parse(r#"{"name":"mine","header":"X-Key"}"#).unwrap();
    assert_eq!(mine, Profile { name: "mine".into(), header: Some("X-Key".into()), ..Profile::default() });
    assert_eq!(window_left(&mine, LedgerTime(0), LedgerTime(0)), None);
    assert_eq!(mine.mismatch, None);
}

#[test]
fn what_is_wrong_with_a_profile_is_named_and_so_is_what_was_probably_meant() {
    let cases = [
        ("", "the profile is not usable JSON"),
        ("[]", "a profile is an object"),
        ("{}", "a profile has a name"),
        (r#"{"name":""}"#, "a profile has a name"),
        (r#"{"name":"a","name":"b"}"#, "the profile is not usable JSON"),
        (r#"{"name":"stripe","heeder":"x"}"#, r#"a profile has no member "heeder": "header" may be meant"#),
        (r#"{"name":"stripe","colour":"x"}"#, r#"a profile has no member "colour""#),
        (r#"{"name":"a","like":"strpe"}"#, r#"there is no built-in profile "strpe": "stripe" may be meant"#),
        (r#"{"name":"a","like":1}"#, r#"member "like" of a profile takes the name of a built-in profile"#),
        (r#"{"name":"stripe","quoted":"yes"}"#, r#"member "quoted" of a profile takes true or false"#),
        (
            r#"{"name":"stripe","remembers_ms":-1}"#,
            r#"member "remembers_ms" of a profile takes a whole number of milliseconds, or null where it is not known"#,
        ),
        (
            r#"{"name":"stripe","mismatch":{"status":400,"cod":"x"}}"#,
            r#"member "mismatch" of a profile takes {"status": number, "code": text or null}, or null"#,
        ),
        (
            r#"{"name":"stripe","max_key_len":31}"#,
            "a key of 31 characters has less than 128 bits: 32 are needed",
        ),
        (
            r#"{"name":"stripe","body":"key"}"#,
            "a profile says either in which header the key goes or in which member of the body",
        ),
        (
            r#"{"name":"mine"}"#,
            "a profile says either in which header the key goes or in which member of the body",
        ),
    ];
    for (json, said) in cases {
        assert_eq!(refused(json), said, "{json}");
    }
}

#[test]
fn a_key_is_written_as_the_target_takes_it() {
    let with = |json: &str| Profile::parse(json).unwrap();
    let bare = with(r#"{"name":"m","header":"K"}"#);
    assert_eq!(bare.header_value(HEX).unwrap(), HEX);
    let quoted = with(r#"{"name":"m","header":"K","quoted":true}"#);
    assert_eq!(quoted.header_value(r#"a"b\c"#).unwrap(), r#""a\"b\\c""#);
    let uuid = with(r#"{"name":"m","header":"K","form":"uuid"}"#);
    assert_eq!(uuid.key_len(), 32);
    assert_eq!(uuid.header_value(HEX).unwrap(), "01234567-89ab-cdef-0123-456789abcdef");
    for (profile, key) in [
        (&bare, ""),
        (&bare, "a b"),
        (&bare, "a\r\nX-Other: 1"),
        (&bare, "ключ"),
        (&bare, &*"a".repeat(65)),
        (&uuid, "0123456789abcdef"),
        (&uuid, "0123456789ABCDEF0123456789ABCDEF"),
        (&uuid, "ééééééééééééééééé"),
    ] {
        let error = profile.header_value(key).unwrap_err();
        assert!(matches!(error, ProfileError::Key { .. }), "{key:?}");
        assert!(key.is_empty() || !error.to_string().contains(key), "errors carry no keys");
    }
}

#[test]
fn the_window_is_what_the_target_remembers_less_a_margin_and_the_age_of_the_key() {
    let stripe = Profile::known("stripe").unwrap();
    let azure = Profile::known("azure_repeatability").unwrap();
    let minute = |minutes: i64| LedgerTime(minutes * 60_000);
    let mins = Duration::from_mins;
    let cases = [
        (&stripe, 0, 0, mins(24 * 60 - 144)),
        (&stripe, 10, 70, mins(24 * 60 - 144 - 60)),
        (&stripe, 0, 24 * 60 - 144, mins(0)),
        (&stripe, 0, 24 * 60 * 14, mins(0)),
        (&azure, 0, 0, mins(4)),
        (&azure, 0, 5, mins(0)),
        (&stripe, 1, 0, mins(0)),
    ];
    for (profile, first_used, now, left) in cases {
        assert_eq!(window_left(profile, minute(first_used), minute(now)), Some(left), "{first_used} {now}");
    }
    assert_eq!(margin(Duration::from_secs(10)), mins(1));
    let forever = Profile { remembers: Some(Duration::MAX), ..stripe };
    let whole = window_left(&forever, LedgerTime(i64::MIN), LedgerTime(i64::MAX)).unwrap();
    assert!(whole < Duration::MAX);
}

#[test]
fn a_new_key_needs_a_definite_answer_of_a_target_that_replays_failures() {
    let replays = Profile { replays_failures: true, ..Profile::default() };
    for class in CLASSES {
        let last = LastAnswer { class, from_target: true, is_unresolved: false };
        assert_eq!(may_rotate(&replays, last), matches!(class, Permanent | Transient), "{class:?}");
        assert!(!may_rotate(&Profile::default(), last));
        assert!(!may_rotate(&replays, LastAnswer { from_target: false, ..last }));
        assert!(!may_rotate(&replays, LastAnswer { is_unresolved: true, ..last }));
    }
}

proptest! {
    #[test]
    fn a_window_only_shrinks_and_is_always_shorter_than_the_memory(
        remembers: u64, first_used: i64, now: i64, later: u32,
    ) {
        let remembers = Duration::from_millis(remembers);
        let profile = Profile { remembers: Some(remembers), ..Profile::default() };
        let left = window_left(&profile, LedgerTime(first_used), LedgerTime(now)).unwrap();
        prop_assert!(left.is_zero() || left < remembers && now >= first_used);
        if now >= first_used {
            let then = LedgerTime(now.saturating_add(later.into()));
            prop_assert!(window_left(&profile, LedgerTime(first_used), then).unwrap() <= left);
        }
    }

    #[test]
    fn no_text_makes_reading_panic(json in r#"\{("(name|header|form|like|mismatch)":("[a-z]{0,6}"|[0-9]{1,3}|null),?){0,4}\}"#) {
        let _ = Profile::parse(&json);
    }

    #[test]
    fn no_key_makes_writing_panic_or_breaks_a_header(key: String, quoted: bool) {
        for profile in known() {
            let profile = Profile { quoted, ..profile };
            if let Ok(written) = profile.header_value(&key) {
                prop_assert!(written.bytes().all(|byte| byte.is_ascii_graphic()));
            }
        }
    }
}
