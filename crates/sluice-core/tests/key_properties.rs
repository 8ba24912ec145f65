//! What holds for every value, tried on random ones and against another implementation.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use sluice_core::key::{Json, Number, canonical_json, canonical_json_text, check_plain, idempotency_key};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c]{0,3}",
        1 => any::<String>(),
        1 => "[\"\\\\/\u{0}\u{8}\u{1f}\n\u{7f}\u{2028}é\u{d7ff}\u{e000}\u{fb33}\u{ffff}\u{10000}\u{1f600}]{0,6}",
    ]
}

fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

fn number() -> impl Strategy<Value = Number> {
    let short = (any::<i32>(), -8..8_i32).prop_map(|(digits, power)| f64::from(digits) * 10_f64.powi(power));
    prop_oneof![any::<i32>().prop_map(f64::from), double(), short]
        .prop_map(|value| Number::new(value).unwrap())
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        number().prop_map(Json::from),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let members = vec((text(), inner.clone()), 0..5).prop_map(|mut members| {
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.dedup_by(|a, b| a.0 == b.0);
            Json::object(members).unwrap()
        });
        prop_oneof![vec(inner, 0..5).prop_map(Json::Array), members]
    })
}

/// Writes a value with its members in reverse and white space wherever it may stand.
fn loosely(json: &Json) -> String {
    match json {
        Json::Array(items) => format!("[ {}\t]", items.iter().map(loosely).collect::<Vec<_>>().join(" ,\n")),
        Json::Object(members) => {
            let write = |(name, value): &(String, Json)| {
                format!("{} : {}", Value::from(name.clone()), loosely(value))
            };
            format!("{{ {}\r}}", members.iter().rev().map(write).collect::<Vec<_>>().join(" , "))
        }
        // An exponent keeps a large double from being an integer literal.
        Json::Number(number) => format!("{:e}", number.as_f64()),
        _ => json.canonical(),
    }
}

/// Doubles from 2^53 to below 1e21 are written as integers that input may not hold.
fn is_stable(json: &Json) -> bool {
    match json {
        Json::Number(number) => !(9_007_199_254_740_992.0..1e21).contains(&number.as_f64().abs()),
        Json::Array(items) => items.iter().all(is_stable),
        Json::Object(members) => members.iter().all(|(_, value)| is_stable(value)),
        _ => true,
    }
}

proptest! {
    #[test]
    fn order_of_members_and_white_space_never_matter(json in json()) {
        let read = Json::parse(loosely(&json).as_bytes()).unwrap();
        prop_assert_eq!(read.key(), json.key());
        prop_assert_eq!(read, json);
    }

    #[test]
    fn order_of_elements_always_matters(items in vec(json(), 2..6), at in any::<prop::sample::Index>()) {
        let mut rotated = items.clone();
        rotated.rotate_left(1 + at.index(items.len() - 1));
        prop_assert_eq!(Json::Array(rotated.clone()).key() == Json::Array(items.clone()).key(), rotated == items);
    }

    #[test]
    fn different_values_never_share_canonical_bytes(a in json(), b in json()) {
        prop_assert_eq!(a.canonical() == b.canonical(), a == b);
    }

    #[test]
    fn canonical_text_read_again_is_itself(json in json().prop_filter("stable", is_stable)) {
        let canonical = json.canonical();
        prop_assert_eq!(canonical_json_text(canonical.as_bytes()), Ok(canonical));
    }

    #[test]
    fn both_routes_and_the_tree_agree(json in json()) {
        prop_assert_eq!(&Json::from_serialize(&json).unwrap(), &json);
        prop_assert_eq!(idempotency_key(&json).unwrap(), json.key());
        prop_assert_eq!(check_plain(&json), Ok(()));
        let mut bytes = Vec::new();
        json.write_canonical(&mut bytes);
        prop_assert_eq!(bytes, json.canonical().into_bytes());
    }

    #[test]
    fn the_writer_agrees_with_another_implementation(json in json()) {
        let value: Value = serde_json::to_value(&json).unwrap();
        let expected = serde_json_canonicalizer::to_string(&value).unwrap();
        prop_assert_eq!(json.canonical(), expected.clone());
        prop_assert_eq!(canonical_json(&value).unwrap(), expected);
    }

    #[test]
    fn every_double_is_written_as_the_other_implementation_does_and_read_back(value in double()) {
        let ours = canonical_json(&value).unwrap();
        prop_assert_eq!(&ours, &serde_json_canonicalizer::to_string(&value).unwrap());
        prop_assert_eq!(Json::parse(format!("{value:e}").as_bytes()).unwrap(), Json::from(Number::new(value).unwrap()));
    }

    #[test]
    fn the_parser_agrees_with_serde_json_on_what_it_writes(json in json()) {
        let value: Value = serde_json::to_value(&json).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assume!(is_stable(&json));
        prop_assert_eq!(Json::parse(pretty.as_bytes()).unwrap(), json);
    }

    #[test]
    fn whatever_the_parser_takes_serde_json_reads_alike(text in r#"([\[\]{},:" 0-9eE.+\-]|"a"|"b":|\\u00|\\"|true|null|[01]){0,12}"#) {
        let other = serde_json::from_str::<Value>(&text);
        match Json::parse(text.as_bytes()) {
            Ok(json) => prop_assert_eq!(Json::from_serialize(&other.unwrap()).unwrap(), json),
            Err(error) => prop_assert!(other.is_err() || !format!("{:?}", error.kind()).starts_with("Not"), "{}", error),
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in vec(any::<u8>(), 0..64)) {
        let _ = Json::parse(&bytes);
    }

    #[test]
    fn no_damaged_text_makes_the_parser_panic(json in json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = json.canonical().into_bytes();
        let at = at.index(text.len());
        let _ = Json::parse(&text[..at]);
        text[at] = byte;
        if let Err(error) = Json::parse(&text) {
            prop_assert!(error.offset().is_some_and(|offset| offset <= text.len()));
        }
    }
}
