//! Faults reported against others, shown not to be here.

use std::collections::{BTreeMap, HashSet};

use serde_json::json;
use sluice_core::key::{
    InputErrorKind, Json, canonical_json, canonical_json_text, idempotency_key, idempotency_key_text,
};

fn refusal(text: &str) -> (InputErrorKind, String) {
    let error = Json::parse(text.as_bytes()).unwrap_err();
    (error.kind(), error.path().to_owned())
}

#[test]
fn b03_a_name_that_comes_twice_is_refused_and_never_chosen_from() {
    let twice = |path: &str| (InputErrorKind::DuplicateName, path.to_owned());
    assert_eq!(refusal(r#"{"amount":5,"amount":500}"#), twice("/amount"));
    assert_eq!(refusal(r#"{"amount":5,"\u0061mount":500}"#), twice("/amount"));
    assert_eq!(refusal(r#"{"a":{"b":{"c":[0,{"x":1,"y":2,"x":1}]}}}"#), twice("/a/b/c/1/x"));
    assert_eq!(refusal(r#"{"":1,"":1}"#), twice("/"));
}

#[test]
fn b03_the_error_points_at_the_second_of_two_equal_names() {
    let error = Json::parse(br#"{"b":{"amount":1},"amount":5,"z":1,"amount":500}"#).unwrap_err();
    assert_eq!(error.offset(), Some(35));
}

#[test]
fn b03_ten_thousand_levels_are_refused_and_so_are_ten_million() {
    for levels in [10_000, 10_000_000] {
        assert_eq!(Json::parse("[".repeat(levels).as_bytes()).unwrap_err().kind(), InputErrorKind::TooDeep);
    }
    let objects = r#"{"a":"#.repeat(10_000);
    assert_eq!(Json::parse(objects.as_bytes()).unwrap_err().kind(), InputErrorKind::TooDeep);
}

#[test]
fn b03_fifty_megabytes_are_read_and_written_again() {
    let mut text = vec![b'x'; 50_000_000];
    text[0] = b'"';
    *text.last_mut().unwrap() = b'"';
    assert_eq!(canonical_json_text(&text).map(|canonical| canonical.len()), Ok(text.len()));
}

#[test]
fn b05_parts_that_contain_separators_never_meet() {
    let pieces =
        ["", "a", "b", "c", ":", "/", "|", "\0", "a:b", "b:c", "a/b", "b/c", "a|b", "b|c", "a\0b", "b\0c"];
    let mut keys = HashSet::new();
    for first in pieces {
        for second in pieces {
            assert!(keys.insert(idempotency_key(&(first, second)).unwrap()), "{first:?} {second:?}");
            assert!(keys.insert(idempotency_key(&("x", first, second)).unwrap()), "{first:?} {second:?}");
        }
        assert!(keys.insert(idempotency_key(&[first]).unwrap()));
        assert!(keys.insert(idempotency_key(first).unwrap()));
    }
}

#[test]
fn b09_members_in_any_order_are_the_same_intent_and_elements_are_not() {
    let key = |text: &str| idempotency_key_text(text.as_bytes()).unwrap();
    let intent = key(r#"{"b":{"y":1,"x":2},"a":[{"q":1,"p":2}]}"#);
    assert_eq!(key(r#"{"a":[{"p":2,"q":1}],"b":{"x":2,"y":1}}"#), intent);
    assert_eq!(idempotency_key(&json!({"a":[{"p":2,"q":1}],"b":{"x":2,"y":1}})).unwrap(), intent);
    assert_ne!(key("[1,2]"), key("[2,1]"));
}

#[test]
fn b09_names_are_in_utf16_order_so_that_every_language_agrees() {
    for (first, second) in [("\u{1f600}", "\u{fb33}"), ("\u{10000}", "\u{ffff}")] {
        let expected = format!(r#"{{"{first}":1,"{second}":2}}"#);
        assert_eq!(canonical_json(&BTreeMap::from([(first, 1), (second, 2)])).unwrap(), expected);
        let reversed = format!(r#"{{"{second}":2,"{first}":1}}"#);
        assert_eq!(canonical_json_text(reversed.as_bytes()).unwrap(), expected);
    }
}

#[test]
fn b16_integers_that_a_double_cannot_tell_apart_are_refused_and_strings_work() {
    for digits in ["9007199254740992", "9007199254740993", "18446744073709551615", "18446744073709551616"] {
        let expected = (InputErrorKind::IntegerOutOfRange, "/id".to_owned());
        assert_eq!(refusal(&format!(r#"{{"id":{digits}}}"#)), expected);
        assert_eq!(refusal(&format!(r#"{{"id":-{digits}}}"#)), expected);
        assert!(Json::parse(format!(r#"{{"id":"{digits}"}}"#).as_bytes()).is_ok());
    }
    assert_eq!(refusal(r#"{"id":1e400}"#), (InputErrorKind::NumberOutOfRange, "/id".to_owned()));
    assert_eq!(
        canonical_json_text(b"[9007199254740991,-9007199254740991]").unwrap(),
        "[9007199254740991,-9007199254740991]"
    );
}

#[test]
fn a_hundred_thousand_members_cost_no_more_than_sorting_them() {
    let members: Vec<_> = (0..100_000).rev().map(|i| format!(r#""m{i}":{i}"#)).collect();
    let text = format!("{{{}}}", members.join(","));
    let start = std::time::Instant::now();
    assert!(idempotency_key_text(text.as_bytes()).is_ok());
    let twice = format!("{{{},\"m99999\":0}}", members.join(","));
    let error = Json::parse(twice.as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (InputErrorKind::DuplicateName, "/m99999"));
    // Comparing every name with every other would take minutes in this build.
    assert!(start.elapsed().as_secs() < 10);
}
