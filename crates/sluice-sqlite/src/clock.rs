//! What time it is: the only place of this crate that reads a clock.
//!
//! Leases are judged by (boot id, boot-time clock): that clock never steps, runs while the host is suspended, and
//! is the same for every process of the host. Ledger time, for retention and for people, follows it from the wall
//! clock of the first write, so that a wall clock that steps changes nothing (RULINGS 17 and 18).

use crate::classify::Trouble;
use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};
use sluice_core::lease::LeaseView;
use sluice_core::record::LedgerTime;
use sluice_core::store::{StoreError, StoreErrorKind};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NS_PER_MS: i64 = 1_000_000;
const HOUR_MS: i64 = 60 * 60 * 1000;
const THIRTY_DAYS_MS: i64 = 30 * 24 * HOUR_MS;

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

/// Ledger time as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticker {
    pub(crate) time: LedgerTime,
    boot: Arc<str>,
    boottime_ns: i64,
    halted: bool,
}

impl Ticker {
    /// The first time of a new ledger.
    pub(crate) fn begin(clock: &dyn LedgerClock) -> Self {
        let now = Moment::of(clock);
        Self {
            time: LedgerTime(clock.wall_ms()),
            boot: now.boot,
            boottime_ns: now.boottime_ns,
            halted: false,
        }
    }

    /// Reads what was stored last and moves it to now. The caller holds the write lock.
    pub(crate) fn advance(conn: &Connection, now: &Moment, wall_ms: i64) -> Result<Self, Trouble> {
        Ok(Self::load(conn)?.moved(now, wall_ms))
    }

    fn load(conn: &Connection) -> Result<Self, Trouble> {
        const SQL: &str =
            "SELECT last_time, last_boot, last_boottime_ns, retention_halted FROM meta WHERE one = 1";
        let stored = conn.prepare_cached(SQL)?.query_row([], |row| {
            Ok(Self {
                time: LedgerTime(row.get(0)?),
                boot: row.get(1)?,
                boottime_ns: row.get(2)?,
                halted: row.get(3)?,
            })
        })?;
        Ok(stored)
    }

    pub(crate) fn save(&self, conn: &Connection, next_record: i64) -> Result<(), Trouble> {
        const SQL: &str = "UPDATE meta SET last_time = ?1, last_boot = ?2, last_boottime_ns = ?3, \
                           retention_halted = ?4, next_record = ?5 WHERE one = 1";
        let values = (self.time.0, &self.boot, self.boottime_ns, self.halted, next_record);
        conn.prepare_cached(SQL)?.execute(values)?;
        Ok(())
    }

    fn moved(self, now: &Moment, wall_ms: i64) -> Self {
        if self.boot == now.boot { self.within_boot(now, wall_ms) } else { self.across_boots(now, wall_ms) }
    }

    /// The part of a millisecond that is left over stays for the next time; else a busy ledger would stand still.
    fn within_boot(self, now: &Moment, wall_ms: i64) -> Self {
        let elapsed_ms = now.boottime_ns.saturating_sub(self.boottime_ns).max(0) / NS_PER_MS;
        let time = self.time.0.saturating_add(elapsed_ms);
        Self {
            time: LedgerTime(time),
            boottime_ns: self.boottime_ns.saturating_add(elapsed_ms.saturating_mul(NS_PER_MS)),
            halted: self.halted || wall_ms.abs_diff(time) > HOUR_MS.unsigned_abs(),
            boot: self.boot,
        }
    }

    fn across_boots(self, now: &Moment, wall_ms: i64) -> Self {
        let ahead_ms = wall_ms.saturating_sub(self.time.0);
        Self {
            time: LedgerTime(self.time.0.max(wall_ms)),
            boot: Arc::clone(&now.boot),
            boottime_ns: now.boottime_ns,
            halted: self.halted || ahead_ms > THIRTY_DAYS_MS,
        }
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

    const DAY_MS: i64 = 24 * HOUR_MS;

    fn at(boot: &str, ms: i64) -> Moment {
        Moment { boot: boot.into(), boottime_ns: ms * NS_PER_MS }
    }

    fn ticker(time: i64) -> Ticker {
        Ticker { time: LedgerTime(time), boot: "a".into(), boottime_ns: 0, halted: false }
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
    fn within_a_boot_ledger_time_follows_the_boot_clock_whatever_the_wall_says() {
        for wall in [i64::MIN, 0, 1_000_250, i64::MAX] {
            assert_eq!(ticker(1_000_000).moved(&at("a", 250), wall).time, LedgerTime(1_000_250));
        }
    }

    #[test]
    fn a_wall_clock_that_disagrees_by_more_than_an_hour_halts_retention_for_good() {
        let fine = ticker(DAY_MS).moved(&at("a", 0), DAY_MS + HOUR_MS);
        assert!(!fine.halted);
        let halted = fine.moved(&at("a", 0), DAY_MS - HOUR_MS - 1);
        assert!(halted.halted);
        assert!(halted.moved(&at("a", 0), DAY_MS).halted);
    }

    #[test]
    fn after_another_boot_ledger_time_never_goes_back_and_a_leap_of_a_month_halts_retention() {
        let back = ticker(DAY_MS).moved(&at("b", 7), 0);
        assert_eq!((back.time, back.halted), (LedgerTime(DAY_MS), false));
        let on = ticker(DAY_MS).moved(&at("b", 7), 31 * DAY_MS);
        assert_eq!((on.time, on.halted), (LedgerTime(31 * DAY_MS), false));
        assert!(ticker(DAY_MS).moved(&at("b", 7), 31 * DAY_MS + 1).halted);
    }

    #[test]
    fn many_short_batches_lose_no_time_to_rounding() {
        let mut ticker = ticker(0);
        for step in 1..=1000 {
            let now = Moment { boot: "a".into(), boottime_ns: step * 400_000 };
            ticker = ticker.moved(&now, 0);
        }
        assert_eq!(ticker.time, LedgerTime(400));
    }

    #[test]
    fn a_boot_clock_that_seems_to_go_back_leaves_ledger_time_where_it_is() {
        let moved = Ticker { boottime_ns: 5_000_000, ..ticker(9) }.moved(&at("a", 1), 9);
        assert_eq!(moved.time, LedgerTime(9));
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
