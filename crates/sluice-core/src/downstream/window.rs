//! For how much longer does the target surely recognise a key?

use super::profile::Profile;
use crate::record::LedgerTime;
use std::time::Duration;

/// The part of a target's memory that is not relied on: a tenth, at least a minute. Its clock is not ours, and what is
/// on the wire now arrives later.
///
/// ```
/// use sluice_core::downstream::margin;
/// use std::time::Duration;
/// assert_eq!(margin(Duration::from_hours(24)), Duration::from_mins(144));
/// assert_eq!(margin(Duration::from_mins(5)), Duration::from_mins(1));
/// ```
pub fn margin(remembers: Duration) -> Duration {
    (remembers / 10).max(Duration::from_mins(1))
}

/// For how much longer the target surely recognises a key that a claim first used at that ledger time; `None` where it
/// is not known to remember keys at all.
///
/// It is counted from the first claim that used the key, which is never later than the first request, and less a
/// [`margin`]. Where ledger time has gone back to before that moment, how old the key is cannot be said, and nothing is
/// left.
///
/// ```
/// use sluice_core::downstream::{Profile, window_left};
/// use sluice_core::record::LedgerTime;
/// use std::time::Duration;
/// let stripe = Profile::known("stripe").unwrap();
/// let hour = |h: i64| LedgerTime(h * 60 * 60 * 1000);
/// assert_eq!(window_left(&stripe, hour(0), hour(1)), Some(Duration::from_mins(20 * 60 + 36)));
/// assert_eq!(window_left(&stripe, hour(0), hour(22)), Some(Duration::ZERO));
/// assert_eq!(window_left(&stripe, hour(1), hour(0)), Some(Duration::ZERO));
/// assert_eq!(window_left(&Profile::known("square").unwrap(), hour(0), hour(0)), None);
/// ```
pub fn window_left(profile: &Profile, first_used: LedgerTime, now: LedgerTime) -> Option<Duration> {
    let remembers = profile.remembers?;
    let age_ms = i128::from(now.0) - i128::from(first_used.0);
    let Ok(age_ms) = u64::try_from(age_ms) else { return Some(Duration::ZERO) };
    let relied_on = remembers.saturating_sub(margin(remembers));
    Some(relied_on.saturating_sub(Duration::from_millis(age_ms)))
}
