//! The store for tests and examples: nothing survives the process.

mod list;
mod rows;
mod table;
mod upkeep;

use rows::{Applied, Rows, View};
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::change::Change;
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::key::{Secret, SecretId};
use sluice_core::ports::{BoxFuture, Chance, Clock};
use sluice_core::record::Snapshot;
use sluice_core::store::{
    Condition, Ledger, Page, Query, Renewed, Store, StoreError, Swept, Upkeep, Written,
};
use sluice_core::timekeeper::Reading;
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::fmt;
use std::future::ready;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many records a memory store takes unless told otherwise.
pub const DEFAULT_CAPACITY: usize = 1_000_000;

/// A ledger in memory. It refuses new keys when it is full; it never forgets one to make room, since a forgotten
/// key would run its effect again.
pub struct MemoryStore {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    rows: Mutex<Rows>,
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("records", &self.rows().len()).finish_non_exhaustive()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty ledger on the system's clock.
    pub fn new() -> Self {
        Self::with_capacity(DEFAULT_CAPACITY)
    }

    /// An empty ledger that takes at most so many records.
    pub fn with_capacity(capacity: usize) -> Self {
        let ports = crate::system::ports();
        Self::in_world(ports.clock, ports.chance.as_ref(), capacity)
    }

    /// An empty ledger on another clock and other chance, for tests.
    pub fn in_world(clock: Arc<dyn Clock>, chance: &dyn Chance, capacity: usize) -> Self {
        let secret = |id: &str| {
            let mut bytes = [0; 32];
            bytes[..16].copy_from_slice(&chance.bits());
            bytes[16..].copy_from_slice(&chance.bits());
            Secret { id: SecretId(id.to_owned()), bytes }
        };
        let ledger = Ledger {
            id: format!("{:032x}", u128::from_be_bytes(chance.bits())),
            incarnation: 1,
            fingerprint_secrets: vec![secret("f1")],
            downstream_secret: secret("d1"),
        };
        let rows = Rows::new(capacity, &ledger.downstream_secret, &reading(clock.as_ref()));
        let rows = Mutex::new(rows);
        Self { ledger, clock, rows }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Rows, &Reading) -> T) -> T {
        let mut rows = self.rows();
        work(&mut rows, &reading(self.clock.as_ref()))
    }

    // A panic under the lock cannot leave half a change: a row is replaced as a whole after everything is checked.
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A memory store lives in one boot.
fn reading(clock: &dyn Clock) -> Reading {
    let elapsed = clock.elapsed();
    Reading {
        boot: BOOT.clone(),
        boottime_ns: i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX),
        wall: clock.wall(),
    }
}

static BOOT: LazyLock<Arc<str>> = LazyLock::new(|| "memory".into());

impl Upkeep for MemoryStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        Box::pin(ready(Ok(self.with(|rows, reading| rows.sweep(limit, reading)))))
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        Box::pin(ready(Ok(self.with(Rows::condition))))
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        Box::pin(ready(Ok(self.with(|rows, reading| rows.accept_clock(by, reason, reading)))))
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.with(|rows, reading| rows.count_deliveries(tallies, reading));
        Box::pin(ready(Ok(())))
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        Box::pin(ready(Ok(self.with(|rows, reading| rows.circuit(name, change, reading)))))
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        let circuits = self.rows().circuits(after.as_deref(), limit);
        Box::pin(ready(Ok(circuits)))
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        let deliveries = self.rows().deliveries(id);
        Box::pin(ready(Ok(deliveries)))
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        let events = self.rows().ledger_events(limit);
        Box::pin(ready(Ok(events)))
    }
}

impl Store for MemoryStore {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let rows = self.rows();
        let found = rows.read(id, self.clock.elapsed());
        drop(rows);
        Box::pin(ready(Ok(found.map(View::snapshot))))
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        // The clock is read under the lock: a lease must not be judged by a time from before another's turn.
        let mut rows = self.rows();
        let (now, reading) = (self.clock.elapsed(), reading(self.clock.as_ref()));
        let applied = rows.apply(id, change, now, &reading, self.ledger.incarnation);
        drop(rows);
        Box::pin(ready(applied.map(Applied::written)))
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        let mut rows = self.rows();
        let renewed = rows.renew(&id, claim, epoch, lease, self.clock.elapsed());
        drop(rows);
        Box::pin(ready(Ok(renewed)))
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        self.with(|rows, reading| rows.notice(id, event, reading));
        Box::pin(ready(Ok(())))
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        let events = self.rows().events(id);
        Box::pin(ready(Ok(events)))
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        let page = self.rows().list(&query, self.clock.elapsed());
        Box::pin(ready(page))
    }
}
