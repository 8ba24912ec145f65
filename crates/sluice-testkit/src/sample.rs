//! Records and changes that tests begin with.
//!
//! They are made here by hand and not by `sluice_core::decide`, so that what a store is asked to do does not depend
//! on the rules that it carries out.

use sluice_core::change::{Change, Expected, GrantGuard, Guard, LeaseGuard, LeaseSet};
use sluice_core::failure::FailureClass;
use sluice_core::holder::Holder;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::key::{Key, Namespace};
use sluice_core::outcome::{Fault, Kept, Outcome};
use sluice_core::record::{Body, Downstream, Labels, Snapshot, Terms};
use sluice_core::state::Status;
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::unresolved::Doubt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The lease of every sample.
pub const LEASE: Duration = Duration::from_secs(30);

/// Names a record in the namespace `test`.
///
/// # Panics
/// Where the text is no key.
pub fn id(key: &str) -> RecordId {
    id_in("test", key)
}

/// Names a record.
///
/// # Panics
/// Where one of the texts is no name.
pub fn id_in(namespace: &str, key: &str) -> RecordId {
    let named = Namespace::new(namespace).and_then(|namespace| Ok(RecordId::new(namespace, Key::new(key)?)));
    named.unwrap_or_else(|error| panic!("{namespace:?} and {key:?} are no names: {error}"))
}

/// A claim id that no other call of this process gives.
pub fn claim_id() -> ClaimId {
    static LAST: AtomicU64 = AtomicU64::new(1);
    let number = u128::from(LAST.fetch_add(1, Ordering::Relaxed));
    ClaimId::from_bytes((number << 64 | 0x7e57).to_be_bytes())
}

/// What a first claim with this id writes.
pub fn body(claim: ClaimId) -> Body {
    Body {
        status: Status::InFlight,
        epoch: Epoch::FIRST,
        claim,
        holder: Holder { machine: "machine".into(), boot: "boot".into(), pid: 7, ..Holder::default() },
        terms: Terms { lease: LEASE, ..Terms::default() },
        marked: false,
        labels: Labels { tool: Some("charge".into()), ..Labels::default() },
        fingerprint: None,
        unresolved: [].into_iter().collect(),
        landed: [].into(),
        evidence: None,
        outcome: Outcome::None,
        downstream: Downstream { key: "downstream".into(), rotation: 0, first_used: None },
    }
}

/// The first claim of an intent, with a lease of [`LEASE`].
pub fn first_claim(claim: ClaimId) -> Change {
    let event = EventDraft::new(EventKind::Claimed).about(Epoch::FIRST, Some(claim));
    Change::first_claim(body(claim), event)
}

/// Places any body as the first version of a record; its lease is what the change says.
pub fn place(body: Body, lease: LeaseSet) -> Change {
    let event = EventDraft::new(EventKind::Claimed).about(body.epoch, Some(body.claim));
    Change {
        guard: Guard {
            expected: Expected::Absent,
            grant: GrantGuard::Any,
            lease: LeaseGuard::Any,
            sent: None,
            key_age: None,
        },
        set: body,
        lease,
        event,
        preceded_by: None,
    }
}

/// A change of the record as it was found, with no guard but that, which leaves the lease.
pub fn edit(found: &Snapshot, kind: EventKind, edit: impl FnOnce(&mut Body)) -> Change {
    let record = &found.record;
    let mut set = record.body.clone();
    edit(&mut set);
    let event = EventDraft::new(kind).about(set.epoch, Some(set.claim));
    Change {
        guard: Guard {
            expected: Expected::At {
                version: record.version,
                status: record.body.status,
                epoch: record.body.epoch,
            },
            grant: GrantGuard::Any,
            lease: LeaseGuard::Any,
            sent: None,
            key_age: None,
        },
        set,
        lease: LeaseSet::Keep,
        event,
        preceded_by: None,
    }
}

/// The next grant, to this claim id.
pub fn next_claim(found: &Snapshot, claim: ClaimId) -> Change {
    let change = edit(found, EventKind::Claimed, |set| {
        set.status = Status::InFlight;
        set.epoch = set.epoch.next();
        set.claim = claim;
        set.outcome = Outcome::None;
    });
    change.when_grant(GrantGuard::Unused(claim)).and_lease(LeaseSet::Grant(LEASE))
}

/// The holder's word that it did not happen.
pub fn release(found: &Snapshot) -> Change {
    let change = edit(found, EventKind::Released, |set| {
        set.status = Status::Released;
        set.outcome = Outcome::Fault(fault(FailureClass::Transient));
    });
    settled(found, change)
}

/// The holder's word that it happened, with this result.
pub fn success(found: &Snapshot, result: &[u8]) -> Change {
    let kept = Kept::within(result.to_vec(), usize::MAX);
    let change = edit(found, EventKind::Succeeded, |set| {
        set.status = Status::Succeeded;
        set.landed.insert(set.epoch);
        set.outcome = Outcome::Success(kept);
    });
    settled(found, change)
}

/// The lapse of an ended lease, or of one whose holder is gone.
pub fn lapse(found: &Snapshot) -> Change {
    let change = edit(found, EventKind::Lapsed, |set| {
        set.status = Status::Indeterminate;
        set.unresolved.add(set.epoch, Doubt::Lapsed);
    });
    change.and_lease(LeaseSet::Settle)
}

/// The point of no return.
pub fn mark(found: &Snapshot) -> Change {
    let body = &found.record.body;
    edit(found, EventKind::Marked, |set| set.marked = true)
        .when_grant(GrantGuard::Held(body.claim, body.epoch))
        .when_lease(LeaseGuard::Live)
}

/// A change that decides nothing: it counts up a number that a record carries.
pub fn touch(found: &Snapshot) -> Change {
    edit(found, EventKind::Evidence, |set| set.downstream.rotation += 1)
}

/// A fault of this class.
pub fn fault(class: FailureClass) -> Fault {
    Fault { class, code: Some("E1".into()), message: "said so".into(), detail: None, from_target: false }
}

fn settled(found: &Snapshot, change: Change) -> Change {
    let body = &found.record.body;
    change.when_grant(GrantGuard::Held(body.claim, body.epoch)).and_lease(LeaseSet::Settle)
}
