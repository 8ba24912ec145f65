//! Which value does a JSON text write?
//!
//! An own parser, because what a key is derived from must not depend on what a library does with duplicate
//! names, large integers or half of a surrogate pair: here each of them is an error. The limit of levels is
//! checked before the stack grows.

mod containers;
mod literal;
mod string;

use super::depth::MAX_LEVELS;
use super::error::{InputError, InputErrorKind};
use super::json::Json;

/// Says what happens to an integer literal that a double cannot tell from its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// It is refused: a key is derived from the value.
    Safe,
    /// It is let through: only the text is kept, and the text has all its digits.
    AnySize,
}

impl Json {
    /// Reads one JSON text (RFC 8259) strictly; white space around it is ignored.
    ///
    /// # Errors
    /// `NotUtf8`, `ByteOrderMark`, `NotJson`, `SecondText`, `DuplicateName` (after unescaping),
    /// `LoneSurrogate`, `IntegerOutOfRange` for an integer literal beyond ±(2^53−1), `NumberOutOfRange` for a
    /// number too large for a double (one too small is 0), `TooDeep` beyond 128 levels.
    ///
    /// ```
    /// use sluice_core::key::{InputErrorKind, Json};
    ///
    /// assert_eq!(Json::parse(b" null\n")?, Json::Null);
    /// let error = Json::parse(br#"{"amount":5,"\u0061mount":500}"#).unwrap_err();
    /// assert_eq!((error.kind(), error.path()), (InputErrorKind::DuplicateName, "/amount"));
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Self, InputError> {
        if text.starts_with(b"\xef\xbb\xbf") {
            let detail = "begin with the first character of the value";
            return Err(InputError::new(InputErrorKind::ByteOrderMark, "", detail).at_byte(0));
        }
        match std::str::from_utf8(text) {
            Ok(text) => embedded(text, 0, MAX_LEVELS, Integers::Safe),
            Err(error) => {
                let detail = "encode the text as UTF-8";
                Err(InputError::new(InputErrorKind::NotUtf8, "", detail).at_byte(error.valid_up_to()))
            }
        }
    }
}

/// Reads one text that stands `level` levels deep in a value that may have `limit` of them.
pub(super) fn embedded(
    text: &str,
    level: usize,
    limit: usize,
    integers: Integers,
) -> Result<Json, InputError> {
    let mut parser = Parser { text, at: 0, limit, integers };
    parser.skip_white_space();
    let value = parser.value(level)?;
    parser.skip_white_space();
    match parser.peek() {
        None => Ok(value),
        Some(byte) if begins_value(byte) => {
            Err(parser.error(InputErrorKind::SecondText, "send one text, or separate texts into calls"))
        }
        Some(_) => Err(parser.not_json("only white space may follow the value")),
    }
}

fn begins_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    limit: usize,
    integers: Integers,
}

impl Parser<'_> {
    /// Reads the value that begins here; `level` arrays and objects are open around it.
    fn value(&mut self, level: usize) -> Result<Json, InputError> {
        match self.peek() {
            Some(b'{') => self.object(level),
            Some(b'[') => self.array(level),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Number),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => {
                Err(self.not_json("write a value: an object, array, string, number, true, false or null"))
            }
            None => Err(self.not_json("the text ends where a value should stand")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over the byte if it stands here.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, kind: InputErrorKind, detail: &'static str) -> InputError {
        InputError::new(kind, "", detail).at_byte(self.at)
    }

    fn not_json(&self, detail: &'static str) -> InputError {
        self.error(InputErrorKind::NotJson, detail)
    }
}
