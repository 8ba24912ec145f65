//! How is a string read?

use super::Parser;
use crate::key::error::{InputError, InputErrorKind};

impl Parser<'_> {
    /// Reads the string whose opening quote stands here.
    pub(super) fn string(&mut self) -> Result<String, InputError> {
        self.at += 1;
        let mut text = self.plain_run().to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.not_json("write control characters in strings as escapes")),
                None => return Err(self.not_json("end the string with a double quote")),
            }
            text.push_str(self.plain_run());
        }
    }

    /// Steps over everything up to the next quote, backslash or control character, in one go.
    ///
    /// All three are ASCII, so both ends lie between characters.
    fn plain_run(&mut self) -> &str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\');
        self.at = start + length.unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn escape(&mut self) -> Result<char, InputError> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'u') => return self.unicode_escape(start),
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.not_json("after \\ write one of \" \\ / b f n r t u")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// Reads `uXXXX`, and the second half where it is the first half of a pair.
    fn unicode_escape(&mut self, start: usize) -> Result<char, InputError> {
        let first = self.code_unit()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let pair = self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u");
        if !pair || first >= 0xdc00 {
            return Err(lone_surrogate(start));
        }
        self.at += 1;
        let second = self.code_unit()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(lone_surrogate(start));
        }
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(scalar).ok_or_else(|| lone_surrogate(start))
    }

    /// Reads `u` and four hex digits.
    fn code_unit(&mut self) -> Result<u32, InputError> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.not_json("after \\u write four hex digits"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

fn lone_surrogate(start: usize) -> InputError {
    let detail = "write both halves of the pair, or the character itself";
    InputError::new(InputErrorKind::LoneSurrogate, "", detail).at_byte(start)
}
