//! What is the one text of a value?
//!
//! RFC 8785: members in UTF-16 order, no white space, numbers as ECMAScript prints them, and only those
//! characters escaped that must be.

use serde::Serialize;

use super::error::InputError;
use super::json::Json;
use super::number::Number;
use super::{hex, order, ser};

/// Writes the canonical JSON (RFC 8785) of any plain data.
///
/// # Errors
/// `IntegerOutOfRange` beyond ±(2^53−1), `NotFinite` for NaN and infinities, `DuplicateName`, `TooDeep` beyond
/// 128 levels, `NotPlainData` for bytes and for maps whose keys are not strings, `Other` if a `Serialize`
/// implementation refuses. Embedded raw JSON text is parsed, with every error of [`canonical_json_text`].
///
/// ```
/// use std::collections::BTreeMap;
/// use sluice_core::key::canonical_json;
///
/// assert_eq!(canonical_json(&BTreeMap::from([("b", 1.0), ("a", 1e21)]))?, r#"{"a":1e+21,"b":1}"#);
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<String, InputError> {
    ser::to_json(value).map(|json| json.canonical())
}

/// Writes the canonical JSON (RFC 8785) of a JSON text.
///
/// # Errors
/// Those of [`Json::parse`].
///
/// ```
/// use sluice_core::key::canonical_json_text;
///
/// assert_eq!(canonical_json_text(br#" { "b" : 1.0, "a" : "\u0041" } "#)?, r#"{"a":"A","b":1}"#);
/// assert!(canonical_json_text(br#"{"a":1,"a":1}"#).is_err());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn canonical_json_text(text: &[u8]) -> Result<String, InputError> {
    Json::parse(text).map(|json| json.canonical())
}

impl Json {
    /// Returns the canonical text.
    ///
    /// Parsing it gives an equal value, except where a double from 2^53 to below 1e21 stands in it: its text is
    /// an integer that input may not hold.
    pub fn canonical(&self) -> String {
        let mut text = Text(String::with_capacity(256));
        text.value(self);
        text.0
    }

    /// Appends the canonical text, as UTF-8, to a buffer.
    ///
    /// ```
    /// use sluice_core::key::Json;
    ///
    /// let mut buffer = Vec::new();
    /// Json::from("a\u{7}").write_canonical(&mut buffer);
    /// assert_eq!(buffer, br#""a\u0007""#);
    /// ```
    pub fn write_canonical(&self, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(self.canonical().as_bytes());
    }
}

/// The canonical text of a list of texts that ends in a number.
pub(super) fn list<const N: usize>(texts: [&str; N], number: u32) -> String {
    let mut text = Text(String::with_capacity(128));
    text.0.push('[');
    for item in texts {
        text.string(item);
        text.0.push(',');
    }
    text.integer(number.into());
    text.0.push(']');
    text.0
}

struct Text(String);

impl Text {
    fn value(&mut self, value: &Json) {
        match value {
            Json::Null => self.0.push_str("null"),
            Json::Bool(true) => self.0.push_str("true"),
            Json::Bool(false) => self.0.push_str("false"),
            Json::Number(number) => self.number(*number),
            Json::String(text) => self.string(text),
            Json::Array(items) => self.array(items),
            Json::Object(members) => self.object(members),
        }
    }

    fn array(&mut self, items: &[Json]) {
        self.0.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            self.value(item);
        }
        self.0.push(']');
    }

    /// Members that somebody put together by hand and out of order still get their one text.
    fn object(&mut self, members: &[(String, Json)]) {
        if order::is_sorted(members) {
            return self.members(members.iter());
        }
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_by(|a, b| order::compare(&a.0, &b.0));
        self.members(sorted.into_iter());
    }

    fn members<'a>(&mut self, members: impl Iterator<Item = &'a (String, Json)>) {
        self.0.push('{');
        for (index, (name, value)) in members.enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            self.string(name);
            self.0.push(':');
            self.value(value);
        }
        self.0.push('}');
    }

    fn string(&mut self, text: &str) {
        self.0.push('"');
        let mut rest = text;
        while let Some(at) = rest.bytes().position(needs_escape) {
            self.0.push_str(&rest[..at]);
            self.escape(rest.as_bytes()[at]);
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        self.0.push('"');
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.0.push_str("\\\""),
            b'\\' => self.0.push_str("\\\\"),
            0x08 => self.0.push_str("\\b"),
            b'\t' => self.0.push_str("\\t"),
            b'\n' => self.0.push_str("\\n"),
            0x0c => self.0.push_str("\\f"),
            b'\r' => self.0.push_str("\\r"),
            _ => self.0.extend(["\\u00", &hex::lower(&[byte])]),
        }
    }

    /// Safe integers, the usual case, need no shortest-digits search.
    fn number(&mut self, number: Number) {
        match number.as_i64() {
            Some(integer) => self.integer(integer),
            None => self.0.push_str(ryu_js::Buffer::new().format_finite(number.as_f64())),
        }
    }

    fn integer(&mut self, integer: i64) {
        if integer < 0 {
            self.0.push('-');
        }
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = integer.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.0.extend(digits[start..].iter().map(|digit| char::from(*digit)));
    }
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}
