//! Retention, ledger time and the delivery counter, as the trait has them.

use crate::circuits;
use crate::deliveries;
use crate::events;
use crate::job::Job;
use crate::store::SqliteStore;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::RecordId;
use sluice_core::ports::BoxFuture;
use sluice_core::store::{Condition, StoreError, Swept, Upkeep};
use sluice_core::trail::LedgerEvent;
use std::future::ready;

impl Upkeep for SqliteStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        self.ask(|reply| Job::Sweep { limit, reply })
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.ask(|reply| Job::Condition { reply })
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.ask(|reply| Job::AcceptClock { by, reason, reply })
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.ask(|reply| Job::Count { tallies, reply })
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        self.ask(|reply| Job::Circuit { name, change: change.map(Box::new), reply })
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        Box::pin(ready(self.readers().read(|conn| circuits::list(conn, after.as_deref(), limit))))
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        Box::pin(ready(self.readers().read(|conn| deliveries::of(conn, id))))
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        Box::pin(ready(self.readers().read(|conn| events::latest_of_ledger(conn, limit))))
    }
}
