//! A conditional write as data: what must be true, what is set, which event is written.
//!
//! A rule makes a [`Change`], a store carries it out in one transaction and answers whether it applied. A store
//! contains no rule: it asks [`Guard::check`] with what it found and then writes the body as it is.

use crate::downstream::KeyAge;
use crate::holder::Holder;
use crate::ids::{ClaimId, Epoch, Version};
use crate::lease::LeaseView;
use crate::record::{Body, LedgerTime, Record, Snapshot};
use crate::retention::{FirstSent, Misplaced};
use crate::state::{InvalidTransition, Status, Transition, next};
use crate::store::Renewed;
use crate::trail::EventDraft;
use std::time::Duration;

/// One conditional write.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What must be true when it is written.
    pub guard: Guard,
    /// What is set.
    pub set: Body,
    /// What happens to the lease.
    pub lease: LeaseSet,
    /// What is written down of it.
    pub event: EventDraft,
    /// What is written down before that, where one change does two things.
    pub preceded_by: Option<EventDraft>,
}

/// What must be true of the record, judged by the store while it holds the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// Which record it was made for.
    pub expected: Expected,
    /// What must be true of a claim id.
    pub grant: GrantGuard,
    /// What must be true of the lease, on the store's clock.
    pub lease: LeaseGuard,
    /// What must be true of the time at which the intent was first sent, in ledger time.
    pub sent: Option<FirstSent>,
    /// What must be true of the age of the key that is sent to the target, in ledger time.
    pub key_age: Option<KeyAge>,
}

/// The record a change was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// There is none.
    Absent,
    /// The one in this state and epoch, not changed since.
    At {
        /// Its version.
        version: Version,
        /// Its state.
        status: Status,
        /// Its newest grant.
        epoch: Epoch,
    },
}

/// What must be true of a claim id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantGuard {
    /// Nothing.
    Any,
    /// It was never granted for this record.
    Unused(ClaimId),
    /// It was granted for this record at this epoch.
    Held(ClaimId, Epoch),
}

/// What must be true of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseGuard {
    /// Nothing.
    Any,
    /// It runs.
    Live,
    /// It is over.
    Ended,
    /// It has been over for this long.
    EndedFor(Duration),
}

/// What a change does to the lease. Only the store knows what time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseSet {
    /// Leaves it.
    Keep,
    /// Starts one of this length, from now on the store's clock.
    Grant(Duration),
    /// Leaves it, but counts one that ended at a reboot as ended now (RULINGS 10).
    Settle,
}

/// Why a change did not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// There is a record, and there should be none; or the other way round; or it changed since.
    Record,
    /// The claim id was granted before, or not at that epoch.
    Grant,
    /// The lease runs, or has not been over for long enough.
    LeaseRuns,
    /// The lease is over.
    LeaseOver,
    /// The intent was first sent too long ago, or in the future.
    Sent(Misplaced),
    /// The target may have forgotten the key by the end of another attempt.
    KeyAge,
}

/// What a store found, for [`Guard::check`].
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The record, if there is one.
    pub record: Option<&'a Record>,
    /// Its lease; whatever for no record.
    pub lease: LeaseView,
    /// The epoch at which the guard's claim id was granted *before* the record's newest grant, if ever.
    pub granted_before: Option<Epoch>,
    /// Ledger time.
    pub now: LedgerTime,
}

impl Guard {
    /// The claim id whose earlier grants the store has to look up for [`Facts::granted_before`], if any: only
    /// where the record was granted more than once and the id is not the newest one.
    pub fn looks_up(&self, record: Option<&Record>) -> Option<ClaimId> {
        let (GrantGuard::Unused(claim) | GrantGuard::Held(claim, _)) = self.grant else {
            return None;
        };
        record.filter(|r| r.body.epoch > Epoch::FIRST && r.body.claim != claim).map(|_| claim)
    }

