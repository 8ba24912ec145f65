//! How much time a holder has, and when another party may treat it as over.

use std::time::Duration;

/// Shortest lease that can be asked for. Below it the renewals would crowd out the work.
pub const SHORTEST: Duration = Duration::from_secs(1);
/// Longest lease that can be asked for. Whoever wants more wants none.
pub const LONGEST: Duration = Duration::from_hours(366 * 24);
/// Lease when nothing else is said.
pub const DEFAULT: Duration = Duration::from_secs(30);
/// A holder may still have something on the wire this long after its lease (attempt timeout aside).
pub const QUIET_BASE: Duration = Duration::from_mins(1);

/// What a store says of a lease, judged on its own clock at the moment it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseView {
    /// The lease runs for this much longer.
    Live(Duration),
    /// The lease ended this long ago on a clock that has run without a break since.
    Ended(Duration),
    /// The lease ended when the host that judges it was started anew; how long ago cannot be said.
    EndedAtReboot,
}

impl LeaseView {
    /// Whether the lease still runs.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Time left; zero once it ended.
    pub fn remaining(self) -> Duration {
        match self {
            Self::Live(left) => left,
            Self::Ended(_) | Self::EndedAtReboot => Duration::ZERO,
        }
    }

    /// How much longer to wait until the lease has been over for `quiet`; `None` where it is long enough.
    pub fn until_quiet(self, quiet: Duration) -> Option<Duration> {
        let left = match self {
            Self::Live(left) => left.saturating_add(quiet),
            Self::Ended(ago) => quiet.saturating_sub(ago),
            Self::EndedAtReboot => quiet,
        };
        (!left.is_zero()).then_some(left)
    }
}

/// How long after its lease a holder might still send something (`quiet_after`, DESIGN §3).
///
/// ```
/// use std::time::Duration;
/// use sluice_core::lease::quiet_after;
/// assert_eq!(quiet_after(None), Duration::from_secs(60));
/// assert_eq!(quiet_after(Some(Duration::from_secs(5))), Duration::from_secs(65));
/// ```
pub fn quiet_after(attempt_timeout: Option<Duration>) -> Duration {
    QUIET_BASE.saturating_add(attempt_timeout.unwrap_or_default())
}

/// The part of a lease a holder does not use, so that what it starts is over in time: a tenth, at least 250 ms.
pub fn margin(lease: Duration) -> Duration {
    (lease / 10).max(Duration::from_millis(250))
}

/// How often a holder renews: three times a lease.
pub fn renew_every(lease: Duration) -> Duration {
    lease / 3
}

/// A holder's own view of its lease, counted on its own clock from before it asked.
///
/// ```
/// use std::time::Duration;
/// use sluice_core::lease::HeldLease;
/// let s = Duration::from_secs;
/// let held = HeldLease::granted(s(100), s(30), s(30));
/// assert_eq!(held.may_send(s(100)), Some(s(27)));
/// assert_eq!(held.may_send(s(127)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLease {
    ends: Duration,
    margin: Duration,
}

impl HeldLease {
    /// Starts from the holder's clock *before* it asked and the time the store then said remained.
    pub fn granted(asked_at: Duration, remaining: Duration, lease: Duration) -> Self {
        Self { ends: asked_at.saturating_add(remaining), margin: margin(lease) }
    }

    /// Time left for something new, or `None` where nothing more may be started.
    pub fn may_send(self, now: Duration) -> Option<Duration> {
        let left = self.ends.saturating_sub(self.margin).saturating_sub(now);
        (!left.is_zero()).then_some(left)
    }

    /// Whether the lease is over on the holder's clock, margin included.
    pub fn is_over(self, now: Duration) -> bool {
        self.may_send(now).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_a_tenth_but_never_below_a_quarter_second() {
        assert_eq!(margin(Duration::from_secs(30)), Duration::from_secs(3));
        assert_eq!(margin(Duration::from_secs(1)), Duration::from_millis(250));
    }

    #[test]
    fn quiet_is_counted_from_the_end_of_the_lease() {
        let s = Duration::from_secs;
        assert_eq!(LeaseView::Live(s(5)).until_quiet(s(60)), Some(s(65)));
        assert_eq!(LeaseView::Ended(s(20)).until_quiet(s(60)), Some(s(40)));
        assert_eq!(LeaseView::Ended(s(60)).until_quiet(s(60)), None);
        assert_eq!(LeaseView::EndedAtReboot.until_quiet(s(60)), Some(s(60)));
    }

    #[test]
    fn a_late_answer_never_lengthens_a_lease() {
        let s = Duration::from_secs;
        let asked_early = HeldLease::granted(s(10), s(30), s(30));
        assert!(asked_early.is_over(s(37)));
        assert!(!asked_early.is_over(s(36)));
    }
}
