//! Which words is a name made of?

/// A name longer than this many bytes is no name that anybody gave a member by hand.
const LONGEST: usize = 100;

/// Holds the lower-case words of a name, whichever way they are joined: camel, Pascal, snake, kebab, dots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    text: String,
    several: bool,
}

impl Words {
    pub(crate) fn of(name: &str) -> Self {
        if name.len() > LONGEST {
            return Self::default();
        }
        let mut words = Self { text: String::with_capacity(name.len() + 4), several: false };
        let bytes = name.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            if is_separator(*byte) {
                words.end_word();
                continue;
            }
            let before = at.checked_sub(1).map(|before| bytes[before]);
            if begins_word(before, *byte, bytes.get(at + 1).copied()) {
                words.end_word();
            }
            // Only whether a name is one of known English words matters, so other letters need not survive.
            words.text.push(if byte.is_ascii() { byte.to_ascii_lowercase().into() } else { '?' });
        }
        words.text.truncate(words.text.trim_end().len());
        words.several = words.text.contains(' ');
        words
    }

    fn end_word(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    /// The words with one more behind them.
    pub(super) fn and(&self, word: &str) -> Self {
        Self { text: format!("{} {word}", self.text), several: true }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn last(&self) -> &str {
        self.text.rsplit(' ').next().unwrap_or_default()
    }

    pub(crate) fn is(&self, phrase: &str) -> bool {
        self.text == phrase || self.is_run_together(phrase)
    }

    /// Whether the name ends with the phrase; a name that is written as one word, `messageid`, has to be all of it.
    pub(crate) fn end(&self, phrase: &str) -> bool {
        // Nearly every name is told apart by its last letter alone, and there may be a million of them.
        if self.text.as_bytes().last() != phrase.as_bytes().last() {
            return false;
        }
        let rest = self.text.strip_suffix(phrase);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')) || self.is_run_together(phrase)
    }

    pub(crate) fn end_with_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.end(phrase))
    }

    pub(crate) fn hold_any(&self, words: &[&str]) -> bool {
        self.text.split(' ').any(|word| words.contains(&word))
    }

    fn is_run_together(&self, phrase: &str) -> bool {
        !self.several && phrase.contains(' ') && phrase.bytes().filter(|b| *b != b' ').eq(self.text.bytes())
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b' ' | b':' | b'/' | b'$' | b'@' | b'[' | b']')
}

/// `sentAt` has a new word at `A`, `HTTPRequestId` at `R` and `I`.
fn begins_word(before: Option<u8>, byte: u8, after: Option<u8>) -> bool {
    let Some(before) = before else { return false };
    let rises = !before.is_ascii_uppercase() && byte.is_ascii_uppercase();
    let ends_run = before.is_ascii_uppercase()
        && byte.is_ascii_uppercase()
        && after.is_some_and(|after| after.is_ascii_lowercase());
    rises || ends_run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_join_words_gives_the_same_words() {
        for name in
            ["messageId", "MessageId", "message_id", "Message-ID", "message.id", "MESSAGE_ID", "messageID"]
        {
            assert_eq!(Words::of(name).text(), "message id", "{name}");
        }
        assert_eq!(Words::of("X-GitHub-Delivery").text(), "x git hub delivery");
        assert_eq!(Words::of("HTTPRequestId").text(), "http request id");
        assert_eq!(Words::of("__ts__").text(), "ts");
        assert_eq!(Words::of("größe").last(), "gr????e");
        assert_eq!(Words::of(&"a".repeat(101)).text(), "");
    }

    #[test]
    fn a_phrase_ends_a_name_only_at_a_word() {
        assert!(Words::of("sqs_message_id").end("message id") && Words::of("messageid").end("message id"));
        assert!(!Words::of("format").end("at") && !Words::of("notamessageid").end("message id"));
    }
}