    /// Whether everything holds.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self, facts: Facts<'_>) -> Result<(), Unmet> {
        self.check_record(facts.record)?;
        self.check_grant(facts)?;
        self.check_lease(facts.lease)?;
        self.sent.map_or(Ok(()), |sent| sent.judge(facts.now)).map_err(Unmet::Sent)?;
        match self.key_age {
            Some(age) if !age.allows(facts.now) => Err(Unmet::KeyAge),
            _ => Ok(()),
        }
    }

    fn check_record(&self, record: Option<&Record>) -> Result<(), Unmet> {
        let holds = match (self.expected, record) {
            (Expected::Absent, None) => true,
            (Expected::At { version, status, epoch }, Some(found)) => {
                found.version == version && found.body.status == status && found.body.epoch == epoch
            }
            _ => false,
        };
        if holds { Ok(()) } else { Err(Unmet::Record) }
    }

    fn check_grant(&self, facts: Facts<'_>) -> Result<(), Unmet> {
        let granted_at = |claim: ClaimId| {
            facts.record.filter(|r| r.body.claim == claim).map(|r| r.body.epoch).or(facts.granted_before)
        };
        let holds = match self.grant {
            GrantGuard::Any => true,
            GrantGuard::Unused(claim) => granted_at(claim).is_none(),
            GrantGuard::Held(claim, epoch) => granted_at(claim) == Some(epoch),
        };
        if holds { Ok(()) } else { Err(Unmet::Grant) }
    }

    fn check_lease(&self, lease: LeaseView) -> Result<(), Unmet> {
        match self.lease {
            LeaseGuard::Live if !lease.is_live() => Err(Unmet::LeaseOver),
            LeaseGuard::Ended if lease.is_live() => Err(Unmet::LeaseRuns),
            LeaseGuard::EndedFor(quiet) if lease.until_quiet(quiet).is_some() => Err(Unmet::LeaseRuns),
            _ => Ok(()),
        }
    }
}

/// Judges a renewal: only the live lease of the newest grant moves, to this much from now.
pub fn renewal(record: &Record, lease: LeaseView, claim: ClaimId, epoch: Epoch, ask: Duration) -> Renewed {
    let body = &record.body;
    let holds = body.status == Status::InFlight && body.claim == claim && body.epoch == epoch;
    if !holds || !lease.is_live() {
        return Renewed::Lost;
    }
    let landed_elsewhere = body.landed.iter().any(|landed| *landed < epoch);
    Renewed::Extended { remaining: ask, landed_elsewhere }
}

impl Change {
    /// The first claim of an intent of which there is no record.
    pub fn first_claim(body: Body, event: EventDraft) -> Self {
        let guard = Guard {
            expected: Expected::Absent,
            grant: GrantGuard::Unused(body.claim),
            lease: LeaseGuard::Any,
            sent: None,
            key_age: None,
        };
        let lease = LeaseSet::Grant(body.terms.lease);
        Self { guard, set: body, lease, event, preceded_by: None }
    }

    /// A change of a record that was read: the transition is looked up in the table, the guard names the record
    /// as it was read, and `edit` sets the rest.
    ///
    /// # Errors
    /// [`InvalidTransition`] where the table has no such way.
    pub fn of(
        snapshot: &Snapshot,
        transition: Transition,
        event: EventDraft,
        edit: impl FnOnce(&mut Body),
    ) -> Result<Self, InvalidTransition> {
        let record = &snapshot.record;
        let mut set = record.body.clone();
        set.status = next(Some(record.body.status), transition)?;
        edit(&mut set);
        let expected =
            Expected::At { version: record.version, status: record.body.status, epoch: record.body.epoch };
        let (grant, lease) = (GrantGuard::Any, LeaseGuard::Any);
        let guard = Guard { expected, grant, lease, sent: None, key_age: None };
        let event = EventDraft { status: Some(set.status), ..event };
        Ok(Self { guard, set, lease: LeaseSet::Keep, event, preceded_by: None })
    }

    /// Adds what must be true of the lease.
    #[must_use]
    pub fn when_lease(mut self, lease: LeaseGuard) -> Self {
        self.guard.lease = lease;
        self
    }

    /// Adds what must be true of a claim id.
    #[must_use]
    pub fn when_grant(mut self, grant: GrantGuard) -> Self {
        self.guard.grant = grant;
        self
    }

    /// Adds what must be true of the time at which the intent was first sent.
    #[must_use]
    pub fn when_sent(mut self, sent: Option<FirstSent>) -> Self {
        self.guard.sent = sent;
        self
    }

    /// Adds what must be true of the age of the key that is sent to the target.
    #[must_use]
    pub fn when_key_age(mut self, age: Option<KeyAge>) -> Self {
        self.guard.key_age = age;
        self
    }

    /// Says what is written down before its own event.
    #[must_use]
    pub fn preceded_by(mut self, event: EventDraft) -> Self {
        self.preceded_by = Some(event);
        self
    }

    /// Every event of the change, in the order in which they are written.
    pub fn events(&self) -> impl Iterator<Item = &EventDraft> {
        self.preceded_by.iter().chain([&self.event])
    }

    /// Says who asks for it.
    #[must_use]
    pub fn held_by(mut self, holder: Holder) -> Self {
        self.set.holder = holder;
        self
    }

    /// Says what happens to the lease.
    #[must_use]
    pub fn and_lease(mut self, lease: LeaseSet) -> Self {
        self.lease = lease;
        self
    }

    /// Whether the change grants a claim on a record that had an older grant; the store then files the older one.
    pub fn supersedes(&self, record: Option<&Record>) -> Option<(Epoch, ClaimId)> {
        record.filter(|r| self.set.epoch > r.body.epoch).map(|r| (r.body.epoch, r.body.claim))
    }
}
