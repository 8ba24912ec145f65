//! How are numbers and the three words read?

use super::{Integers, Parser};
use crate::key::error::{InputError, InputErrorKind};
use crate::key::json::Json;
use crate::key::number::{Number, integer_out_of_range};

impl Parser<'_> {
    pub(super) fn word(&mut self, word: &str, value: Json) -> Result<Json, InputError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.not_json("write true, false or null in full and in lower case"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Reads the number that begins here.
    pub(super) fn number(&mut self) -> Result<Number, InputError> {
        let start = self.at;
        let negative = self.take(b'-');
        let magnitude = self.integer_part()?;
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return self.integer(start, negative, magnitude);
        }
        self.fraction()?;
        self.exponent()?;
        self.double(start)
    }

    /// Reads the digits before any point; a magnitude too large for 64 bits stays at the largest.
    fn integer_part(&mut self) -> Result<u64, InputError> {
        let zero = self.peek() == Some(b'0');
        let first = self.at;
        let mut magnitude: u64 = 0;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            magnitude = magnitude.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
            self.at += 1;
        }
        match self.at - first {
            0 => Err(self.not_json("write at least one digit")),
            1 => Ok(magnitude),
            _ if zero => Err(self.not_json("write numbers without leading zeros")),
            _ => Ok(magnitude),
        }
    }

    fn fraction(&mut self) -> Result<(), InputError> {
        if self.take(b'.') { self.digits("write at least one digit after the point") } else { Ok(()) }
    }

    fn exponent(&mut self) -> Result<(), InputError> {
        if !self.take(b'e') && !self.take(b'E') {
            return Ok(());
        }
        if !self.take(b'+') {
            self.take(b'-');
        }
        self.digits("write at least one digit in the exponent")
    }

    fn digits(&mut self, detail: &'static str) -> Result<(), InputError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.not_json(detail));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn integer(&self, start: usize, negative: bool, magnitude: u64) -> Result<Number, InputError> {
        match Number::from_parts(negative, magnitude) {
            Ok(number) => Ok(number),
            Err(_) if self.integers == Integers::AnySize => self.double(start),
            Err(_) => Err(integer_out_of_range().at_byte(start)),
        }
    }

    /// The standard library reads to the nearest double, which some JSON libraries do not.
    fn double(&self, start: usize) -> Result<Number, InputError> {
        let literal = &self.text[start..self.at];
        match literal.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Number::finite(value)),
            _ => {
                let detail = "write it as a string";
                Err(InputError::new(InputErrorKind::NumberOutOfRange, "", detail).at_byte(start))
            }
        }
    }
}
