//! The rows of a memory store: plain maps, one lock around them.

use super::table::Table;
use sluice_core::change::{Change, Facts, LeaseSet, renewal};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::key::Secret;
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::store::{Page, Query, Renewed, StoreError, StoreErrorKind, Written};
use sluice_core::trail::{Event, EventDraft};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Row {
    pub record: Record,
    lease_until: Duration,
    superseded: Vec<(ClaimId, Epoch)>,
    events: Vec<Entry>,
}

/// An event of a record, which knows the record's name.
#[derive(Debug)]
struct Entry {
    version: Option<Version>,
    at: LedgerTime,
    draft: EventDraft,
}

/// Everything a memory store holds.
#[derive(Debug)]
pub(super) struct Rows {
    capacity: usize,
    table: Table,
    // Notices about keys of which there is no record.
    strays: BTreeMap<RecordId, Vec<Entry>>,
    last: LedgerTime,
}

impl Entry {
    fn event(&self, id: &RecordId) -> Event {
        Event { id: id.clone(), version: self.version, at: self.at, draft: self.draft.clone() }
    }
}

impl Row {
    fn first(id: RecordId, change: Change, at: LedgerTime, incarnation: u64, mut events: Vec<Entry>) -> Self {
        // Most records are claimed and settled, and no more.
        events.reserve(2);
        events.push(Entry { version: Some(Version::FIRST), at, draft: change.event });
        let record =
            Record { id, version: Version::FIRST, incarnation, created: at, updated: at, body: change.set };
        Self { record, lease_until: Duration::ZERO, superseded: Vec::new(), events }
    }

    fn rewrite(&mut self, change: Change, at: LedgerTime) {
        if let Some((epoch, claim)) = change.supersedes(Some(&self.record)) {
            self.superseded.push((claim, epoch));
        }
        self.record.version = self.record.version.next();
        self.record.updated = at;
        self.record.body = change.set;
        self.events.push(Entry { version: Some(self.record.version), at, draft: change.event });
    }

    fn lease(&self, now: Duration) -> LeaseView {
        match self.lease_until.checked_sub(now) {
            Some(left) if !left.is_zero() => LeaseView::Live(left),
            _ => LeaseView::Ended(now.saturating_sub(self.lease_until)),
        }
    }

    fn snapshot(&self, now: Duration) -> Snapshot {
        Snapshot { record: self.record.clone(), lease: self.lease(now) }
    }

    fn granted_before(&self, claim: ClaimId) -> Option<Epoch> {
        self.superseded.iter().find(|(id, _)| *id == claim).map(|(_, epoch)| *epoch)
    }
}

impl Rows {
    pub fn new(capacity: usize, secret: &Secret) -> Self {
        Self { capacity, table: Table::new(secret), strays: BTreeMap::new(), last: LedgerTime(i64::MIN) }
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn read(&self, id: &RecordId, now: Duration) -> Option<Snapshot> {
        self.table.get(id).map(|row| row.snapshot(now))
    }

    pub fn apply(
        &mut self,
        id: RecordId,
        change: Change,
        now: Duration,
        wall: LedgerTime,
        incarnation: u64,
    ) -> Result<Written, StoreError> {
        let place = self.table.place(&id);
        let row = place.and_then(|place| self.table.at(place));
        let record = row.map(|row| &row.record);
        let granted_before =
            change.guard.looks_up(record).and_then(|claim| row.and_then(|row| row.granted_before(claim)));
        let lease = row.map_or(LeaseView::EndedAtReboot, |row| row.lease(now));
        if let Err(unmet) = change.guard.check(Facts { record, lease, granted_before }) {
            return Ok(Written::Found { snapshot: row.map(|row| Box::new(row.snapshot(now))), unmet });
        }
        if row.is_none() && self.len() >= self.capacity {
            let said = format!("the memory ledger holds {} records and takes no more", self.capacity);
            return Err(StoreError::new(StoreErrorKind::AtCapacity, said));
        }
        self.last = self.last.max(wall);
        let (at, granted) = (self.last, change.lease);
        let row = match place.and_then(|place| self.table.at_mut(place)) {
            Some(row) => {
                row.rewrite(change, at);
                row
            }
            None => {
                let events = self.strays.remove(&id).unwrap_or_default();
                let row = self.table.insert(Row::first(id, change, at, incarnation, events));
                row.lease_until = now;
                row
            }
        };
        if let LeaseSet::Grant(lease) = granted {
            row.lease_until = now.saturating_add(lease);
        }
        Ok(Written::Applied(Box::new(row.snapshot(now))))
    }

    pub fn renew(
        &mut self,
        id: &RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
        now: Duration,
    ) -> Renewed {
        let Some(row) = self.table.place(id).and_then(|place| self.table.at_mut(place)) else {
            return Renewed::Lost;
        };
        let renewed = renewal(&row.record, row.lease(now), claim, epoch, lease);
        if renewed != Renewed::Lost {
            row.lease_until = now.saturating_add(lease);
        }
        renewed
    }

    pub fn notice(&mut self, id: RecordId, draft: EventDraft, wall: LedgerTime) {
        self.last = self.last.max(wall);
        let entry = Entry { version: None, at: self.last, draft };
        match self.table.place(&id).and_then(|place| self.table.at_mut(place)) {
            Some(row) => row.events.push(entry),
            None => self.strays.entry(id).or_default().push(entry),
        }
    }

    pub fn events(&self, id: &RecordId) -> Vec<Event> {
        let entries = self.table.get(id).map(|row| &row.events).or_else(|| self.strays.get(id));
        entries.into_iter().flatten().map(|entry| entry.event(id)).collect()
    }

    pub fn list(&self, query: &Query, now: Duration) -> Result<Page, StoreError> {
        let before = match &query.after {
            Some(cursor) => cursor.parse().map_err(|_| bad_cursor())?,
            None => usize::MAX,
        };
        let wanted = query.page();
        let mut rows: Vec<_> = self
            .table
            .newest_before(before)
            .filter(|(_, row)| matches(query, row, self.last))
            .take(wanted + 1)
            .collect();
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next = rows.last().filter(|_| more).map(|(place, _)| place.to_string());
        Ok(Page { items: rows.into_iter().map(|(_, row)| row.snapshot(now)).collect(), next })
    }
}

fn matches(query: &Query, row: &Row, last: LedgerTime) -> bool {
    let Record { id, body, updated, .. } = &row.record;
    let within =
        query.within.map_or(i64::MAX, |within| i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
    query.namespace.as_ref().is_none_or(|namespace| *namespace == id.namespace)
        && (query.statuses.is_empty() || query.statuses.contains(&body.status))
        && query.tool.as_ref().is_none_or(|tool| body.labels.tool.as_ref() == Some(tool))
        && query.key_prefix.as_ref().is_none_or(|prefix| id.key.as_str().starts_with(prefix.as_str()))
        && last.0.saturating_sub(updated.0) <= within
}

fn bad_cursor() -> StoreError {
    StoreError::new(StoreErrorKind::Other, "that is not where a page of this ledger ended")
}
