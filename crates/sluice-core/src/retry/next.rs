//! An attempt failed: is there another one, or why not?

use super::backoff::Backoff;
use crate::failure::FailureClass;
use crate::lease::QUIET_BASE;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The longest wait that an answer may ask for, unless told otherwise.
pub const RETRY_AFTER_CAP: Duration = Duration::from_mins(1);

/// How retries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// How often, and with which waits.
    pub backoff: Backoff,
    /// The longest wait an answer may ask for. Where it asks for more, there is no further attempt.
    #[serde(rename = "retry_after_cap_ms", with = "crate::duration")]
    pub retry_after_cap: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { backoff: Backoff::default(), retry_after_cap: RETRY_AFTER_CAP }
    }
}

/// What is known where an attempt has failed, at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them can be together"
)]
pub struct Failed {
    /// Which attempt of this claim it was, 1 being the first.
    pub attempt: u32,
    /// What is known of it. For an effect that declared marks, this is its class after its mark was looked at.
    pub class: FailureClass,
    /// How long its answer asked to wait.
    pub retry_after: Option<Duration>,
    /// Whether an earlier attempt of this claim, or another epoch of the record, may have taken hold.
    pub in_doubt: bool,
    /// Time left until the caller's deadline, where there is one.
    pub until_deadline: Option<Duration>,
    /// Whether the holder may still start something ([`crate::lease::HeldLease::may_send`]). How much is left does not
    /// matter, since a lease is renewed during the wait; the holder asks again before it sends.
    pub may_send: bool,
    /// The longest one attempt may take, if bounded.
    pub attempt_timeout: Option<Duration>,
    /// For how much longer the target surely recognises the key that was sent; `None` where it does not at all.
    pub window: Option<Duration>,
    /// Whether the circuit would let an attempt through.
    pub circuit_allows: bool,
    /// Whether the caller took the intent back.
    pub is_cancelled: bool,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Next {
    /// Another attempt, after that wait.
    Again {
        /// How long to wait first.
        after: Duration,
    },
    /// No further attempt under this claim.
    Stop(Stop),
}

/// Why there is no further attempt. What the record becomes is not decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It did not happen, and asking again would fail again.
    Definite,
    /// The attempt still runs; a second one beside it would be a second effect.
    StillRunning,
    /// The caller took the intent back.
    Cancelled,
    /// The right to execute ended.
    Lease,
    /// As many attempts were made as there may be.
    TriesOver,
    /// It may have happened, and the target does not recognise a key.
    NotHonoured,
    /// The deadline comes first.
    Deadline,
    /// The answer asked for a longer wait than is allowed, or than there is time for.
    RetryAfterTooLong {
        /// How long a wait it asked for.
        asked: Duration,
    },
    /// It may have happened, and the target could have forgotten the key by the end of another attempt.
    Window,
    /// The circuit is open.
    Circuit,
    /// No more retries are allowed at the moment.
    Budget,
}

/// Decides what follows a failed attempt.
///
/// The checks are made in the order of [`Stop`]. `token` is asked last, and only where everything else allows another
/// attempt, so that one that is refused for another reason costs no token ([`super::Budgets::take`]).
///
/// An attempt that may have taken hold is repeated only where the target recognises the key, and long enough for the
/// wait and the whole further attempt; so is anything that follows one. An answer's wait is added to the own back-off:
/// it is never cut short, and callers who were told the same do not come back in the same moment.
///
/// ```
/// use sluice_core::FailureClass;
/// use sluice_core::retry::{Failed, Next, Retry, Stop, next};
/// use std::time::Duration;
/// let failed = Failed {
///     attempt: 1,
///     class: FailureClass::Transient,
///     retry_after: Some(Duration::from_secs(2)),
///     in_doubt: false,
///     until_deadline: None,
///     may_send: true,
///     attempt_timeout: None,
///     window: None,
///     circuit_allows: true,
///     is_cancelled: false,
/// };
/// let again = next(&failed, &Retry::default(), 0.5, || true);
/// assert_eq!(again, Next::Again { after: Duration::from_millis(2100) });
/// let unknown = Failed { class: FailureClass::Unknown, ..failed };
/// assert_eq!(next(&unknown, &Retry::default(), 0.5, || true), Next::Stop(Stop::NotHonoured));
/// ```
pub fn next(failed: &Failed, retry: &Retry, sample: f64, token: impl FnOnce() -> bool) -> Next {
    let own = retry.backoff.delay(failed.attempt.saturating_sub(1), sample);
    let after = own.saturating_add(failed.retry_after.unwrap_or_default());
    match check(failed, retry, after, token) {
        Ok(()) => Next::Again { after },
        Err(stop) => Next::Stop(stop),
    }
}

