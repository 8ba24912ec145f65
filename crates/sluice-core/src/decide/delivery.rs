//! A delivery arrives: claim, wait, replay, or refuse?

use super::claim;
use super::lapse::lapse;
use super::quiet::NotYet;
use crate::change::Change;
use crate::downstream::Profile;
use crate::holder::Liveness;
use crate::ids::{ClaimId, Epoch};
use crate::key::{Fingerprint, Match};
use crate::policy::{OnDuplicate, OnFailed, OnIndeterminate, WhileRunning};
use crate::record::{Downstream, Labels, LedgerTime, Snapshot, Terms};
use crate::state::Status;
use std::sync::Arc;

/// What a delivery would run with if it were granted the claim.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The claim id it made before it asked.
    pub claim: ClaimId,
    /// What it declares.
    pub terms: Terms,
    /// Words for people.
    pub labels: Labels,
    /// The keyed hash of its request.
    pub fingerprint: Option<Fingerprint>,
    /// The key to send to the target where the record has none yet.
    pub downstream: Downstream,
    /// When the intent was first sent, where the delivery says so.
    pub first_sent: Option<LedgerTime>,
    /// What the target does with keys, where the delivery says so.
    pub target: Option<Arc<Profile>>,
    /// The key that would replace the record's, where it may be replaced ([`rotates`](super::rotates)).
    pub replacement: Option<Downstream>,
}

/// What is known when a delivery arrives at a record.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Whether it is the same request.
    pub request: Match,
    /// What is known of the record's holder.
    pub holder: Liveness,
    /// What the delivery wants where its intent ended before.
    pub on_duplicate: OnDuplicate,
    /// What it does while its intent runs elsewhere.
    pub while_running: WhileRunning,
    /// What it wants where nobody knows whether its intent happened.
    pub on_indeterminate: OnIndeterminate,
    /// What it wants where its intent failed before.
    pub on_failed: OnFailed,
}

/// What to do with a delivery.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Step {
    /// Write this, then look again.
    Lapse(Change),
    /// Write this, once it says who asks ([`Change::held_by`]); if it applies, perform.
    Claim(Change),
    /// Look again later; the delivery is bound to this epoch from now on.
    Wait(Epoch),
    /// Arrive again later: it may run once the last holder can no longer act. Where the delivery has no more time,
    /// nobody knows.
    Hold(NotYet),
    /// Tell the caller.
    Answer(Answer),
}

/// What to tell the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was done before; here is the result.
    Replay,
    /// It was done before; the delivery wants no more than that.
    AlreadyProcessed,
    /// It did not happen and would fail again; with what the holder said, or without.
    Failed {
        /// Whether the delivery hears what the holder said.
        tell: bool,
    },
    /// It did not happen.
    Released,
    /// Nobody knows.
    Indeterminate,
    /// The key belongs to a different request.
    Conflict(Match),
    /// It runs elsewhere.
    InFlight,
    /// It was delivered before, and the delivery asked to be told so.
    Duplicate,
}

impl Answer {
    /// Whether it tells of a success, which is final.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Replay | Self::AlreadyProcessed)
    }
}

/// Decides what a delivery does that has just arrived.
///
/// The request is compared first, so that a conflict touches nothing of the first record; then what has ended
/// lapses; only then does the delivery arrive (RULINGS 1 and 3).
pub fn arrive(found: Option<&Snapshot>, arrival: Arrival, plan: &Plan) -> Step {
    let Some(found) = found else {
        return Step::Claim(claim::first(plan));
    };
    if !matches!(arrival.request, Match::Same | Match::Neither) {
        return Step::Answer(Answer::Conflict(arrival.request));
    }
    if let Some(change) = lapse(found, arrival.holder) {
        return Step::Lapse(change);
    }
    let body = &found.record.body;
    match body.status {
        Status::InFlight => match (arrival.on_duplicate, arrival.while_running) {
            (OnDuplicate::Conflict, _) => Step::Answer(Answer::Duplicate),
            (_, WhileRunning::Refuse) => Step::Answer(Answer::InFlight),
            (_, WhileRunning::Wait) => Step::Wait(body.epoch),
        },
        // Whatever its state says, what is known to have landed is never run again.
        status if !body.landed.is_empty() => Step::Answer(ended(status, arrival.on_duplicate)),
        Status::Released => claim::released(found, plan),
        Status::Failed if arrival.on_failed == OnFailed::Rerun => claim::failed(found, plan),
        Status::Indeterminate if arrival.on_indeterminate == OnIndeterminate::Reclaim => {
            claim::unknown(found, plan, arrival.holder)
        }
        status => Step::Answer(ended(status, arrival.on_duplicate)),
    }
}

/// Decides what a delivery does that is bound to an epoch (RULINGS 2): it hears that epoch's outcome, even if a
/// newer one runs by then, and never claims.
pub fn waiting(found: Option<&Snapshot>, bound: Epoch, arrival: Arrival) -> Step {
    // A record that vanished under a waiter is a ledger that lost something: nobody knows.
    let Some(found) = found else {
        return Step::Answer(Answer::Indeterminate);
    };
    let body = &found.record.body;
    if body.epoch < bound {
        // An older look than the one that bound the delivery.
        return Step::Wait(bound);
    }
    if body.landed.contains(&bound) {
        return Step::Answer(ended(Status::Succeeded, arrival.on_duplicate));
    }
    if body.epoch > bound && body.status != Status::Succeeded {
        let known = body.unresolved.why(bound).is_none();
        return Step::Answer(if known { Answer::Released } else { Answer::Indeterminate });
    }
    if let Some(change) = lapse(found, arrival.holder) {
        return Step::Lapse(change);
    }
    match body.status {
        Status::InFlight => Step::Wait(bound),
        status => Step::Answer(ended(status, arrival.on_duplicate)),
    }
}

fn ended(status: Status, on_duplicate: OnDuplicate) -> Answer {
    match (status, on_duplicate) {
        (Status::Indeterminate, _) => Answer::Indeterminate,
        (Status::Released, _) => Answer::Released,
        (Status::InFlight, _) => Answer::InFlight,
        (Status::Succeeded | Status::Failed, OnDuplicate::Conflict) => Answer::Duplicate,
        (Status::Succeeded, OnDuplicate::Replay) => Answer::Replay,
        (Status::Succeeded, OnDuplicate::AlreadyProcessed) => Answer::AlreadyProcessed,
        (Status::Failed, on_duplicate) => Answer::Failed { tell: on_duplicate == OnDuplicate::Replay },
    }
}
