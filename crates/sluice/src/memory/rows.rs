//! The rows of a memory store: plain maps, one lock around them.

use super::table::Table;
use sluice_core::breaker::Shared;
use sluice_core::change::{Change, Facts, LeaseSet, Unmet, renewal};
use sluice_core::deliveries::Deliveries;
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::key::Secret;
use sluice_core::lease::LeaseView;
use sluice_core::record::{Body, LedgerTime, Record, Snapshot};
use sluice_core::retention::due;
use sluice_core::store::{Renewed, StoreError, StoreErrorKind, Written};
use sluice_core::timekeeper::{Reading, Timekeeper};
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Row {
    /// Shared, so that a dozen texts need not be copied under the lock.
    pub record: Arc<Record>,
    lease_until: Duration,
    superseded: Vec<(ClaimId, Epoch)>,
    pub events: Vec<Entry>,
    pub due: Option<LedgerTime>,
    pub deliveries: Option<Deliveries>,
}

/// An event of a record, whose name stands there already.
#[derive(Debug)]
pub(super) struct Entry {
    version: Option<Version>,
    at: LedgerTime,
    pub draft: EventDraft,
}

/// A record as it was under the lock.
#[derive(Debug)]
pub(super) struct View {
    record: Arc<Record>,
    lease: LeaseView,
}

/// What came of a change under the lock.
#[derive(Debug)]
pub(super) enum Applied {
    Written(View),
    Found(Option<View>, Unmet),
}

impl View {
    /// Copies the record. To be done without the lock.
    pub fn snapshot(self) -> Snapshot {
        Snapshot { record: self.record.as_ref().clone(), lease: self.lease }
    }
}

impl Applied {
    /// Copies the record. To be done without the lock.
    pub fn written(self) -> Written {
        match self {
            Self::Written(view) => Written::Applied(Box::new(view.snapshot())),
            Self::Found(view, unmet) => {
                Written::Found { snapshot: view.map(|view| Box::new(view.snapshot())), unmet }
            }
        }
    }
}

/// Everything a memory store holds.
#[derive(Debug)]
pub(super) struct Rows {
    capacity: usize,
    pub table: Table,
    /// Notices about names of which there is no record.
    strays: BTreeMap<RecordId, Vec<Entry>>,
    pub due: BTreeSet<(LedgerTime, u64)>,
    pub ledger_events: Vec<LedgerEvent>,
    pub keeper: Timekeeper,
    pub circuits: BTreeMap<String, (Shared, LedgerTime)>,
}

impl Entry {
    fn event(&self, id: &RecordId) -> Event {
        Event { id: id.clone(), version: self.version, at: self.at, draft: self.draft.clone() }
    }
}

impl Row {
    fn first(id: RecordId, body: Body, now: Duration, at: LedgerTime, incarnation: u64) -> Self {
        let record =
            Arc::new(Record { id, version: Version::FIRST, incarnation, created: at, updated: at, body });
        // Most records are claimed and settled, and no more.
        let events = Vec::with_capacity(2);
        Self { record, lease_until: now, superseded: Vec::new(), events, due: None, deliveries: None }
    }

    fn lease(&self, now: Duration) -> LeaseView {
        match self.lease_until.checked_sub(now) {
            Some(left) if !left.is_zero() => LeaseView::Live(left),
            _ => LeaseView::Ended(now.saturating_sub(self.lease_until)),
        }
    }

    pub fn view(&self, now: Duration) -> View {
        View { record: self.record.clone(), lease: self.lease(now) }
    }

    fn granted_before(&self, claim: ClaimId) -> Option<Epoch> {
        self.superseded.iter().find(|(id, _)| *id == claim).map(|(_, epoch)| *epoch)
    }
}

impl Rows {
    pub fn new(capacity: usize, secret: &Secret, reading: &Reading) -> Self {
        Self {
            capacity,
            table: Table::new(secret),
            strays: BTreeMap::new(),
            due: BTreeSet::new(),
            ledger_events: Vec::new(),
            keeper: Timekeeper::begin(reading),
            circuits: BTreeMap::new(),
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
        self.table.len()
    }

    pub fn read(&self, id: &RecordId, now: Duration) -> Option<View> {
        self.table.get(id).map(|row| row.view(now))
    }

    pub fn apply(
        &mut self,
        id: RecordId,
        change: Change,
        now: Duration,
        reading: &Reading,
        incarnation: u64,
    ) -> Result<Applied, StoreError> {
        self.tick(reading);
        let number = self.table.number(&id);
        let row = number.and_then(|number| self.table.at(number));
        let record = row.map(|row| row.record.as_ref());
        let granted_before =
            change.guard.looks_up(record).and_then(|claim| row.and_then(|row| row.granted_before(claim)));
        let lease = row.map_or(LeaseView::EndedAtReboot, |row| row.lease(now));
        if let Err(unmet) = change.guard.check(Facts { record, lease, granted_before, now: self.time() }) {
            return Ok(Applied::Found(row.map(|row| row.view(now)), unmet));
        }
        if row.is_none() && self.len() >= self.capacity {
            let said = format!("the memory ledger holds {} records and takes no more", self.capacity);
            return Err(StoreError::new(StoreErrorKind::AtCapacity, said));
        }
        Ok(Applied::Written(self.write(number, id, change, now, incarnation)))
    }

    fn write(
        &mut self,
        number: Option<u64>,
        id: RecordId,
        change: Change,
        now: Duration,
        incarnation: u64,
    ) -> View {
        let at = self.time();
        let known = number.and_then(|number| self.table.at(number));
        let superseded = change.supersedes(known.map(|row| row.record.as_ref()));
        let Change { set, lease, event, preceded_by, .. } = change;
        let found = number.and_then(|number| Some((number, self.table.at_mut(number)?)));
        let (number, row) = if let Some((number, row)) = found {
            row.superseded.extend(superseded.map(|(epoch, claim)| (claim, epoch)));
            let Record { version, incarnation, created, .. } = *row.record;
            let version = version.next();
            row.record = Arc::new(Record { id, version, incarnation, created, updated: at, body: set });
            (number, row)
        } else {
            let strays = self.strays.remove(&id);
            let (number, row) = self.table.insert(Row::first(id, set, now, at, incarnation));
            row.events.extend(strays.into_iter().flatten());
            (number, row)
        };
        if let LeaseSet::Grant(lease) = lease {
            row.lease_until = now.saturating_add(lease);
        }
        let version = Some(row.record.version);
        row.events.extend(preceded_by.into_iter().chain([event]).map(|draft| Entry { version, at, draft }));
        let view = row.view(now);
        self.file(number, due(&view.record.body, at).next());
        view
    }

    pub fn renew(
        &mut self,
        id: &RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
        now: Duration,
    ) -> Renewed {
        let Some(row) = self.table.get_mut(id) else {
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
        let entry = Entry { version: None, at: self.time(), draft };
        match self.table.get_mut(&id) {
            Some(row) => row.events.push(entry),
            None => self.strays.entry(id).or_default().push(entry),
        }
    }

    pub fn events(&self, id: &RecordId) -> Vec<Event> {
        let entries = self.table.get(id).map(|row| &row.events).or_else(|| self.strays.get(id));
        entries.into_iter().flatten().map(|entry| entry.event(id)).collect()
    }
}
