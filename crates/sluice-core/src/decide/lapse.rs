//! A lease ended, or its holder is provably gone.

use super::evidence::landed_before;
use crate::change::{Change, LeaseGuard, LeaseSet};
use crate::holder::{GoneBecause, Liveness};
use crate::outcome::Outcome;
use crate::record::Snapshot;
use crate::state::{Status, Transition};
use crate::trail::{EventDraft, EventKind};
use crate::unresolved::Doubt;

/// Says how a record lapses, if it does.
///
/// An epoch whose effect declared marks and has none provably never began; it leaves no doubt of its own. Any
/// other epoch becomes unresolved: an ended lease means unknown, not free. Where an older epoch is known to have
/// landed, the intent is done whatever became of this one.
pub fn lapse(found: &Snapshot, holder: Liveness) -> Option<Change> {
    let body = &found.record.body;
    if body.status != Status::InFlight || (found.lease.is_live() && !holder.is_gone()) {
        return None;
    }
    let mut unresolved = body.unresolved.clone();
    if !body.provably_not_begun() {
        unresolved.add(body.epoch, Doubt::Lapsed);
    }
    let landed = landed_before(body);
    let transition = match (&landed, unresolved.is_empty()) {
        (Some(_), _) => Transition::Succeed,
        (None, true) => Transition::Release,
        (None, false) => Transition::Doubt,
    };
    let (guard, reason) = match holder {
        Liveness::Gone(GoneBecause::LockFree) => (LeaseGuard::Any, "holder_gone"),
        Liveness::Gone(GoneBecause::Rebooted) => (LeaseGuard::Any, "host_restarted"),
        _ => (LeaseGuard::Ended, "lease_ended"),
    };
    let event = EventDraft::new(EventKind::Lapsed).about(body.epoch, Some(body.claim)).because(reason);
    let change = Change::of(found, transition, event, |set| {
        set.unresolved = unresolved;
        if let Some(kept) = landed {
            set.unresolved.clear();
            set.outcome = Outcome::Success(kept);
        }
    });
    Some(change.ok()?.when_lease(guard).and_lease(LeaseSet::Settle))
}
