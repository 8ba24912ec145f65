//! Retention and the delivery counter of a memory store.

use super::rows::Rows;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::RecordId;
use sluice_core::record::LedgerTime;
use sluice_core::retention::{Age, Batch, Outlived, later, outlived, without_results};
use sluice_core::store::{Condition, Swept};
use sluice_core::timekeeper::Reading;
use sluice_core::trail::{EventDraft, EventKind, LedgerEvent};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

/// A circuit that nobody wrote for so long is as it was at its beginning: none is open for longer than an hour.
const CIRCUIT_IDLE: Duration = Duration::from_hours(7 * 24);

impl Rows {
    /// Writes a circuit, where the stored version is the expected one, and answers what is stored then.
    pub fn circuit(&mut self, name: String, change: Option<SharedChange>, reading: &Reading) -> Seen {
        self.tick(reading);
        let now = self.keeper.time;
        let stored = self.circuits.get(&name).map(|(shared, _)| shared.clone()).unwrap_or_default();
        match change.filter(|change| change.expected == stored.circuit.version) {
            Some(SharedChange { next, .. }) => {
                self.circuits.insert(name, (next.clone(), now));
                Seen { shared: next, applied: true, now }
            }
            None => Seen { shared: stored, applied: false, now },
        }
    }

    pub fn circuits(&self, after: Option<&str>, limit: usize) -> Vec<(String, Shared)> {
        let above = after.map_or(Bound::Unbounded, Bound::Excluded);
        let found = self.circuits.range::<str, _>((above, Bound::Unbounded)).take(limit);
        found.map(|(name, (shared, _))| (name.clone(), shared.clone())).collect()
    }

    fn forget_circuits(&mut self, limit: usize, now: LedgerTime) {
        let is_idle = |written: LedgerTime| later(written, CIRCUIT_IDLE) < now;
        let idle = self.circuits.iter().filter(|(_, (_, written))| is_idle(*written));
        let idle: Vec<_> = idle.take(limit).map(|(name, _)| name.clone()).collect();
        for name in idle {
            self.circuits.remove(&name);
        }
    }

    pub fn sweep(&mut self, limit: usize, reading: &Reading) -> Swept {
        self.tick(reading);
        let Some(age) = self.keeper.age() else { return Swept { is_halted: true, ..Swept::default() } };
        self.forget_circuits(limit, age.now);
        let mut batch = Batch::default();
        let mut looked = 0;
        // What is due by its index may be younger by the clock that was accepted since; it moves on in the index.
        while looked < limit
            && let Some((_, number)) = self.due.first().copied().filter(|(at, _)| *at <= age.now)
        {
            looked += 1;
            self.outlive(number, age, &mut batch);
        }
        let (results, records) = batch.counts();
        if let Some(draft) = batch.event() {
            self.ledger_events.push(LedgerEvent { at: age.now, draft });
        }
        Swept { results, records, more: looked == limit && limit > 0, is_halted: false }
    }

    fn outlive(&mut self, number: u64, age: Age, batch: &mut Batch) {
        let Some(row) = self.table.at_mut(number) else { return };
        match outlived(&row.record, age) {
            Outlived::Nothing(due) => self.file(number, due.next()),
            Outlived::Result => {
                batch.result(&row.record);
                without_results(&mut Arc::make_mut(&mut row.record).body);
                let due = match outlived(&row.record, age) {
                    Outlived::Nothing(due) => due.next(),
                    Outlived::Result | Outlived::Record => Some(age.now),
                };
                self.file(number, due);
            }
            Outlived::Record => {
                batch.record(&row.record);
                self.file(number, None);
                self.table.remove(number);
            }
        }
    }

    /// Keeps the index of what is due next.
    pub fn file(&mut self, number: u64, due: Option<LedgerTime>) {
        let Some(row) = self.table.at_mut(number) else { return };
        if let Some(old) = std::mem::replace(&mut row.due, due) {
            self.due.remove(&(old, number));
        }
        if let Some(due) = due {
            self.due.insert((due, number));
        }
    }

    pub fn condition(&mut self, reading: &Reading) -> Condition {
        self.tick(reading);
        Condition { time: self.time(), wall: reading.wall, is_halted: self.keeper.is_halted }
    }

    pub fn accept_clock(&mut self, by: String, reason: String, reading: &Reading) -> Condition {
        self.keeper = self.keeper.clone().accepted(reading);
        let draft = EventDraft::new(EventKind::ClockAccepted).by(by).because(reason);
        self.ledger_events.push(LedgerEvent { at: self.time(), draft });
        self.recount();
        self.condition(reading)
    }

    /// Gives every change that was stamped in the future a time to go that is its own.
    fn recount(&mut self) {
        let Some(age) = self.keeper.age() else { return };
        let ahead = self.table.newest_before(u64::MAX).filter(|(_, row)| row.record.updated > age.now);
        let due: Vec<_> = ahead.map(|(number, row)| (number, outlived(&row.record, age))).collect();
        for (number, outlived) in due {
            if let Outlived::Nothing(due) = outlived {
                self.file(number, due.next());
            }
        }
    }

    pub fn count_deliveries(&mut self, tallies: Vec<(RecordId, Tally)>, reading: &Reading) {
        self.tick(reading);
        for (id, tally) in tallies {
            let now = self.time();
            if let Some(row) = self.table.get_mut(&id) {
                row.deliveries = Some(Deliveries::after(row.deliveries.take(), tally, now));
            }
        }
    }

    pub fn deliveries(&self, id: &RecordId) -> Option<Deliveries> {
        self.table.get(id)?.deliveries.clone()
    }

    pub fn ledger_events(&self, limit: usize) -> Vec<LedgerEvent> {
        self.ledger_events.iter().rev().take(limit).cloned().collect()
    }
}