fn check(failed: &Failed, retry: &Retry, after: Duration, token: impl FnOnce() -> bool) -> Result<(), Stop> {
    by_class(failed.class)?;
    by_holder(failed, &retry.backoff)?;
    let in_doubt = failed.in_doubt || failed.class.is_unknown();
    if in_doubt && failed.window.is_none() {
        return Err(Stop::NotHonoured);
    }
    by_time(failed, retry, after)?;
    if in_doubt {
        within_window(failed.window, after, failed.attempt_timeout)?;
    }
    if !failed.circuit_allows {
        return Err(Stop::Circuit);
    }
    if token() { Ok(()) } else { Err(Stop::Budget) }
}

/// Whether an attempt may be sent, after that wait, where an earlier one may have taken hold: only while the target
/// recognises the key, and surely to the attempt's end. An attempt without a bound is given
/// [`QUIET_BASE`]. To be asked before every such send, a reclaim's first one included.
///
/// # Errors
/// [`Stop::NotHonoured`] or [`Stop::Window`].
///
/// ```
/// use sluice_core::retry::{Stop, within_window};
/// use std::time::Duration;
/// let s = Duration::from_secs;
/// assert_eq!(within_window(Some(s(31)), s(1), Some(s(30))), Ok(()));
/// assert_eq!(within_window(Some(s(30)), s(1), Some(s(30))), Err(Stop::Window));
/// assert_eq!(within_window(None, s(0), None), Err(Stop::NotHonoured));
/// ```
pub fn within_window(
    window: Option<Duration>,
    after: Duration,
    attempt_timeout: Option<Duration>,
) -> Result<(), Stop> {
    let window = window.ok_or(Stop::NotHonoured)?;
    let needed = after.saturating_add(attempt_timeout.unwrap_or(QUIET_BASE));
    if needed <= window && !window.is_zero() { Ok(()) } else { Err(Stop::Window) }
}

fn by_class(class: FailureClass) -> Result<(), Stop> {
    match class {
        FailureClass::Permanent => Err(Stop::Definite),
        FailureClass::Overdue => Err(Stop::StillRunning),
        FailureClass::Transient
        | FailureClass::NotStarted
        | FailureClass::Unknown
        | FailureClass::Unclassified => Ok(()),
    }
}

fn by_holder(failed: &Failed, backoff: &Backoff) -> Result<(), Stop> {
    if failed.is_cancelled {
        Err(Stop::Cancelled)
    } else if !failed.may_send {
        Err(Stop::Lease)
    } else if backoff.is_last(failed.attempt) {
        Err(Stop::TriesOver)
    } else {
        Ok(())
    }
}

/// Something has to be left for the attempt itself, so that a wait that ends with the deadline is too long.
fn by_time(failed: &Failed, retry: &Retry, after: Duration) -> Result<(), Stop> {
    let left = failed.until_deadline.unwrap_or(Duration::MAX);
    match failed.retry_after {
        _ if left.is_zero() => Err(Stop::Deadline),
        Some(asked) if asked > retry.retry_after_cap || asked >= left => {
            Err(Stop::RetryAfterTooLong { asked })
        }
        _ if after >= left => Err(Stop::Deadline),
        _ => Ok(()),
    }
}

impl Stop {
    /// Whether it tells a person more than the failure and the number of attempts do.
    pub(crate) fn is_news(self, made: u32) -> bool {
        match self {
            Self::Definite | Self::StillRunning | Self::NotHonoured => false,
            Self::TriesOver | Self::Cancelled => made > 1,
            _ => true,
        }
    }

    /// The reason's frozen name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definite => "definite",
            Self::StillRunning => "still_running",
            Self::Cancelled => "cancelled",
            Self::Lease => "lease",
            Self::TriesOver => "tries_over",
            Self::NotHonoured => "not_honoured",
            Self::Window => "window",
            Self::Deadline => "deadline",
            Self::RetryAfterTooLong { .. } => "retry_after_too_long",
            Self::Circuit => "circuit",
            Self::Budget => "budget",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Definite => "asking again would fail again",
            Self::StillRunning => "the attempt still runs",
            Self::Cancelled => "no further one was wanted",
            Self::Lease => "the right to execute ended",
            Self::TriesOver => "no attempt of this delivery is left",
            Self::NotHonoured => "it may have happened, and the target recognises no key",
            Self::Window => "it may have happened, and the target may soon have forgotten the key",
            Self::Deadline => "the deadline comes before the next attempt",
            Self::RetryAfterTooLong { .. } => "the target asked for a longer wait than is allowed",
            Self::Circuit => "the target is in trouble",
            Self::Budget => "no more retries are allowed at the moment",
        })
    }
}
