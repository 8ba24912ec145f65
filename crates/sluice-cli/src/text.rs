//! Words, times and quoting for people.

use sluice::core::record::LedgerTime;
use std::time::{Duration, SystemTime};

/// RFC 3339 in UTC with milliseconds.
pub fn rfc3339(time: LedgerTime) -> String {
    let offset = Duration::from_millis(time.0.unsigned_abs());
    let at = if time.0 >= 0 {
        SystemTime::UNIX_EPOCH.checked_add(offset)
    } else {
        SystemTime::UNIX_EPOCH.checked_sub(offset)
    };
    at.map_or_else(|| "?".to_owned(), |at| humantime::format_rfc3339_millis(at).to_string())
}

/// A duration to about a second, for sentences.
pub fn rough(duration: Duration) -> String {
    let whole = Duration::from_secs(duration.as_secs());
    if whole.is_zero() {
        "less than a second".to_owned()
    } else {
        humantime::format_duration(whole).to_string()
    }
}

/// Puts further lines under the first one, indented.
pub fn lines(said: &[String]) -> String {
    said.join("\n  ")
}

/// A word as a shell reads it back.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A text from elsewhere as it may be shown on a terminal: no control characters.
pub fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_control() { c.escape_default().collect::<String>() } else { c.to_string() }
                .chars()
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339_in_utc() {
        assert_eq!(rfc3339(LedgerTime(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(LedgerTime(1_796_000_000_123)), "2026-11-30T00:53:20.123Z");
    }

    #[test]
    fn a_word_that_a_shell_would_take_apart_is_quoted() {
        assert_eq!(shell_word("order-7"), "order-7");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word("--help"), "'--help'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
    }
}
