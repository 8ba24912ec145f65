//! Does it count attempts?

use super::words::Words;
use crate::key::json::Json;

const COUNTED: [&str; 5] = ["attempt", "attempts", "retry", "retries", "redeliveries"];

const COUNTERS: [&str; 23] = [
    "attempt number",
    "attempt count",
    "attempt num",
    "attempt no",
    "attempt index",
    "attempts made",
    "attempt counter",
    "attempts count",
    "retry number",
    "retry count",
    "retry counter",
    "retry num",
    "retry no",
    "retry index",
    "retry attempt",
    "retries count",
    "try count",
    "try number",
    "tries",
    "delivery count",
    "redelivery count",
    "redelivery counter",
    "receive count",
];

const FLAGS: [&str; 4] = ["redelivered", "is redelivery", "is redelivered", "is retry"];

/// Words that make a number of attempts a setting, or a number that people count.
const SETTINGS: [&str; 13] = [
    "max",
    "maximum",
    "min",
    "limit",
    "allowed",
    "policy",
    "login",
    "password",
    "quiz",
    "exam",
    "num",
    "remaining",
    "total",
];

/// More than any retry counter reaches.
const MOST: f64 = 100_000.0;

pub(super) fn is_counter(words: &Words, value: &Json) -> bool {
    match value {
        Json::Bool(_) => words.end_with_any(&FLAGS),
        Json::Number(number) => is_name(words) && (0.0..MOST).contains(&number.as_f64()),
        Json::String(text) => is_name(words) && is_short_number(text),
        _ => false,
    }
}

fn is_name(words: &Words) -> bool {
    words.end_with_any(&COUNTERS) || COUNTED.contains(&words.last()) && !words.hold_any(&SETTINGS)
}

pub(super) fn is_short_number(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}
