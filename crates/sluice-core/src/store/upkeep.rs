//! What keeps a ledger small, honest about time, and able to say who asked.

use super::StoreError;
use crate::breaker::{Seen, Shared, SharedChange};
use crate::deliveries::{Deliveries, Tally};
use crate::ids::RecordId;
use crate::ports::BoxFuture;
use crate::record::LedgerTime;
use crate::trail::LedgerEvent;

/// Retention, ledger time and the delivery counter of a ledger. Every [`Store`](super::Store) has them.
pub trait Upkeep {
    /// Takes away what has outlived its keeping time, the longest due first, in one transaction.
    ///
    /// At most `limit` results and records go. [`outlived`](crate::retention::outlived) judges each, on ledger time; a
    /// version never changes, and one event is written for all ([`Batch`](crate::retention::Batch)). Nothing goes while
    /// retention is halted.
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>>;

    /// What time it is in the ledger, and whether retention goes on.
    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>>;

    /// Takes the clock on the wall for right, in a person's name and for a reason
    /// ([`Timekeeper::accepted`](crate::timekeeper::Timekeeper::accepted)), and writes an event of the ledger.
    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>>;

    /// Adds noted deliveries to those of their records, outside of version, event and trail. Notes of a record that is
    /// not there are dropped. It need not be durable before other writes are.
    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The deliveries of one record that were counted.
    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>>;

    /// What is known of a circuit, after a conditional write of it where one is asked for: it is carried out only where the
    /// stored version is the expected one. Circuits are no part of records, versions, events or the trail, and the sweep
    /// forgets those that were not written for a week, at most its limit at once.
    ///
    /// The name has 1 to [`NAME_LIMIT`](crate::breaker::NAME_LIMIT) bytes.
    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>>;

    /// The circuits that are stored, in the order of their names' bytes and after that name where one is given, at most so
    /// many.
    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>>;

    /// The latest events of the ledger itself, newest first, at most so many.
    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>>;
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many results went, their records staying.
    pub results: usize,
    /// How many records went.
    pub records: usize,
    /// Whether the limit was reached, so that there may be more to do.
    pub more: bool,
    /// Whether retention is halted, so that nothing went.
    pub is_halted: bool,
}

/// What a ledger says of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Ledger time now.
    pub time: LedgerTime,
    /// What the clock on the wall says.
    pub wall: LedgerTime,
    /// Whether retention waits for a person to accept the clock.
    pub is_halted: bool,
}
