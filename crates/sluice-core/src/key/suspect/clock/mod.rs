//! Is it a moment in time?
//!
//! A text that is written as date and time says so itself. A number says it only together with a name: seconds since
//! 1970 look like ids, and ids of large services look like nanoseconds. A date without a time of day is business data.

mod instant;
mod names;
mod written;

use super::words::Words;

/// Seconds since 1970 of the years 2001 to 2099.
const SECONDS: std::ops::Range<f64> = 1e9..4.1e9;

pub(super) fn is_number(words: &Words, number: f64) -> bool {
    let in_unit = |unit: f64| SECONDS.contains(&(number / unit));
    [1.0, 1e3, 1e6, 1e9].into_iter().any(in_unit) && names::tell_time(words)
}

pub(super) fn is_in(words: &Words, text: &str) -> bool {
    if names::are_planned(words) {
        return false;
    }
    let is_look = if text.contains(char::is_whitespace) {
        instant::is_all_of(text.trim()) || written::is_date_and_time(text.trim())
    } else {
        instant::is_inside(text)
    };
    is_look || text.len() <= 24 && is_named(words, text)
}

/// Digits, and dates without a time of day, under a name that tells the time.
fn is_named(words: &Words, text: &str) -> bool {
    if instant::is_date(text) {
        return names::tell_this_moment(words);
    }
    let is_digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && !is_message_name(text);
    let number = if is_digits { text.parse::<f64>().ok() } else { None };
    number.is_some_and(|number| is_number(words, number))
        || instant::is_run_of_digits(text) && names::tell_time(words)
}

/// Chat systems name a message by its time with six decimals, as in `1355517523.000005`; that name never changes.
fn is_message_name(text: &str) -> bool {
    text.split_once('.').is_some_and(|(seconds, fraction)| seconds.len() == 10 && fraction.len() == 6)
}

/// A clock among the parts of a hand-made key: milliseconds, or date and time as one run of digits.
///
/// Only where another part holds a digit too: alone, the long number is the id that the key is about.
pub(super) fn is_among(parts: &[&str]) -> bool {
    let numbered = parts.iter().filter(|part| part.bytes().any(|b| b.is_ascii_digit())).count();
    numbered > 1 && parts.iter().any(|part| is_milliseconds(part) || instant::is_run_of_digits(part))
}

/// The years 2015 to 2039, which shop systems have long left behind with their ids of thirteen digits.
fn is_milliseconds(part: &str) -> bool {
    let number = if part.len() == 13 { part.parse::<u64>().ok() } else { None };
    number.is_some_and(|number| (1_420_000_000_000..2_208_000_000_000).contains(&number))
}

pub(super) use instant::is_inside;
