//! Mistakes in retention, ledger time and the delivery counter.

use super::{BrokenStore, Fault};
use crate::block_on;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::RecordId;
use sluice_core::ports::BoxFuture;
use sluice_core::record::{LedgerTime, Record};
use sluice_core::retention::later;
use sluice_core::state::Status;
use sluice_core::store::{Condition, Query, StoreError, Swept, Upkeep};
use sluice_core::trail::LedgerEvent;
use std::future::ready;
use std::time::Duration;

impl BrokenStore {
    fn do_sweep(&self, limit: usize) -> Result<Swept, StoreError> {
        let time = block_on(self.inner.condition())?.time;
        let mut swept = match self.fault {
            Fault::NeverSweeps => Swept::default(),
            Fault::SweepsAll => block_on(self.inner.sweep(usize::MAX))?,
            Fault::SweepsLatestFirst => {
                let all = block_on(self.inner.list(Query { limit: 1000, ..Query::default() }))?.items;
                self.forget(all.iter().take(limit).map(|item| item.record.id.clone()));
                Swept { records: limit.min(all.len()), more: all.len() > limit, ..Swept::default() }
            }
            _ => block_on(self.inner.sweep(limit))?,
        };
        if self.fault == Fault::SaysNoMore {
            swept.more = false;
        }
        let wrongly = self.wrongly_swept(time, swept)?;
        self.forget(wrongly.into_iter());
        if self.fault == Fault::SweepIsChange {
            self.bump_all()?;
        }
        Ok(swept)
    }

    /// What such a store forgets although its time is not over.
    fn wrongly_swept(&self, now: LedgerTime, swept: Swept) -> Result<Vec<RecordId>, StoreError> {
        let wrong = |record: &Record| {
            let due = later(record.updated, record.body.terms.remember);
            let is_due = |at: LedgerTime| due <= at;
            match self.fault {
                Fault::SweepsRunning => record.body.status == Status::InFlight && is_due(now),
                Fault::SweepsDoubt => record.body.status == Status::Indeterminate && is_due(now),
                Fault::SweepsEarly => is_due(later(now, Duration::from_millis(1))),
                Fault::SweepsHalted => swept.is_halted,
                Fault::AcceptForgetsAges => is_due(now) && !swept.is_halted,
                Fault::ResultTakesRecord => {
                    later(record.updated, record.body.terms.keep_result) <= now
                        && record.body.status == Status::Succeeded
                }
                _ => false,
            }
        };
        let all = block_on(self.inner.list(Query { limit: 1000, ..Query::default() }))?.items;
        Ok(all.into_iter().map(|item| item.record).filter(wrong).map(|record| record.id).collect())
    }

    fn forget(&self, ids: impl Iterator<Item = RecordId>) {
        self.notes().swept.extend(ids);
    }

    fn do_deliveries(&self, id: &RecordId) -> Result<Option<Deliveries>, StoreError> {
        let found = block_on(self.inner.deliveries(id))?;
        Ok(match self.fault {
            Fault::CountsNothing => None,
            Fault::CountsLast => found.map(|found| Deliveries { count: found.count.min(2), ..found }),
            Fault::KeepsFewDeliveries => found.map(|mut found| {
                found.recent.truncate(3);
                found
            }),
            Fault::CountsStrangers => found.or_else(|| {
                let tally = self.notes().counted.get(id).cloned()?;
                Some(Deliveries::after(None, tally, LedgerTime(0)))
            }),
            _ => found,
        })
    }
}

impl Upkeep for BrokenStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        Box::pin(ready(self.do_sweep(limit)))
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        let condition = block_on(self.inner.condition());
        Box::pin(ready(condition.map(|condition| match self.fault {
            Fault::TellsTheWall => Condition { time: condition.wall, ..condition },
            Fault::HidesHalt => Condition { is_halted: false, ..condition },
            _ => condition,
        })))
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        if self.fault == Fault::NeverAccepts {
            return Box::pin(ready(block_on(self.inner.condition())));
        }
        Box::pin(ready(block_on(self.inner.accept_clock(by, reason))))
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        for (id, tally) in &tallies {
            if self.fault == Fault::CountIsChange {
                self.bump(id);
            }
            self.notes().counted.insert(id.clone(), tally.clone());
        }
        Box::pin(ready(block_on(self.inner.count_deliveries(tallies))))
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        Box::pin(ready(self.do_circuit(name, change)))
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        Box::pin(ready(self.do_circuits(after, limit)))
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        Box::pin(ready(self.do_deliveries(id)))
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        let mut events = block_on(self.inner.ledger_events(limit));
        if self.fault == Fault::SweepsSilently {
            events = Ok(Vec::new());
        }
        Box::pin(ready(events))
    }
}
