//! A change, a renewal or a notice as SQL inside a transaction that others may share.

use crate::classify::Trouble;
use crate::clock::{LeaseEnd, LedgerClock, Moment};
use crate::events;
use crate::rows::{self, Draft, Found, Stamped};
use crate::sweep::recount;
use crate::ticker;
use rusqlite::Connection;
use sluice_core::breaker::Seen;
use sluice_core::change::{Change, Facts, LeaseSet, Unmet, renewal};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::Snapshot;
use sluice_core::store::{Condition, Renewed, Swept};
use sluice_core::timekeeper::{Reading, Timekeeper};
use sluice_core::trail::{EventDraft, EventKind};
use std::time::Duration;

/// What came of a job, to be told once the transaction is durable.
#[derive(Debug)]
pub(crate) enum Done {
    /// The change was written; the caller's own body and this are the record now.
    Applied(Stamped),
    /// See [`sluice_core::store::Written::Found`].
    Found {
        snapshot: Option<Box<Snapshot>>,
        unmet: Unmet,
    },
    Renewed(Renewed),
    Noticed,
    Swept(Swept),
    Condition(Condition),
    Circuit(Box<Seen>),
    Counted,
}

/// An open transaction that holds the write lock. Every job in it sees the same moment.
pub(crate) struct Transaction<'c> {
    conn: &'c Connection,
    now: Moment,
    reading: Reading,
    keeper: Timekeeper,
    incarnation: u64,
    next_record: i64,
    wrote: bool,
}

impl<'c> Transaction<'c> {
    /// Takes in what the ledger knows of itself; call it only once the write lock is held.
    pub(crate) fn begun(conn: &'c Connection, clock: &dyn LedgerClock) -> Result<Self, Trouble> {
        const SQL: &str = "SELECT incarnation, next_record FROM meta WHERE one = 1";
        let now = Moment::of(clock);
        let reading = now.reading(clock);
        let keeper = ticker::advance(conn, &reading)?;
        let mut statement = conn.prepare_cached(SQL)?;
        let (incarnation, next_record) =
            statement.query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        let incarnation = u64::try_from(incarnation).map_err(|_| Trouble::Column("incarnation"))?;
        Ok(Self { conn, now, reading, keeper, incarnation, next_record, wrote: false })
    }

    /// Stores the ledger's time if anything was written; false where there is nothing to commit.
    pub(crate) fn finish(self) -> Result<bool, Trouble> {
        if self.wrote {
            ticker::save(self.conn, &self.keeper, self.next_record)?;
        }
        Ok(self.wrote)
    }

