//! Forwards every call to another store, unless something is planned for it.

use super::plan::Plan;
use super::{Call, Fault};
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::change::Change;
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::ports::BoxFuture;
use sluice_core::record::Snapshot;
use sluice_core::store::{
    Condition, Ledger, Page, Query, Renewed, Store, StoreError, StoreErrorKind, Swept, Upkeep, Written,
};
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A store around another one, with a plan of faults.
///
/// Keep one handle for the test and give another to what is tested. Without a plan it does what the inner store does.
#[derive(Debug)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    plan: Mutex<Plan>,
}

impl FaultyStore {
    /// A store that does what the inner one does, until something is planned.
    pub fn over(inner: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self { inner, plan: Mutex::default() })
    }

    /// Plans a fault for the `number`-th call of this kind, counted from 1 since the store was made. A later plan for
    /// the same call replaces it.
    pub fn plan(&self, call: Call, number: usize, fault: Fault) {
        self.lock().add(call, number, fault);
    }

    /// Plans a fault for the next call of this kind.
    pub fn plan_next(&self, call: Call, fault: Fault) {
        let mut plan = self.lock();
        let number = plan.count(call) + 1;
        plan.add(call, number, fault);
    }

    /// Lets the store be away, or be back. While it is away every call fails before anything is done, and a call
    /// that waits at a gate fails when it is let go; what was planned for a call that fails so is used up.
    pub fn set_away(&self, away: bool) {
        self.lock().away = away;
    }

    /// How many calls of this kind there were, those that failed among them.
    pub fn calls(&self, call: Call) -> usize {
        self.lock().count(call)
    }

    /// How many planned faults have not come up; a test that planned them may want to see none left.
    pub fn planned(&self) -> usize {
        self.lock().left()
    }

    /// The store inside, past every fault: for looking at what is really there.
    pub fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn here(&self) -> Result<(), StoreError> {
        if self.lock().away { Err(away()) } else { Ok(()) }
    }

    /// Counts the call when it is made, and not when somebody begins to wait for it.
    fn call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        work: impl Fn() -> BoxFuture<'a, Result<T, StoreError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        let fault = self.lock().next(call);
        Box::pin(async move {
            self.here()?;
            match fault {
                Some(Fault::Before) => Err(away()),
                Some(Fault::Lost) => Err(away().with_outcome_unknown()),
                Some(Fault::After) => {
                    work().await?;
                    Err(away().with_outcome_unknown())
                }
                Some(Fault::Twice) if matches!(call, Call::Apply | Call::Renew | Call::Notice) => {
                    work().await?;
                    work().await
                }
                None | Some(Fault::Twice) => work().await,
                Some(Fault::HoldBefore(gate)) => {
                    gate.pass().await;
                    self.here()?;
                    work().await
                }
                Some(Fault::HoldAfter(gate)) => {
                    let answer = work().await;
                    gate.pass().await;
                    answer
                }
            }
        })
    }
}

fn away() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "a test made this fail")
}

impl Upkeep for FaultyStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.sweep(limit))
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.condition())
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.accept_clock(by.clone(), reason.clone()))
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.call(Call::Upkeep, move || self.inner.count_deliveries(tallies.clone()))
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.circuit(name.clone(), change.clone()))
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.circuits(after.clone(), limit))
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.deliveries(id))
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        self.call(Call::Upkeep, move || self.inner.ledger_events(limit))
    }
}

impl Store for FaultyStore {
    fn ledger(&self) -> &Ledger {
        self.inner.ledger()
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        self.call(Call::Read, move || self.inner.read(id))
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        self.call(Call::Apply, move || self.inner.apply(id.clone(), change.clone()))
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        self.call(Call::Renew, move || self.inner.renew(id.clone(), claim, epoch, lease))
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        self.call(Call::Notice, move || self.inner.notice(id.clone(), event.clone()))
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        self.call(Call::Events, move || self.inner.events(id))
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        self.call(Call::List, move || self.inner.list(query.clone()))
    }
}
