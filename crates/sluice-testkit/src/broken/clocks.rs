//! Clocks that no lease should be judged by.

use super::Fault;
use crate::clock::ManualClock;
use crate::memory::MemorySubject;
use sluice_core::ports::Clock;
use sluice_core::record::LedgerTime;
use std::sync::Arc;
use std::time::Duration;

/// The clock on the wall, taken for one that never steps.
#[derive(Debug)]
struct Wall(Arc<ManualClock>);

impl Clock for Wall {
    fn elapsed(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.wall().0).unwrap_or_default())
    }

    fn wall(&self) -> LedgerTime {
        self.0.wall()
    }
}

/// A clock that runs at so many tenths of its speed.
#[derive(Debug)]
struct Drifting(Arc<ManualClock>, u32);

impl Clock for Drifting {
    fn elapsed(&self) -> Duration {
        self.0.elapsed() * self.1 / 10
    }

    fn wall(&self) -> LedgerTime {
        self.0.wall()
    }
}

/// A memory store that reads the clock which the fault is about, or the right one.
pub(super) fn memory(fault: Fault) -> MemorySubject {
    match fault {
        Fault::WallClockLeases => MemorySubject::seeing(|clock| Arc::new(Wall(clock))),
        Fault::SlowLeases => MemorySubject::seeing(|clock| Arc::new(Drifting(clock, 9))),
        Fault::FastLeases => MemorySubject::seeing(|clock| Arc::new(Drifting(clock, 11))),
        _ => MemorySubject::default(),
    }
}
