//! Ledger time: a clock on the wall that steps changes nothing (RULINGS 18).
//!
//! Within one boot, ledger time follows the clock that never steps. Across boots it goes on from the clock on the wall,
//! but never back. Where the two disagree so much that ages could be wrong, retention halts until a person has looked:
//! a record that is forgotten too early would let its effect run again.

use crate::record::LedgerTime;
use crate::retention::Age;
use std::sync::Arc;

const NS_PER_MS: i64 = 1_000_000;
const HOUR_MS: i64 = 60 * 60 * 1000;
const THIRTY_DAYS_MS: i64 = 30 * 24 * HOUR_MS;

/// What the clocks of a host say at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Which start of the host this is.
    pub boot: Arc<str>,
    /// Nanoseconds since that start, suspend included.
    pub boottime_ns: i64,
    /// What the clock on the wall says.
    pub wall: LedgerTime,
}

/// Ledger time as it was stored last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timekeeper {
    /// The time.
    pub time: LedgerTime,
    /// In which boot it was stored.
    pub boot: Arc<str>,
    /// When in that boot.
    pub boottime_ns: i64,
    /// Whether retention waits for a person.
    pub is_halted: bool,
    /// When a person last accepted a clock; no age counts from before.
    pub since: LedgerTime,
}

impl Timekeeper {
    /// The first time of a new ledger.
    pub fn begin(now: &Reading) -> Self {
        Self {
            time: now.wall,
            boot: Arc::clone(&now.boot),
            boottime_ns: now.boottime_ns,
            is_halted: false,
            since: LedgerTime(i64::MIN),
        }
    }

    /// Moves it to now.
    #[must_use]
    pub fn moved(self, now: &Reading) -> Self {
        if self.boot == now.boot { self.within_boot(now) } else { self.across_boots(now) }
    }

    /// A person says that the clock on the wall is right: ledger time goes on from it, also backwards, and every age
    /// counts anew.
    #[must_use]
    pub fn accepted(self, now: &Reading) -> Self {
        Self { since: now.wall, ..Self::begin(now) }
    }

    /// What ages are counted by; none while retention is halted.
    pub fn age(&self) -> Option<Age> {
        (!self.is_halted).then_some(Age { now: self.time, since: self.since })
    }

    /// The part of a millisecond that is left over stays for the next time; else a busy ledger would stand still.
    fn within_boot(self, now: &Reading) -> Self {
        let elapsed_ms = now.boottime_ns.saturating_sub(self.boottime_ns).max(0) / NS_PER_MS;
        let time = self.time.0.saturating_add(elapsed_ms);
        Self {
            time: LedgerTime(time),
            boottime_ns: self.boottime_ns.saturating_add(elapsed_ms.saturating_mul(NS_PER_MS)),
            is_halted: self.is_halted || now.wall.0.abs_diff(time) > HOUR_MS.unsigned_abs(),
            ..self
        }
    }

    fn across_boots(self, now: &Reading) -> Self {
        let ahead_ms = now.wall.0.saturating_sub(self.time.0);
        Self {
            time: self.time.max(now.wall),
            boot: Arc::clone(&now.boot),
            boottime_ns: now.boottime_ns,
            is_halted: self.is_halted || ahead_ms > THIRTY_DAYS_MS,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * HOUR_MS;

    fn at(boot: &str, ms: i64, wall: i64) -> Reading {
        Reading { boot: boot.into(), boottime_ns: ms * NS_PER_MS, wall: LedgerTime(wall) }
    }

    fn keeper(time: i64) -> Timekeeper {
        Timekeeper::begin(&at("a", 0, time))
    }

    #[test]
    fn within_a_boot_ledger_time_follows_the_boot_clock_whatever_the_wall_says() {
        for wall in [i64::MIN, 0, 1_000_250, i64::MAX] {
            assert_eq!(keeper(1_000_000).moved(&at("a", 250, wall)).time, LedgerTime(1_000_250));
        }
    }

    #[test]
    fn a_wall_clock_that_disagrees_by_more_than_an_hour_halts_retention_for_good() {
        let fine = keeper(DAY_MS).moved(&at("a", 0, DAY_MS + HOUR_MS));
        assert!(!fine.is_halted);
        let halted = fine.moved(&at("a", 0, DAY_MS - HOUR_MS - 1));
        assert!(halted.is_halted && halted.age().is_none());
        assert!(halted.moved(&at("a", 0, DAY_MS)).is_halted);
    }

    #[test]
    fn after_another_boot_ledger_time_never_goes_back_and_a_leap_of_a_month_halts_retention() {
        let back = keeper(DAY_MS).moved(&at("b", 7, 0));
        assert_eq!((back.time, back.is_halted), (LedgerTime(DAY_MS), false));
        let on = keeper(DAY_MS).moved(&at("b", 7, 31 * DAY_MS));
        assert_eq!((on.time, on.is_halted), (LedgerTime(31 * DAY_MS), false));
        assert!(keeper(DAY_MS).moved(&at("b", 7, 31 * DAY_MS + 1)).is_halted);
    }

    #[test]
    fn a_dead_battery_clock_leaves_ledger_time_behind_and_halts_retention_once_the_host_runs() {
        let dead = keeper(1000 * DAY_MS).moved(&at("b", 0, 0));
        assert_eq!(dead.time, LedgerTime(1000 * DAY_MS));
        assert!(dead.moved(&at("b", 1, 1)).is_halted);
    }

    #[test]
    fn an_accepted_clock_may_go_back_and_no_age_counts_from_before_it() {
        let ahead = keeper(5000 * DAY_MS).moved(&at("a", 0, DAY_MS));
        let accepted = ahead.accepted(&at("a", 0, DAY_MS));
        assert_eq!(accepted.age(), Some(Age { now: LedgerTime(DAY_MS), since: LedgerTime(DAY_MS) }));
    }

    #[test]
    fn many_short_batches_lose_no_time_to_rounding() {
        let mut keeper = keeper(0);
        for step in 1..=1000 {
            let now = Reading { boot: "a".into(), boottime_ns: step * 400_000, wall: LedgerTime(0) };
            keeper = keeper.moved(&now);
        }
        assert_eq!(keeper.time, LedgerTime(400));
    }

    #[test]
    fn a_boot_clock_that_seems_to_go_back_leaves_ledger_time_where_it_is() {
        let moved = Timekeeper { boottime_ns: 5_000_000, ..keeper(9) }.moved(&at("a", 1, 9));
        assert_eq!(moved.time, LedgerTime(9));
    }
}
