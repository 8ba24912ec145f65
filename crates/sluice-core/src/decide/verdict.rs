//! Somebody knows more about one epoch of an indeterminate record.

use super::quiet::{NotYet, last_holder};
use crate::change::{Change, LeaseGuard, LeaseSet};
use crate::holder::Liveness;
use crate::ids::Epoch;
use crate::outcome::{Kept, Outcome};
use crate::record::Snapshot;
use crate::state::{Status, Transition};
use crate::trail::{EventDraft, EventKind};
use std::time::Duration;

/// What was found out.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// It happened, with this result.
    Landed(Kept),
    /// It did not happen.
    DidNotLand,
}

/// Who says so, about which epoch, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// Which epoch; may be left out where only one is in doubt.
    pub epoch: Option<Epoch>,
    /// What was found out.
    pub judgement: Judgement,
    /// Who says so.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Whether the quiet period and a held lock are overruled. Never the epoch.
    pub force: bool,
}

/// What is known of the last holder when a verdict is given.
pub type Proof = Liveness;

/// What to do with a verdict.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[expect(clippy::large_enum_variant, reason = "a step is moved once, from the decision to the store")]
pub enum VerdictStep {
    /// Write this; it is about this epoch.
    Write(Change, Epoch),
    /// The same was said before.
    Already(Epoch),
    /// Something else was said before, or was found out since.
    Contradicts,
    /// The record is not in doubt at all.
    NotIndeterminate,
    /// Several epochs are in doubt; say which.
    WhichEpoch(Vec<Epoch>),
    /// That epoch is not in doubt.
    NotInDoubt(Epoch),
    /// Something of the last holder still runs.
    HolderLives(Option<u32>),
    /// The last holder may still send something; ask again after this long.
    NotQuiet(Duration),
}

/// Decides on a verdict. *Did not land* is taken only when the last holder is provably gone or has been quiet for
/// long enough; a verdict that is wrong for being early would run the effect a second time.
pub fn verdict(found: &Snapshot, ruling: &Ruling, holder: Proof) -> VerdictStep {
    let body = &found.record.body;
    if body.status != Status::Indeterminate {
        return settled_before(found, ruling);
    }
    let epochs: Vec<_> = body.unresolved.epochs().collect();
    let epoch = match (ruling.epoch, epochs.as_slice()) {
        (Some(epoch), all) if all.contains(&epoch) => epoch,
        (Some(epoch), _) => return VerdictStep::NotInDoubt(epoch),
        (None, [only]) => *only,
        (None, _) => return VerdictStep::WhichEpoch(epochs),
    };
    match &ruling.judgement {
        Judgement::Landed(kept) => landed(found, ruling, epoch, kept),
        Judgement::DidNotLand => did_not_land(found, ruling, epoch, holder),
    }
}

fn landed(found: &Snapshot, ruling: &Ruling, epoch: Epoch, kept: &Kept) -> VerdictStep {
    let event = event(ruling, epoch, "landed");
    let change = Change::of(found, Transition::Succeed, event, |set| {
        set.landed.insert(epoch);
        set.unresolved.clear();
        set.outcome = Outcome::Success(kept.clone());
    });
    write(change.ok(), epoch)
}

fn did_not_land(found: &Snapshot, ruling: &Ruling, epoch: Epoch, holder: Proof) -> VerdictStep {
    let guard = match last_holder(found, holder) {
        _ if ruling.force => LeaseGuard::Any,
        Ok(guard) => guard,
        Err(NotYet::Alive(pid)) => return VerdictStep::HolderLives(pid),
        Err(NotYet::Quiet(left)) => return VerdictStep::NotQuiet(left),
    };
    let last = found.record.body.unresolved.len() == 1;
    let transition = if last { Transition::Release } else { Transition::Narrow };
    let said = if ruling.force { "did not land (forced)" } else { "did not land" };
    let change = Change::of(found, transition, event(ruling, epoch, said), |set| {
        set.unresolved.remove(epoch);
    });
    write(change.ok().map(|change| change.when_lease(guard).and_lease(LeaseSet::Settle)), epoch)
}

fn event(ruling: &Ruling, epoch: Epoch, said: &str) -> EventDraft {
    EventDraft::new(EventKind::Verdict)
        .about(epoch, None)
        .by(&ruling.by)
        .because(format!("{said}: {}", ruling.reason))
}

fn write(change: Option<Change>, epoch: Epoch) -> VerdictStep {
    change.map_or(VerdictStep::NotIndeterminate, |change| VerdictStep::Write(change, epoch))
}

/// A verdict on a record that is no longer in doubt: the same word again is fine, another one is not.
fn settled_before(found: &Snapshot, ruling: &Ruling) -> VerdictStep {
    let body = &found.record.body;
    let epoch = ruling.epoch.unwrap_or(body.epoch);
    if epoch > body.epoch {
        return VerdictStep::NotInDoubt(epoch);
    }
    match (body.status, &ruling.judgement) {
        (Status::Succeeded, Judgement::Landed(kept)) => match &body.outcome {
            Outcome::Success(known) if known.same_as(kept) || kept.sha256.is_none() => {
                VerdictStep::Already(epoch)
            }
            _ => VerdictStep::Contradicts,
        },
        (Status::Released, Judgement::DidNotLand) => VerdictStep::Already(epoch),
        (Status::Succeeded | Status::Released | Status::Failed, _) => VerdictStep::Contradicts,
        (Status::InFlight | Status::Indeterminate, _) => VerdictStep::NotIndeterminate,
    }
}
