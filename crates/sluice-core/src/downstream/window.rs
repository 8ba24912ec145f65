//! For how much longer does the target surely recognise a key?

use super::profile::Profile;
use crate::lease::QUIET_BASE;
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

/// What must be true of a key's age, for an execution that nobody knows of to be repeated under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAge {
    /// When it was first used, at the earliest.
    pub first_used: LedgerTime,
    /// How long ago that may be at most.
    pub at_most: Duration,
}

impl KeyAge {
    /// Whether it is young enough. A key from the future is not: how old it is cannot be said.
    ///
    /// ```
    /// use sluice_core::downstream::KeyAge;
    /// use sluice_core::record::LedgerTime;
    /// let age = KeyAge { first_used: LedgerTime(1_000), at_most: std::time::Duration::from_secs(2) };
    /// assert!(age.allows(LedgerTime(3_000)));
    /// assert!(!age.allows(LedgerTime(3_001)) && !age.allows(LedgerTime(999)));
    /// ```
    pub fn allows(self, now: LedgerTime) -> bool {
        u64::try_from(i128::from(now.0) - i128::from(self.first_used.0))
            .is_ok_and(|age| Duration::from_millis(age) <= self.at_most)
    }
}

/// How old a key may be for another whole attempt to end while the target surely recognises it; `None` where the target is
/// not known to remember keys at all, or not for so long. An attempt without a bound is given [`QUIET_BASE`].
///
/// ```
/// use sluice_core::downstream::{Profile, oldest_key};
/// use std::time::Duration;
/// let stripe = Profile::known("stripe").unwrap();
/// assert_eq!(oldest_key(&stripe, None), Some(Duration::from_mins(1296 - 1)));
/// assert_eq!(oldest_key(&stripe, Some(Duration::from_hours(24))), None);
/// assert_eq!(oldest_key(&Profile::known("square").unwrap(), None), None);
/// ```
pub fn oldest_key(profile: &Profile, attempt_timeout: Option<Duration>) -> Option<Duration> {
    let remembers = profile.remembers?;
    let relied_on = remembers.saturating_sub(margin(remembers));
    relied_on.checked_sub(attempt_timeout.unwrap_or(QUIET_BASE))
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
