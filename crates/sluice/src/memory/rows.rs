//! The rows of a memory store: plain maps, one lock around them.

use sluice_core::change::{Change, Facts, LeaseSet, renewal};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::store::{Page, Query, Renewed, StoreError, StoreErrorKind, Written};
use sluice_core::trail::{Event, EventDraft};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug)]
struct Row {
    record: Record,
    lease_until: Duration,
    number: u64,
    superseded: Vec<(ClaimId, Epoch)>,
}

/// Everything a memory store holds.
#[derive(Debug)]
pub(super) struct Rows {
    capacity: usize,
    by_id: BTreeMap<RecordId, Row>,
    by_number: BTreeMap<u64, RecordId>,
    events: BTreeMap<RecordId, Vec<Event>>,
    numbers: u64,
    last: LedgerTime,
}

impl Row {
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
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            by_id: BTreeMap::new(),
            by_number: BTreeMap::new(),
            events: BTreeMap::new(),
            numbers: 0,
            last: LedgerTime(i64::MIN),
        }
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn read(&self, id: &RecordId, now: Duration) -> Option<Snapshot> {
        self.by_id.get(id).map(|row| row.snapshot(now))
    }

    pub fn apply(
        &mut self,
        id: RecordId,
        change: Change,
        now: Duration,
        wall: LedgerTime,
        incarnation: u64,
    ) -> Result<Written, StoreError> {
        let row = self.by_id.get(&id);
        let record = row.map(|row| &row.record);
        let granted_before =
            change.guard.looks_up(record).and_then(|claim| row.and_then(|row| row.granted_before(claim)));
        let lease = row.map_or(LeaseView::EndedAtReboot, |row| row.lease(now));
        if let Err(unmet) = change.guard.check(Facts { record, lease, granted_before }) {
            return Ok(Written::Found { snapshot: row.map(|row| Box::new(row.snapshot(now))), unmet });
        }
        if row.is_none() && self.by_id.len() >= self.capacity {
            let said = format!("the memory ledger holds {} records and takes no more", self.capacity);
            return Err(StoreError::new(StoreErrorKind::AtCapacity, said));
        }
        self.last = self.last.max(wall);
        let at = self.last;
        Ok(self.write(id, change, now, at, incarnation))
    }

    fn write(
        &mut self,
        id: RecordId,
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
        row.record.body = change.set;
        if let LeaseSet::Grant(lease) = change.lease {
            row.lease_until = now.saturating_add(lease);
        }
        let snapshot = Box::new(row.snapshot(now));
        let version = Some(row.record.version);
        self.events.entry(id.clone()).or_default().push(Event { id, version, at, draft: change.event });
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

    pub fn notice(&mut self, id: RecordId, draft: EventDraft, wall: LedgerTime) {
        self.last = self.last.max(wall);
        let event = Event { id: id.clone(), version: None, at: self.last, draft };
        self.events.entry(id).or_default().push(event);
    }

    pub fn events(&self, id: &RecordId) -> Vec<Event> {
        self.events.get(id).cloned().unwrap_or_default()
    }

    pub fn list(&self, query: &Query, now: Duration) -> Result<Page, StoreError> {
        let before = match &query.after {
            Some(cursor) => cursor.parse().map_err(|_| bad_cursor())?,
            None => u64::MAX,
        };
        let wanted = query.page();
        let mut rows: Vec<_> = self
            .by_number
            .range(..before)
            .rev()
            .filter_map(|(_, id)| self.by_id.get(id))
            .filter(|row| matches(query, row, self.last))
            .take(wanted + 1)
            .collect();
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next = rows.last().filter(|_| more).map(|row| row.number.to_string());
        Ok(Page { items: rows.into_iter().map(|row| row.snapshot(now)).collect(), next })
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
