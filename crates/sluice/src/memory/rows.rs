//! The rows of a memory store: plain maps, one lock around them.

use sluice_core::change::{Change, Facts, LeaseSet, renewal};
use sluice_core::deliveries::Deliveries;
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::retention::due;
use sluice_core::store::{Renewed, StoreError, StoreErrorKind, Written};
use sluice_core::timekeeper::{Reading, Timekeeper};
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Row {
    pub record: Record,
    lease_until: Duration,
    pub number: u64,
    superseded: Vec<(ClaimId, Epoch)>,
}

/// Everything a memory store holds.
#[derive(Debug)]
pub(super) struct Rows {
    capacity: usize,
    pub by_id: BTreeMap<RecordId, Row>,
    pub by_number: BTreeMap<u64, RecordId>,
    pub events: BTreeMap<RecordId, Vec<Event>>,
    pub due: BTreeSet<(LedgerTime, u64)>,
    pub due_of: BTreeMap<u64, LedgerTime>,
    pub deliveries: BTreeMap<RecordId, Deliveries>,
    pub ledger_events: Vec<LedgerEvent>,
    pub keeper: Timekeeper,
    numbers: u64,
}

impl Row {
    fn lease(&self, now: Duration) -> LeaseView {
        match self.lease_until.checked_sub(now) {
            Some(left) if !left.is_zero() => LeaseView::Live(left),
            _ => LeaseView::Ended(now.saturating_sub(self.lease_until)),
        }
    }

    pub fn snapshot(&self, now: Duration) -> Snapshot {
        Snapshot { record: self.record.clone(), lease: self.lease(now) }
    }

    fn granted_before(&self, claim: ClaimId) -> Option<Epoch> {
        self.superseded.iter().find(|(id, _)| *id == claim).map(|(_, epoch)| *epoch)
    }
}

impl Rows {
    pub fn new(capacity: usize, reading: &Reading) -> Self {
        Self {
            capacity,
            by_id: BTreeMap::new(),
            by_number: BTreeMap::new(),
            events: BTreeMap::new(),
            due: BTreeSet::new(),
            due_of: BTreeMap::new(),
            deliveries: BTreeMap::new(),
            ledger_events: Vec::new(),
            keeper: Timekeeper::begin(reading),
            numbers: 0,
        }
    }

    /// Moves ledger time to now.
    pub fn tick(&mut self, reading: &Reading) {
        self.keeper = self.keeper.clone().moved(reading);
    }

    /// Ledger time, as of the last write.
    pub fn time(&self) -> LedgerTime {
        self.keeper.time
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn read(&self, id: &RecordId, now: Duration) -> Option<Snapshot> {
        self.by_id.get(id).map(|row| row.snapshot(now))
    }

    pub fn apply(
        &mut self,
        id: &RecordId,
        change: Change,
        now: Duration,
        reading: &Reading,
        incarnation: u64,
    ) -> Result<Written, StoreError> {
        self.tick(reading);
        let row = self.by_id.get(id);
        let record = row.map(|row| &row.record);
        let granted_before =
            change.guard.looks_up(record).and_then(|claim| row.and_then(|row| row.granted_before(claim)));
        let lease = row.map_or(LeaseView::EndedAtReboot, |row| row.lease(now));
        if let Err(unmet) = change.guard.check(Facts { record, lease, granted_before, now: self.time() }) {
            return Ok(Written::Found { snapshot: row.map(|row| Box::new(row.snapshot(now))), unmet });
        }
        if row.is_none() && self.by_id.len() >= self.capacity {
            let said = format!("the memory ledger holds {} records and takes no more", self.capacity);
            return Err(StoreError::new(StoreErrorKind::AtCapacity, said));
        }
        Ok(self.write(id, change, now, self.time(), incarnation))
    }

    fn write(
        &mut self,
        id: &RecordId,
        change: Change,
        now: Duration,
        at: LedgerTime,
        incarnation: u64,
    ) -> Written {
        let row = self.by_id.entry(id.clone()).or_insert_with(|| {
            self.numbers += 1;
            self.by_number.insert(self.numbers, id.clone());
            Row {
                record: Record {
                    id: id.clone(),
                    version: Version(0),
                    incarnation,
                    created: at,
                    updated: at,
                    body: change.set.clone(),
                },
                lease_until: now,
                number: self.numbers,
                superseded: Vec::new(),
            }
        });
        if row.record.version > Version(0)
            && let Some((epoch, claim)) = change.supersedes(Some(&row.record))
        {
            row.superseded.push((claim, epoch));
        }
        row.record.version = row.record.version.next();
        row.record.updated = at;
        let events: Vec<_> = change.events().cloned().collect();
        row.record.body = change.set;
        if let LeaseSet::Grant(lease) = change.lease {
            row.lease_until = now.saturating_add(lease);
        }
        let snapshot = Box::new(row.snapshot(now));
        let (version, number) = (Some(row.record.version), row.number);
        self.file(number, due(&snapshot.record.body, at).next());
        let written = self.events.entry(id.clone()).or_default();
        written.extend(events.into_iter().map(|draft| Event { id: id.clone(), version, at, draft }));
        Written::Applied(snapshot)
    }

    pub fn renew(
        &mut self,
        id: &RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
        now: Duration,
    ) -> Renewed {
        let Some(row) = self.by_id.get_mut(id) else {
            return Renewed::Lost;
        };
        let renewed = renewal(&row.record, row.lease(now), claim, epoch, lease);
        if renewed != Renewed::Lost {
            row.lease_until = now.saturating_add(lease);
        }
        renewed
    }

    pub fn notice(&mut self, id: RecordId, draft: EventDraft, reading: &Reading) {
        self.tick(reading);
        let event = Event { id: id.clone(), version: None, at: self.time(), draft };
        self.events.entry(id).or_default().push(event);
    }

    pub fn events(&self, id: &RecordId) -> Vec<Event> {
        self.events.get(id).cloned().unwrap_or_default()
    }
}
