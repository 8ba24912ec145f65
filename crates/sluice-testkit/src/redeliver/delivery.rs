//! What a handler gets, and how one delivery differs from another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One arrival of an event.
#[derive(Clone, Debug)]
pub struct Delivery<E> {
    /// The event, with the delivery's id, time and attempt written into it where the test said so.
    pub event: E,
    /// The id of this delivery, in the form of a UUID.
    pub id: String,
    /// When it was sent, as RFC 3339 writes it, in UTC.
    pub sent_at: String,
    /// The same in milliseconds since 1970.
    pub sent_at_ms: u64,
    /// Which attempt to deliver the event this is; the first is 1.
    pub attempt: u32,
    /// What the fake target tells that it was reached.
    pub effect: Effect,
}

impl<E> Delivery<E> {
    pub(super) fn new(event: E, stamp: Stamp) -> Self {
        let Stamp { id, sent_at, sent_at_ms, attempt } = stamp;
        Self { event, id, sent_at, sent_at_ms, attempt, effect: Effect::default() }
    }
}

/// What one delivery brings with it and another does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The id of the delivery, in the form of a UUID.
    pub id: String,
    /// When it was sent, as RFC 3339 writes it, in UTC.
    pub sent_at: String,
    /// The same in milliseconds since 1970.
    pub sent_at_ms: u64,
    /// Which attempt to deliver the event this is; the first is 1.
    pub attempt: u32,
}

/// 5 January 2026, 10:00 in UTC, in milliseconds since 1970.
const FIRST_SENT_MS: u64 = 1_767_607_200_000;
const MINUTE_MS: u64 = 60_000;

impl Stamp {
    /// A delivery whose id, time and attempt are those of different ordinals, from 1 on.
    pub(super) fn of(id: u32, minutes: u64, attempt: u32) -> Self {
        let sent_at_ms = FIRST_SENT_MS + minutes * MINUTE_MS;
        let id = format!("00000000-0000-4000-8000-{id:012}");
        Self { id, sent_at: rfc3339(sent_at_ms), sent_at_ms, attempt }
    }

    /// The number at the end of the id.
    pub(super) fn ordinal(&self) -> u64 {
        self.id.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }
}

/// Counts how often the effect took hold. Cheap to clone; clones share the count.
///
/// ```
/// let effect = sluice_testkit::redeliver::Effect::default();
/// effect.clone().landed();
/// assert_eq!(effect.landings(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Effect(Arc<AtomicUsize>);

impl Effect {
    /// Says that the effect takes hold now. The fake target calls it, where the real one would charge the card.
    pub fn landed(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how often it took hold for this delivery.
    pub fn landings(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn rfc3339(ms: u64) -> String {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600 % 24);
    let (year, month, day) = date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{:02}.{ms:03}Z", seconds % 60)
}

/// The date of a day since 1970. Years are taken to begin in March, so that a leap day is the last of its year.
fn date(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
        assert_eq!(rfc3339(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        assert_eq!(Stamp::of(1, 0, 1).sent_at, "2026-01-05T10:00:00.000Z");
        assert_eq!(Stamp::of(7, 14 * 60, 1).sent_at, "2026-01-06T00:00:00.000Z");
    }

    #[test]
    fn an_id_is_a_uuid_that_ends_with_its_ordinal() {
        assert_eq!(Stamp::of(12, 0, 1).id, "00000000-0000-4000-8000-000000000012");
        assert_eq!(Stamp::of(12, 0, 1).ordinal(), 12);
    }
}
