//! What time it is: the only place of this crate that reads a clock.
//!
//! Leases are judged by (boot id, boot-time clock): that clock never steps, runs while the host is suspended, and
//! is the same for every process of the host. Ledger time, for retention and for people, follows it from the wall
//! clock of the first write, so that a wall clock that steps changes nothing (RULINGS 17 and 18).

use rustix::time::{ClockId, clock_gettime};
use sluice_core::lease::LeaseView;
use sluice_core::record::LedgerTime;
use sluice_core::store::{StoreError, StoreErrorKind};
use sluice_core::timekeeper::Reading;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NS_PER_MS: i64 = 1_000_000;

/// The clocks of a host, so that tests can step them.
pub trait LedgerClock: Debug + Send + Sync + 'static {
    /// Which start of the host this is.
    fn boot_id(&self) -> Arc<str>;
    /// Nanoseconds since that start, suspend included; the same for every process of the host.
    fn boottime_ns(&self) -> i64;
    /// Milliseconds since 1970-01-01T00:00:00Z, as far as the host knows.
    fn wall_ms(&self) -> i64;
}

/// The clocks of this host.
///
/// ```
/// use sluice_sqlite::{LedgerClock, SystemClock};
/// let clock = SystemClock::new().unwrap();
/// assert_eq!(clock.boot_id().len(), 36);
/// let first = clock.boottime_ns();
/// assert!(clock.boottime_ns() >= first);
/// ```
#[derive(Clone, Debug)]
pub struct SystemClock {
    boot_id: Arc<str>,
    offset_ns: i64,
}

impl SystemClock {
    /// Reads the boot id and the offset of this process's time namespace.
    ///
    /// # Errors
    /// [`StoreErrorKind::Unsuitable`] where the host names no boot: a lease could not be judged.
    pub fn new() -> Result<Self, StoreError> {
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map_err(|error| {
            let sentence = "this host does not say which boot it is in, so no lease can be judged";
            StoreError::new(StoreErrorKind::Unsuitable, sentence).with_source(error)
        })?;
        // A host without time namespaces has no such file, and no offset.
        let offsets = std::fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default();
        Ok(Self { boot_id: boot_id.trim().into(), offset_ns: boottime_offset_ns(&offsets) })
    }
}

impl LedgerClock for SystemClock {
    fn boot_id(&self) -> Arc<str> {
        Arc::clone(&self.boot_id)
    }

    fn boottime_ns(&self) -> i64 {
        let now = clock_gettime(ClockId::Boottime);
        nanoseconds(now.tv_sec, now.tv_nsec).saturating_sub(self.offset_ns)
    }

    fn wall_ms(&self) -> i64 {
        let now = clock_gettime(ClockId::Realtime);
        nanoseconds(now.tv_sec, now.tv_nsec) / NS_PER_MS
    }
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

/// A process in a time namespace sees a shifted boot-time clock; others on the host do not.
fn boottime_offset_ns(offsets: &str) -> i64 {
    let offset = offsets.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("boottime")).then_some(())?;
        Some(nanoseconds(words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    });
    offset.unwrap_or(0)
}

/// A moment as leases see it.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    boot: Arc<str>,
    boottime_ns: i64,
}

impl Moment {
    pub(crate) fn of(clock: &dyn LedgerClock) -> Self {
        Self { boot: clock.boot_id(), boottime_ns: clock.boottime_ns() }
    }

    /// The same moment as ledger time sees it.
    pub(crate) fn reading(&self, clock: &dyn LedgerClock) -> Reading {
        Reading {
            boot: Arc::clone(&self.boot),
            boottime_ns: self.boottime_ns,
            wall: LedgerTime(clock.wall_ms()),
        }
    }
}

/// The end of a lease as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct LeaseEnd {
    pub(crate) boot: Arc<str>,
    pub(crate) until_ns: i64,
}

impl LeaseEnd {
    pub(crate) fn after(now: &Moment, lease: Duration) -> Self {
        let lease_ns = i64::try_from(lease.as_nanos()).unwrap_or(i64::MAX);
        Self { boot: Arc::clone(&now.boot), until_ns: now.boottime_ns.saturating_add(lease_ns) }
    }

    pub(crate) fn is_of_boot(&self, now: &Moment) -> bool {
        self.boot == now.boot
    }

    pub(crate) fn view(&self, now: &Moment) -> LeaseView {
        if !self.is_of_boot(now) {
            return LeaseView::EndedAtReboot;
        }
        let between = Duration::from_nanos(self.until_ns.abs_diff(now.boottime_ns));
        if self.until_ns > now.boottime_ns { LeaseView::Live(between) } else { LeaseView::Ended(between) }
    }
}

/// Patience with a file that others hold: tries again at short, slowly growing distances.
///
/// SQLite's own busy handler grows to 100 ms, and so can miss every gap that a busy neighbour leaves; this one
/// never sleeps longer than a few milliseconds. Time in which this process was stopped itself does not count.
pub(crate) struct Patience {
    left: Duration,
    pause: Duration,
}

impl Patience {
    const FIRST_PAUSE: Duration = Duration::from_micros(100);
    const LONGEST_PAUSE: Duration = Duration::from_millis(3);
    const COUNTED_AT_MOST: Duration = Duration::from_millis(100);

    pub(crate) fn new(timeout: Duration) -> Self {
        Self { left: timeout, pause: Self::FIRST_PAUSE }
    }

    /// Sleeps a little; false where nothing is left.
    pub(crate) fn wait(&mut self) -> bool {
        if self.left.is_zero() {
            return false;
        }
        let before = Instant::now();
        std::thread::sleep(self.pause.min(self.left));
        self.left = self.left.saturating_sub(before.elapsed().min(Self::COUNTED_AT_MOST));
        self.pause = (self.pause * 2).min(Self::LONGEST_PAUSE);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(boot: &str, ms: i64) -> Moment {
        Moment { boot: boot.into(), boottime_ns: ms * NS_PER_MS }
    }

    #[test]
    fn the_offset_of_a_time_namespace_is_read_and_its_absence_is_none() {
        let offsets = "monotonic           0         0\nboottime       86400       500\n";
        assert_eq!(boottime_offset_ns(offsets), 86_400_000_000_500);
        assert_eq!(boottime_offset_ns("boottime -1 0"), -1_000_000_000);
        assert_eq!(boottime_offset_ns(""), 0);
        assert_eq!(boottime_offset_ns("boottime"), 0);
    }

    #[test]
    fn a_lease_is_live_before_its_end_and_over_from_that_moment_on() {
        let end = LeaseEnd::after(&at("a", 100), Duration::from_millis(10));
        assert_eq!(end.view(&at("a", 100)), LeaseView::Live(Duration::from_millis(10)));
        assert_eq!(end.view(&at("a", 110)), LeaseView::Ended(Duration::ZERO));
        assert_eq!(end.view(&at("a", 115)), LeaseView::Ended(Duration::from_millis(5)));
        assert_eq!(end.view(&at("b", 1)), LeaseView::EndedAtReboot);
    }

    #[test]
    fn an_endless_lease_does_not_overflow() {
        let end = LeaseEnd::after(&at("a", 100), Duration::MAX);
        assert!(end.view(&at("a", 100)).is_live());
    }
}
