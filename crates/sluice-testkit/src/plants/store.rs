//! A store with one planted line in front of it.

use super::How;
use crate::block_on;
use crate::broken::BrokenStore;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::change::{Change, LeaseSet};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::ports::BoxFuture;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::store::{
    Condition, Ledger, Page, Query, Renewed, Store, StoreError, Swept, Upkeep, Written,
};
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

/// Forwards to a good store, past the planted line.
#[derive(Debug)]
pub struct PlantedStore {
    inner: Arc<dyn Store>,
    how: How,
}

impl PlantedStore {
    /// Plants it.
    pub fn over(inner: Arc<dyn Store>, how: How) -> Arc<dyn Store> {
        match how {
            How::Store(fault) => Arc::new(BrokenStore::over(inner, fault)),
            _ => Arc::new(Self { inner, how }),
        }
    }

    fn seen(&self, mut found: Snapshot) -> Snapshot {
        if let How::Sees(spoil) | How::SeesAndAsks(spoil, _) = self.how {
            spoil(&mut found);
        }
        found
    }

    fn do_apply(&self, id: &RecordId, mut change: Change) -> Result<Written, StoreError> {
        let found = block_on(self.inner.read(id))?;
        match self.how {
            How::Asks(spoil) | How::SeesAndAsks(_, spoil) => spoil(&mut change, found.as_ref()),
            How::Pretends(which) if which(&change) => return Ok(pretended(id, change, found.as_ref())),
            _ => {}
        }
        let written = block_on(self.inner.apply(id.clone(), change))?;
        Ok(match written {
            Written::Applied(now) => Written::Applied(Box::new(self.seen(*now))),
            Written::Found { snapshot, unmet } => {
                Written::Found { snapshot: snapshot.map(|found| Box::new(self.seen(*found))), unmet }
            }
        })
    }
}

/// What a store would have answered that had written it.
fn pretended(id: &RecordId, change: Change, found: Option<&Snapshot>) -> Written {
    let before = found.map(|found| &found.record);
    let record = Record {
        id: id.clone(),
        version: before.map_or(Version::FIRST, |record| record.version.next()),
        incarnation: 1,
        created: before.map_or(LedgerTime(0), |record| record.created),
        updated: before.map_or(LedgerTime(0), |record| record.updated),
        body: change.set,
    };
    let lease = match change.lease {
        LeaseSet::Grant(lease) => LeaseView::Live(lease),
        LeaseSet::Keep | LeaseSet::Settle => found.map_or(LeaseView::EndedAtReboot, |found| found.lease),
    };
    Written::Applied(Box::new(Snapshot { record, lease }))
}

impl Upkeep for PlantedStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        self.inner.sweep(limit)
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.inner.condition()
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.inner.accept_clock(by, reason)
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.count_deliveries(tallies)
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        let seen = block_on(self.inner.circuit(name, change)).map(|mut seen| {
            if let How::Circuits(spoil) = self.how {
                spoil(&mut seen.shared);
            }
            seen
        });
        Box::pin(ready(seen))
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        self.inner.circuits(after, limit)
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        self.inner.deliveries(id)
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        self.inner.ledger_events(limit)
    }
}

impl Store for PlantedStore {
    fn ledger(&self) -> &Ledger {
        self.inner.ledger()
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let looked = |mut found: Snapshot| {
            if let How::Looks(spoil) = self.how {
                spoil(&mut found);
            }
            self.seen(found)
        };
        let found = block_on(self.inner.read(id)).map(|found| found.map(looked));
        Box::pin(ready(found))
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        Box::pin(ready(self.do_apply(&id, change)))
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        self.inner.renew(id, claim, epoch, lease)
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.notice(id, event)
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        self.inner.events(id)
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        let page = block_on(self.inner.list(query));
        Box::pin(ready(page.map(|page| Page {
            items: page.items.into_iter().map(|found| self.seen(found)).collect(),
            next: page.next,
        })))
    }
}
