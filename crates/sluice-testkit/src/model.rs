//! A ledger in the plainest words: what a store has to agree with.
//!
//! It asks `Guard::check` and writes what the change says, as every store does, but over values that anybody can
//! read in one go: no columns, no pages, no threads, and a clock that is an argument.

use sluice_core::change::{Change, Facts, LeaseSet, Unmet};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::trail::EventDraft;
use std::time::Duration;

/// One record of the plain ledger, or the lack of one.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The record; its times are all zero, since the model has no ledger time.
    pub record: Option<Record>,
    /// Every event that a change wrote, oldest first.
    pub events: Vec<EventDraft>,
    // None where the host was started anew since the lease was granted.
    lease_until: Option<Duration>,
    superseded: Vec<(ClaimId, Epoch)>,
}

impl Model {
    /// The record with its lease judged at this moment.
    pub fn snapshot(&self, now: Duration) -> Option<Snapshot> {
        let record = self.record.clone()?;
        Some(Snapshot { record, lease: self.lease(now) })
    }

    /// The lease at this moment.
    pub fn lease(&self, now: Duration) -> LeaseView {
        match self.lease_until {
            None => LeaseView::EndedAtReboot,
            Some(until) if until > now => LeaseView::Live(until.saturating_sub(now)),
            Some(until) => LeaseView::Ended(now.saturating_sub(until)),
        }
    }

    /// Carries out a change, or says what does not hold.
    ///
    /// # Errors
    /// What `Guard::check` says.
    pub fn apply(&mut self, id: &RecordId, change: Change, now: Duration) -> Result<(), Unmet> {
        let record = self.record.as_ref();
        let granted_before = change.guard.looks_up(record).and_then(|claim| self.granted_before(claim));
        change.guard.check(Facts { record, lease: self.lease(now), granted_before, now: LedgerTime(0) })?;
        if let Some((epoch, claim)) = change.supersedes(record) {
            self.superseded.push((claim, epoch));
        }
        self.lease_until = match change.lease {
            LeaseSet::Grant(lease) => Some(now + lease),
            LeaseSet::Settle => self.lease_until.or(Some(now)),
            LeaseSet::Keep if self.record.is_none() => Some(now),
            LeaseSet::Keep => self.lease_until,
        };
        let version = record.map_or(Version::FIRST, |record| record.version.next());
        self.record = Some(Record {
            id: id.clone(),
            version,
            incarnation: 1,
            created: LedgerTime(0),
            updated: LedgerTime(0),
            body: change.set,
        });
        self.events.extend(change.preceded_by.into_iter().chain([change.event]));
        Ok(())
    }

    /// Moves the end of the lease, as a renewal that holds does.
    pub fn renew(&mut self, until: Duration) {
        self.lease_until = Some(until);
    }

    /// The host is started anew.
    pub fn reboot(&mut self) {
        self.lease_until = None;
    }

    /// Every claim id that was granted before the newest, with its epoch.
    pub fn superseded(&self) -> &[(ClaimId, Epoch)] {
        &self.superseded
    }

    fn granted_before(&self, claim: ClaimId) -> Option<Epoch> {
        let filed = self.superseded.iter().find(|(filed, _)| *filed == claim);
        filed.map(|(_, epoch)| *epoch)
    }
}
