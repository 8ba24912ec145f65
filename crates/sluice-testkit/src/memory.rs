//! The memory store as a subject, on a clock of its own.

use crate::clock::{CountedChance, ManualClock};
use crate::conformance::Subject;
use sluice::MemoryStore;
use sluice_core::ports::Clock;
use sluice_core::store::Store;
use std::sync::Arc;
use std::time::Duration;

/// As many records as any rule makes, and some more.
const ROOM: usize = 100_000;

/// A memory store and the clock that it reads.
#[derive(Debug)]
pub struct MemorySubject {
    clock: Arc<ManualClock>,
    seen: fn(Arc<ManualClock>) -> Arc<dyn Clock>,
    store: Arc<MemoryStore>,
}

impl Default for MemorySubject {
    fn default() -> Self {
        Self::seeing(|clock| clock)
    }
}

impl MemorySubject {
    /// A subject whose store sees the clock through `seen`, for stores that read the wrong one.
    pub fn seeing(seen: fn(Arc<ManualClock>) -> Arc<dyn Clock>) -> Self {
        let clock = Arc::new(ManualClock::default());
        let store = store(seen(Arc::clone(&clock)), ROOM);
        Self { clock, seen, store }
    }
}

fn store(clock: Arc<dyn Clock>, capacity: usize) -> Arc<MemoryStore> {
    Arc::new(MemoryStore::in_world(clock, &CountedChance::default(), capacity))
}

impl Subject for MemorySubject {
    fn store(&self) -> Arc<dyn Store> {
        Arc::<MemoryStore>::clone(&self.store)
    }

    fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    fn step_wall(&self, ms: i64) {
        self.clock.step_wall(ms);
    }

    fn capped(&self, records: usize) -> Option<Arc<dyn Store>> {
        Some(store((self.seen)(Arc::clone(&self.clock)), records))
    }
}
