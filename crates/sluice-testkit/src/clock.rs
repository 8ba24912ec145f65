//! A clock that only moves when told to, and chance that repeats itself.

use sluice_core::ports::{Chance, Clock};
use sluice_core::record::LedgerTime;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The clocks of one host. They stand still until a test moves them.
///
/// ```
/// use sluice_core::ports::Clock;
/// use sluice_testkit::clock::ManualClock;
/// use std::time::Duration;
/// let clock = ManualClock::default();
/// let before = (clock.elapsed(), clock.wall().0);
/// clock.advance(Duration::from_secs(2));
/// clock.step_wall(-500);
/// assert_eq!(clock.elapsed() - before.0, Duration::from_secs(2));
/// assert_eq!(clock.wall().0 - before.1, 1500);
/// ```
#[derive(Debug)]
pub struct ManualClock {
    hands: Mutex<Hands>,
}

#[derive(Clone, Copy, Debug)]
struct Hands {
    elapsed: Duration,
    wall_ns: i128,
    boot: u64,
    booted_at: Duration,
}

impl Default for ManualClock {
    fn default() -> Self {
        // A host that has been up for a while, in November 2023.
        let hands = Hands {
            elapsed: Duration::from_secs(1_000),
            wall_ns: 1_700_000_000_000_000_000,
            boot: 1,
            booted_at: Duration::ZERO,
        };
        Self { hands: Mutex::new(hands) }
    }
}

impl ManualClock {
    /// Lets time pass, on every clock of the host.
    pub fn advance(&self, by: Duration) {
        let mut hands = self.hands();
        hands.elapsed += by;
        hands.wall_ns += i128::try_from(by.as_nanos()).unwrap_or(i128::MAX);
    }

    /// Sets the clock on the wall forward or back by so many milliseconds; no time passes.
    pub fn step_wall(&self, ms: i64) {
        self.hands().wall_ns += i128::from(ms) * 1_000_000;
    }

    /// Starts the host anew: another boot, whose boot-time clock begins near zero.
    pub fn reboot(&self) {
        let mut hands = self.hands();
        hands.boot += 1;
        hands.booted_at = hands.elapsed;
        hands.elapsed += Duration::from_millis(5);
    }

    /// Which start of the host this is; the first is 1.
    pub fn boot(&self) -> u64 {
        self.hands().boot
    }

    /// Time since that start.
    pub fn since_boot(&self) -> Duration {
        let hands = self.hands();
        hands.elapsed.saturating_sub(hands.booted_at)
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn elapsed(&self) -> Duration {
        self.hands().elapsed
    }

    fn wall(&self) -> LedgerTime {
        LedgerTime(i64::try_from(self.hands().wall_ns / 1_000_000).unwrap_or(i64::MAX))
    }
}

/// Chance that counts, so that the same test draws the same bits every time.
#[derive(Debug, Default)]
pub struct CountedChance(AtomicU64);

impl Chance for CountedChance {
    fn bits(&self) -> [u8; 16] {
        let drawn = self.0.fetch_add(1, Ordering::Relaxed);
        u128::from(drawn).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes()
    }
}
