//! Words, times and quoting for people.

use sluice::core::ids::{Epoch, RecordId};
use sluice::core::record::LedgerTime;
use std::sync::OnceLock;
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

/// What to type once it is known what became of an intent: that it happened, or that it did not. Where several executions
/// are in doubt, each needs its own word.
pub fn verdicts(id: &RecordId, epochs: impl Iterator<Item = Epoch>) -> [String; 2] {
    let which = if epochs.count() > 1 { " --epoch N" } else { "" };
    let resolve = format!("sluice effects resolve {}{which}", in_words(id));
    [
        format!("{resolve} --landed [--result JSON] --reason WHY"),
        format!("{resolve} --did-not-land --reason WHY"),
    ]
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

/// Which ledger was named on the command line, for the commands that messages suggest.
static NAMED_STORE: OnceLock<String> = OnceLock::new();

/// Remembers the ledger that was named on the command line.
pub fn name_store(url: &str) {
    // The first one counts; a command names one.
    let _ = NAMED_STORE.set(url.to_owned());
}

/// A record as the arguments of the next command: its key, and namespace and ledger where they are not the default.
pub fn in_words(id: &RecordId) -> String {
    let mut words = shell_word(id.key.as_str());
    if id.namespace.as_str() != "default" {
        words = format!("{words} --namespace {}", shell_word(id.namespace.as_str()));
    }
    match NAMED_STORE.get() {
        Some(url) => format!("{words} --store {}", shell_word(url)),
        None => words,
    }
}

/// A text from elsewhere as it may be shown on a terminal: nothing in it moves the cursor, hides, or turns around what
/// stands beside it.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || hides { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
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
        assert_eq!(printable("a\u{202e}b\u{200b}c é"), "a\\u{202e}b\\u{200b}c é");
    }
}
