//! How long does an answer ask us to wait?

use super::date;
use crate::record::LedgerTime;
use std::time::Duration;

/// What a `Retry-After` header says (RFC 9110 §10.2.3): a number of whole seconds, or a date in any of the three forms
/// of HTTP.
///
/// Whatever else stands there says nothing: a wait is never negative, never a year that was meant as seconds, and
/// never an overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// So long from the moment of the answer. A number that no duration can hold is the longest one, and so longer than
    /// any cap.
    Wait(Duration),
    /// Until that moment.
    At(LedgerTime),
}

impl RetryAfter {
    /// Reads one value. White space around it does not count. `now` is what a date with a two-digit year is
    /// understood by (RFC 9110 §5.6.7).
    ///
    /// ```
    /// use sluice_core::record::LedgerTime;
    /// use sluice_core::retry::RetryAfter;
    /// use std::time::Duration;
    /// let now = LedgerTime(784_111_777_000 - 3000);
    /// let seconds = RetryAfter::parse(b" 2 ", now).unwrap();
    /// assert_eq!(seconds, RetryAfter::Wait(Duration::from_secs(2)));
    /// let date = RetryAfter::parse(b"Sun, 06 Nov 1994 08:49:37 GMT", now).unwrap();
    /// assert_eq!(date.wait(now), Duration::from_secs(3));
    /// assert_eq!(RetryAfter::parse(b"1.5", now), None);
    /// ```
    pub fn parse(value: &[u8], now: LedgerTime) -> Option<Self> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = value.iter().position(|byte| !is_space(byte))?;
        let end = value.iter().rposition(|byte| !is_space(byte))?;
        let value = &value[start..=end];
        if value.iter().all(u8::is_ascii_digit) {
            return Some(Self::Wait(seconds(value)));
        }
        date::parse(value, now).map(Self::At)
    }

    /// How long to wait from now; nothing where the moment has passed.
    pub fn wait(self, now: LedgerTime) -> Duration {
        match self {
            Self::Wait(wait) => wait,
            Self::At(at) => {
                let ahead = i128::from(at.0) - i128::from(now.0);
                Duration::from_millis(u64::try_from(ahead.max(0)).unwrap_or(u64::MAX))
            }
        }
    }

    /// How long an answer asks to wait, from all its `Retry-After` headers. Several that differ, or of which one cannot
    /// be read, say nothing.
    ///
    /// ```
    /// use sluice_core::record::LedgerTime;
    /// use sluice_core::retry::RetryAfter;
    /// let now = LedgerTime(0);
    /// assert_eq!(RetryAfter::of([&b"2"[..], b" 2"], now).unwrap().as_secs(), 2);
    /// assert_eq!(RetryAfter::of([&b"2"[..], b"3"], now), None);
    /// ```
    pub fn of<'a>(values: impl IntoIterator<Item = &'a [u8]>, now: LedgerTime) -> Option<Duration> {
        let mut waits = values.into_iter().map(|value| Self::parse(value, now).map(|asked| asked.wait(now)));
        let first = waits.next()??;
        waits.all(|wait| wait == Some(first)).then_some(first)
    }
}

fn seconds(digits: &[u8]) -> Duration {
    let number = digits.iter().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(10).and_then(|sum| sum.checked_add(u64::from(digit - b'0')))
    });
    number.map_or(Duration::MAX, Duration::from_secs)
}