    pub(crate) fn conn(&self) -> &'c Connection {
        self.conn
    }

    pub(crate) fn now(&self) -> &Moment {
        &self.now
    }

    pub(crate) fn keeper(&self) -> &Timekeeper {
        &self.keeper
    }

    /// Says that there is something to commit.
    pub(crate) fn wrote(&mut self) {
        self.wrote = true;
    }

    /// What time it is, without writing it down.
    pub(crate) fn condition(&self) -> Condition {
        Condition { time: self.keeper.time, wall: self.reading.wall, is_halted: self.keeper.is_halted }
    }

    /// Takes the clock on the wall for right.
    pub(crate) fn accept_clock(&mut self, by: &str, reason: &str) -> Result<Condition, Trouble> {
        self.keeper = self.keeper.clone().accepted(&self.reading);
        self.wrote = true;
        recount(self.conn, self.keeper.time)?;
        let event = EventDraft::new(EventKind::ClockAccepted).by(by).because(reason);
        events::of_ledger(self.conn, self.keeper.time, &event)?;
        Ok(self.condition())
    }

    /// Carries out a change if its guard holds.
    pub(crate) fn apply(&mut self, id: &RecordId, change: &Change) -> Result<Done, Trouble> {
        if let Some(done) = self.create(id, change)? {
            return Ok(done);
        }
        let found = Found::find(self.conn, id)?;
        match (self.refusal(id, change, found.as_ref())?, found) {
            (None, Some(found)) => self.rewrite(id, change, &found),
            (None, None) => Err(Trouble::Absent("a record that was there a moment ago")),
            (Some(unmet), found) => {
                let snapshot = found.map(|found| Box::new(found.snapshot(&self.now)));
                Ok(Done::Found { snapshot, unmet })
            }
        }
    }

    /// Nearly every first claim finds nothing, so it is inserted without looking first where its guard holds for
    /// that. `None` where there is a record, or the guard wants one.
    fn create(&mut self, id: &RecordId, change: &Change) -> Result<Option<Done>, Trouble> {
        let nothing = Facts {
            record: None,
            lease: LeaseView::EndedAtReboot,
            granted_before: None,
            now: self.keeper.time,
        };
        if change.guard.check(nothing).is_err() {
            return Ok(None);
        }
        let (lease, row) = (self.lease_after(change.lease, None), self.next_record);
        let stamped = Stamped {
            version: Version::FIRST,
            incarnation: self.incarnation,
            created: self.keeper.time,
            updated: self.keeper.time,
            lease: lease.view(&self.now),
        };
        let draft = Draft { row, stamped, lease: &lease, body: &change.set };
        if !draft.insert(self.conn, id)? {
            return Ok(None);
        }
        self.next_record += 1;
        self.written(id, row, stamped, change).map(Some)
    }

    fn rewrite(&mut self, id: &RecordId, change: &Change, found: &Found) -> Result<Done, Trouble> {
        let record = &found.record;
        if let Some((epoch, claim)) = change.supersedes(Some(record)) {
            self.file_grant(id, epoch, claim)?;
        }
        let lease = self.lease_after(change.lease, Some(found));
        let stamped = Stamped {
            version: record.version.next(),
            incarnation: record.incarnation,
            created: record.created,
            updated: self.keeper.time,
            lease: lease.view(&self.now),
        };
        Draft { row: found.row, stamped, lease: &lease, body: &change.set }.update(self.conn)?;
        self.written(id, found.row, stamped, change)
    }

    fn written(
        &mut self,
        id: &RecordId,
        row: i64,
        stamped: Stamped,
        change: &Change,
    ) -> Result<Done, Trouble> {
        self.wrote = true;
        for event in change.events() {
            events::write(self.conn, id, Some(row), Some(stamped.version), stamped.updated, event)?;
        }
        Ok(Done::Applied(stamped))
    }

    fn refusal(
        &self,
        id: &RecordId,
        change: &Change,
        found: Option<&Found>,
    ) -> Result<Option<Unmet>, Trouble> {
        let record = found.map(|found| &found.record);
        let facts = Facts {
            record,
            lease: found.map_or(LeaseView::EndedAtReboot, |found| found.lease.view(&self.now)),
            granted_before: match change.guard.looks_up(record) {
                Some(claim) => self.granted_before(id, claim)?,
                None => None,
            },
            now: self.keeper.time,
        };
        Ok(change.guard.check(facts).err())
    }

    fn lease_after(&self, set: LeaseSet, found: Option<&Found>) -> LeaseEnd {
        let now = || LeaseEnd::after(&self.now, Duration::ZERO);
        match (set, found) {
            (LeaseSet::Grant(lease), _) => LeaseEnd::after(&self.now, lease),
            (_, None) => now(),
            (LeaseSet::Settle, Some(found)) if !found.lease.is_of_boot(&self.now) => now(),
            (LeaseSet::Keep | LeaseSet::Settle, Some(found)) => found.lease.clone(),
        }
    }

    fn granted_before(&self, id: &RecordId, claim: ClaimId) -> Result<Option<Epoch>, Trouble> {
        const SQL: &str = "SELECT max(epoch) FROM grants WHERE namespace = ?1 AND key = ?2 AND claim_id = ?3";
        let values = (id.namespace.as_str(), id.key.as_str(), claim.as_bytes());
        let epoch: Option<i64> = self.conn.prepare_cached(SQL)?.query_row(values, |row| row.get(0))?;
        epoch
            .map(|epoch| u64::try_from(epoch).map(Epoch).map_err(|_| Trouble::Column("grants.epoch")))
            .transpose()
    }

    fn file_grant(&self, id: &RecordId, epoch: Epoch, claim: ClaimId) -> Result<(), Trouble> {
        const SQL: &str =
            "INSERT OR IGNORE INTO grants (namespace, key, epoch, claim_id) VALUES (?1, ?2, ?3, ?4)";
        let epoch = rows::int(epoch.0, "grants.epoch")?;
        let values = (id.namespace.as_str(), id.key.as_str(), epoch, claim.as_bytes());
        self.conn.prepare_cached(SQL)?.execute(values)?;
        Ok(())
    }

    /// Moves the lease of a live claim.
    pub(crate) fn renew(
        &mut self,
        id: &RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> Result<Done, Trouble> {
        const SQL: &str = "UPDATE records SET lease_boot = ?2, lease_until_ns = ?3 WHERE id = ?1";
        let Some(found) = Found::find(self.conn, id)? else { return Ok(Done::Renewed(Renewed::Lost)) };
        let renewed = renewal(&found.record, found.lease.view(&self.now), claim, epoch, lease);
        let Renewed::Extended { landed_elsewhere, .. } = renewed else { return Ok(Done::Renewed(renewed)) };
        let end = LeaseEnd::after(&self.now, lease);
        self.conn.prepare_cached(SQL)?.execute((found.row, &end.boot, end.until_ns))?;
        self.wrote = true;
        Ok(Done::Renewed(Renewed::Extended { remaining: end.view(&self.now).remaining(), landed_elsewhere }))
    }

    /// Writes an event without a change.
    pub(crate) fn notice(&mut self, id: &RecordId, event: &EventDraft) -> Result<Done, Trouble> {
        let row = rows::row_of(self.conn, id)?;
        self.wrote = true;
        events::write(self.conn, id, row, None, self.keeper.time, event)?;
        Ok(Done::Noticed)
    }
}
