//! Which numbers are there?

use super::error::{InputError, InputErrorKind};

/// The largest integer up to which a double tells every integer from its neighbours.
pub(super) const MAX_SAFE: u64 = (1 << 53) - 1;

/// Holds a finite double; −0 is 0, so that equal numbers have one text.
///
/// ```
/// use sluice_core::key::Number;
///
/// assert_eq!(Number::new(-0.0)?, Number::from(0));
/// assert_eq!(Number::new(2.5)?.as_f64(), 2.5);
/// assert!(Number::new(f64::NAN).is_err());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(f64);

// A finite double is equal to itself, which is all that `Eq` asks.
impl Eq for Number {}

impl Number {
    /// Takes a finite double.
    ///
    /// # Errors
    /// [`InputErrorKind::NotFinite`] for NaN and the infinities.
    pub fn new(value: f64) -> Result<Self, InputError> {
        if value.is_finite() { Ok(Self::finite(value)) } else { Err(not_finite()) }
    }

    /// Returns the number as a double.
    pub fn as_f64(self) -> f64 {
        self.0
    }

    /// Returns the number as an integer, if it is one within ±(2^53−1).
    ///
    /// ```
    /// use sluice_core::key::Number;
    ///
    /// assert_eq!(Number::from(-7).as_i64(), Some(-7));
    /// assert_eq!(Number::new(0.5)?.as_i64(), None);
    /// assert_eq!(Number::new(1e16)?.as_i64(), None);
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    pub fn as_i64(self) -> Option<i64> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the cast saturates, and both conditions catch it"
        )]
        let integer = self.0 as i64;
        #[expect(clippy::cast_precision_loss, reason = "compared only to find out whether anything was lost")]
        let exact = integer as f64;
        // Compared as bits: every double here is finite and −0 was made 0.
        (exact.to_bits() == self.0.to_bits() && integer.unsigned_abs() <= MAX_SAFE).then_some(integer)
    }

    /// Takes an integer with its sign apart, if a double tells it from its neighbours.
    pub(super) fn from_parts(negative: bool, magnitude: u64) -> Result<Self, InputError> {
        if magnitude > MAX_SAFE {
            return Err(integer_out_of_range());
        }
        #[expect(clippy::cast_precision_loss, reason = "integers up to 2^53-1 are exact doubles")]
        let value = magnitude as f64;
        Ok(Self::finite(if negative { -value } else { value }))
    }

    /// The caller has made sure that the value is finite. Adding 0 turns −0 into 0 and changes nothing else.
    pub(super) fn finite(value: f64) -> Self {
        Self(value + 0.0)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self(f64::from(value))
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

pub(super) fn not_finite() -> InputError {
    InputError::new(InputErrorKind::NotFinite, "", "leave it out, or write null or a string")
}

pub(super) fn integer_out_of_range() -> InputError {
    InputError::new(InputErrorKind::IntegerOutOfRange, "", "write it as a string")
}
