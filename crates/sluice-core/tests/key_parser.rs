//! What the parser takes, and what it refuses.

use sluice_core::key::{InputErrorKind, Json, Number};

fn kind(text: impl AsRef<[u8]>) -> InputErrorKind {
    Json::parse(text.as_ref()).unwrap_err().kind()
}

fn canonical(text: &str) -> String {
    Json::parse(text.as_bytes()).unwrap().canonical()
}

#[test]
fn white_space_around_the_one_text_is_ignored_and_a_second_text_is_not() {
    assert_eq!(canonical(" \t\r\n[ 1 , { } ]\n\n"), "[1,{}]");
    for text in ["1 2", "{}{}", "null null", "[]\n[]", "\"a\"\"b\"", "1\ntrue"] {
        assert_eq!(kind(text), InputErrorKind::SecondText, "{text}");
    }
}

#[test]
fn what_is_not_json_is_refused_wherever_it_stands() {
    for text in [
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{\"a\" 1}",
        "'a'",
        "tru",
        "True",
        "nul",
        "nulL",
        "NaN",
        "Infinity",
        "-Infinity",
        "+1",
        "-",
        "-a",
        "01",
        "-01",
        "00",
        "1.",
        ".5",
        "1.e1",
        "1e",
        "1e+",
        "1E-",
        "0x1",
        "1_0",
        "1]",
        "1,",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u\"",
        "\"\\u00g0\"",
        "\"\\u+123\"",
        "\"\\u12",
        "\"\n\"",
        "\"\u{0}\"",
        "\"\u{1f}\"",
        "// a\n1",
        "1 // a",
        "\u{a0}1",
        "1\u{feff}",
        "[\u{feff}]",
        "\u{c}1",
    ] {
        assert_eq!(kind(text), InputErrorKind::NotJson, "{text:?}");
    }
}

#[test]
fn only_utf8_without_a_byte_order_mark_is_taken() {
    assert_eq!(kind(b"\xef\xbb\xbf1"), InputErrorKind::ByteOrderMark);
    for text in [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\"\xc0\x80\"", b"\xff\xfe1\0", b"\"\xf0\x9f\x98"] {
        assert_eq!(kind(text), InputErrorKind::NotUtf8);
    }
    assert_eq!(Json::parse(b"[\"ab\xff\"]").unwrap_err().offset(), Some(4));
}

#[test]
fn half_a_surrogate_pair_is_refused_and_a_whole_one_is_its_character() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\ud83d\ud83d""#,
        r#""\ude00\ud83d""#,
        r#"{"\udfff":1}"#,
        r#""\uD83D\u0041""#,
    ] {
        assert_eq!(kind(text), InputErrorKind::LoneSurrogate, "{text}");
    }
    assert_eq!(canonical(r#""\ud83d\ude00\uDBFF\uDFFF\u0041""#), "\"\u{1f600}\u{10ffff}A\"");
}

#[test]
fn escapes_are_read_and_only_the_needed_ones_written() {
    assert_eq!(
        canonical(r#""\"\\\/\b\f\n\r\t\u0000\u001F\u007f\u2028""#),
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\u{2028}\""
    );
}

#[test]
fn a_hundred_and_twenty_eight_levels_are_taken_and_one_more_is_not() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(canonical(&nested(128)), nested(128));
    assert_eq!(kind(nested(129)), InputErrorKind::TooDeep);
    let objects = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert_eq!(canonical(&objects(128)), objects(128));
    assert_eq!(kind(objects(129)), InputErrorKind::TooDeep);
    assert_eq!(Json::parse(nested(129).as_bytes()).unwrap_err().offset(), Some(128));
}

#[test]
fn numbers_are_read_to_the_nearest_double_and_zero_has_no_sign() {
    for (text, expected) in [
        ("-0", "0"),
        ("-0.0", "0"),
        ("-0e5", "0"),
        ("1e-400", "0"),
        ("-1e-400", "0"),
        ("1.0", "1"),
        ("100e-2", "1"),
        ("1E+2", "100"),
        ("9007199254740993.0", "9007199254740992"),
        ("1e21", "1e+21"),
        ("123456789012345680000.0", "123456789012345680000"),
        ("0.1", "0.1"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("5e-324", "5e-324"),
        ("1e-7", "1e-7"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
    }
    // Compared as bits, since −0 and 0 are equal as doubles.
    for text in ["-0", "-0.0", "-1e-400"] {
        let Ok(Json::Number(number)) = Json::parse(text.as_bytes()) else { panic!("{text} is a number") };
        assert_eq!((number.as_f64().to_bits(), number.as_i64()), (0, Some(0)));
    }
    assert_eq!(Number::new(-0.0).map(Number::as_i64), Ok(Some(0)));
}

#[test]
fn a_number_beyond_a_double_is_an_error_and_never_infinity() {
    for text in ["1e309", "-1e309", "1.8e308", "1e99999999999999999999"] {
        assert_eq!(kind(text), InputErrorKind::NumberOutOfRange, "{text}");
    }
    let digits = "9".repeat(100_000);
    assert_eq!(kind(&digits), InputErrorKind::IntegerOutOfRange);
    assert_eq!(kind(format!("{digits}.0")), InputErrorKind::NumberOutOfRange);
}

#[test]
fn an_error_names_the_place_and_never_the_value() {
    let secret = "hunter2";
    for text in [
        format!(r#"{{"a":["{secret}",9007199254740993]}}"#),
        format!(r#"{{"a":["{secret}" x]}}"#),
        format!(r#"{{"a":"{secret}\ud800"}}"#),
        format!(r#"["{secret}"] "{secret}""#),
    ] {
        let error = Json::parse(text.as_bytes()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(secret), "{error}");
    }
}

#[test]
fn a_hostile_member_name_reaches_the_message_short_and_harmless() {
    let text = format!(r#"{{"\u001b[2J{}":1e999}}"#, "a".repeat(1_000_000));
    let error = Json::parse(text.as_bytes()).unwrap_err();
    assert!(error.path().starts_with("/\\u001b[2Jaaa"));
    assert!(error.to_string().len() < 250);
    assert_eq!(Json::parse(br#"{"a/b":{"~":1e999}}"#).unwrap_err().path(), "/a~1b/~0");
}
