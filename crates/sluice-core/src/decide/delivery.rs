//! A delivery arrives: claim, wait, replay, or refuse?

use super::lapse::lapse;
use crate::change::{Change, GrantGuard, LeaseSet};
use crate::holder::{Holder, Liveness};
use crate::ids::{ClaimId, Epoch};
use crate::key::{Fingerprint, Match};
use crate::outcome::Outcome;
use crate::policy::{OnDuplicate, WhileRunning};
use crate::record::{Body, Downstream, Labels, Record, Snapshot, Terms};
use crate::state::{Status, Transition};
use crate::trail::{EventDraft, EventKind};
use crate::unresolved::Unresolved;
use std::collections::BTreeSet;

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

/// Decides what a delivery does that has just arrived.
///
/// The request is compared first, so that a conflict touches nothing of the first record; then what has ended
/// lapses; only then does the delivery arrive (RULINGS 1 and 3).
pub fn arrive(found: Option<&Snapshot>, arrival: Arrival, plan: &Plan) -> Step {
    let Some(found) = found else {
        return Step::Claim(first_claim(plan));
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
        Status::Released if body.landed.is_empty() => claim_released(found, plan),
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

fn first_claim(plan: &Plan) -> Change {
    let body = Body {
        status: Status::InFlight,
        epoch: Epoch::FIRST,
        claim: plan.claim,
        holder: Holder::default(),
        terms: plan.terms.clone(),
        marked: false,
        labels: plan.labels.clone(),
        fingerprint: plan.fingerprint.clone(),
        unresolved: Unresolved::default(),
        landed: BTreeSet::new(),
        evidence: None,
        outcome: Outcome::None,
        downstream: plan.downstream.clone(),
    };
    let mut event = EventDraft::new(EventKind::Claimed).about(Epoch::FIRST, Some(plan.claim));
    event.status = Some(Status::InFlight);
    Change::first_claim(body, event)
}

fn claim_released(found: &Snapshot, plan: &Plan) -> Step {
    let epoch = found.record.body.epoch.next();
    let event = EventDraft::new(EventKind::Claimed).about(epoch, Some(plan.claim));
    let change = Change::of(found, Transition::Claim, event, |set| {
        set.epoch = epoch;
        set.claim = plan.claim;
        set.holder = Holder::default();
        set.terms = plan.terms.clone();
        set.marked = false;
        set.labels = relabel(&set.labels, &plan.labels);
        set.outcome = Outcome::None;
    });
    match change {
        Ok(change) => Step::Claim(
            change.when_grant(GrantGuard::Unused(plan.claim)).and_lease(LeaseSet::Grant(plan.terms.lease)),
        ),
        Err(_) => Step::Answer(Answer::Released),
    }
}

fn relabel(old: &Labels, new: &Labels) -> Labels {
    let newer = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
    Labels {
        tool: newer(&new.tool, &old.tool),
        actor: newer(&new.actor, &old.actor),
        run_id: newer(&new.run_id, &old.run_id),
        object_id: newer(&new.object_id, &old.object_id),
    }
}

/// Whose claim a record holds, seen from a delivery whose own claim did not apply or whose answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnClaim {
    /// Its own, and it still runs: the answer was lost, the claim was not (F14).
    Granted,
    /// Its own, but it ended before the delivery heard of it, so that it never performed.
    Ended,
    /// Another delivery's.
    Another,
}

/// Recognises a delivery's own claim in what was found.
pub fn claimed(record: &Record, claim: ClaimId) -> OwnClaim {
    match (record.body.claim == claim, record.body.status) {
        (true, Status::InFlight) => OwnClaim::Granted,
        (true, _) => OwnClaim::Ended,
        (false, _) => OwnClaim::Another,
    }
}
