//! A person gives a failed intent another chance.

use crate::change::{Change, LeaseSet};
use crate::record::Snapshot;
use crate::state::{Status, Transition};
use crate::trail::{EventDraft, EventKind};

/// What to do with the wish to reopen.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[expect(clippy::large_enum_variant, reason = "a step is moved once, from the decision to the store")]
pub enum ReopenStep {
    /// Write this.
    Write(Change),
    /// It is released already: the next delivery runs it.
    Already,
    /// Only what failed can be reopened.
    NotFailed(Status),
}

/// Decides on reopening. What the holder said stays in the record until the next claim.
pub fn reopen(found: &Snapshot, by: &str, reason: &str) -> ReopenStep {
    let status = found.record.body.status;
    if status == Status::Released {
        return ReopenStep::Already;
    }
    let event =
        EventDraft::new(EventKind::Reopened).about(found.record.body.epoch, None).by(by).because(reason);
    match Change::of(found, Transition::Reopen, event, |_| ()) {
        Ok(change) if found.record.body.landed.is_empty() => {
            ReopenStep::Write(change.and_lease(LeaseSet::Settle))
        }
        _ => ReopenStep::NotFailed(status),
    }
}
