//! Mistakes in what must be true of a change.

use super::Fault;
use sluice_core::change::{Change, Expected, GrantGuard, LeaseGuard, LeaseSet};
use sluice_core::lease::LeaseView;
use sluice_core::record::Snapshot;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// The change with a guard that no longer says what it should, so that the good store under it lets it pass.
pub(super) fn loosen(fault: Fault, mut change: Change, found: Option<&Snapshot>, reopened: bool) -> Change {
    if matches!(fault, Fault::ChecksThenWrites) || grants(fault, &change) {
        return unguarded(change, found);
    }
    if let (Expected::At { version, status, epoch }, Some(found)) = (&mut change.guard.expected, found) {
        match fault {
            Fault::ForgetsVersion => *version = found.record.version,
            Fault::ForgetsStatus => *status = found.record.body.status,
            Fault::ForgetsEpoch => *epoch = found.record.body.epoch,
            _ => {}
        }
    }
    if fault == Fault::ForgetsSent {
        change.guard.sent = None;
    }
    change.guard.grant = grant(fault, change.guard.grant, found, reopened);
    if let Some(found) = found {
        change.guard.lease = lease(fault, change.guard.lease, found.lease);
    }
    change
}

/// The change made for whatever is there.
pub(super) fn unguarded(mut change: Change, found: Option<&Snapshot>) -> Change {
    change.guard.expected = found.map_or(Expected::Absent, |found| Expected::At {
        version: found.record.version,
        status: found.record.body.status,
        epoch: found.record.body.epoch,
    });
    change.guard.grant = GrantGuard::Any;
    change.guard.lease = LeaseGuard::Any;
    change
}

fn grants(fault: Fault, change: &Change) -> bool {
    fault == Fault::GrantsUnchecked && matches!(change.lease, LeaseSet::Grant(_))
}

fn grant(fault: Fault, guard: GrantGuard, found: Option<&Snapshot>, reopened: bool) -> GrantGuard {
    let newest = |claim| found.is_some_and(|found| found.record.body.claim == claim);
    let forgets = fault == Fault::ForgetsSuperseded || (fault == Fault::OpenForgetsGrants && reopened);
    match (fault, guard) {
        (Fault::ForgetsGrant, _) => GrantGuard::Any,
        (_, GrantGuard::Unused(claim)) if forgets && !newest(claim) => GrantGuard::Any,
        // An epoch at which nobody was granted anything stands for "not known".
        (Fault::KnowsOnlyTheNewest, GrantGuard::Held(claim, _)) if !newest(claim) => {
            GrantGuard::Held(claim, sluice_core::ids::Epoch(u64::MAX))
        }
        (_, guard) => guard,
    }
}

fn lease(fault: Fault, guard: LeaseGuard, found: LeaseView) -> LeaseGuard {
    match (fault, guard, found) {
        (Fault::IgnoresLease, ..)
        | (Fault::LiveAtItsEnd, LeaseGuard::Live, LeaseView::Ended(Duration::ZERO))
        | (Fault::EndsEarly, LeaseGuard::Ended, LeaseView::Live(MS))
        | (Fault::OutlivesReboot, LeaseGuard::Live, LeaseView::EndedAtReboot)
        | (Fault::RebootIsQuiet, LeaseGuard::EndedFor(_), LeaseView::EndedAtReboot) => LeaseGuard::Any,
        (Fault::NeedsNoQuiet, LeaseGuard::EndedFor(_), _) => LeaseGuard::Ended,
        (Fault::QuietTooSoon, LeaseGuard::EndedFor(quiet), _) => {
            LeaseGuard::EndedFor(quiet.saturating_sub(MS))
        }
        (_, guard, _) => guard,
    }
}
