//! The right to execute, as a change: the first one, and the three ways to a later one.

use super::delivery::{Answer, Plan, Step};
use super::quiet::last_holder;
use super::target::{next_key, repeats_by_key};
use crate::change::{Change, GrantGuard, LeaseGuard, LeaseSet};
use crate::holder::{Holder, Liveness};
use crate::ids::{ClaimId, Epoch};
use crate::outcome::Outcome;
use crate::record::{Body, Labels, Record, Snapshot};
use crate::retention::FirstSent;
use crate::state::{InvalidTransition, Status, Transition};
use crate::trail::{EventDraft, EventKind};
use crate::unresolved::Unresolved;
use std::collections::BTreeSet;

impl Plan {
    fn sent(&self) -> Option<FirstSent> {
        self.first_sent.map(|at| FirstSent { at, remember: self.terms.remember })
    }
}

/// The first claim of an intent.
pub(super) fn first(plan: &Plan) -> Change {
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
    Change::first_claim(body, event).when_sent(plan.sent())
}

/// What was released runs for whoever arrives.
pub(super) fn released(found: &Snapshot, plan: &Plan) -> Step {
    let claimed = EventDraft::new(EventKind::Claimed);
    again(found, plan, Transition::Claim, claimed).map_or(Step::Answer(Answer::Released), Step::Claim)
}

/// What failed runs for a delivery whose own setting says so: one change that reopens and claims (RULINGS 15).
pub(super) fn failed(found: &Snapshot, plan: &Plan) -> Step {
    let change = again(found, plan, Transition::Rerun, EventDraft::new(EventKind::Claimed));
    let mut reopened = EventDraft::new(EventKind::Reopened)
        .about(found.record.body.epoch, None)
        .because("the delivery says that a failure is to be run again");
    reopened.status = Some(Status::Released);
    change.map_or(Step::Answer(Answer::Failed { tell: true }), |change| {
        Step::Claim(change.preceded_by(reopened))
    })
}

/// What nobody knows runs again where that does no harm, once the last holder can no longer act.
pub(super) fn unknown(found: &Snapshot, plan: &Plan, holder: Liveness) -> Step {
    let age = if plan.terms.repeatable { None } else { repeats_by_key(found, plan) };
    let why = match (plan.terms.repeatable, age) {
        (true, _) => "the effect is declared repeatable",
        (false, Some(_)) => "the target recognises the key",
        (false, None) => return Step::Answer(Answer::Indeterminate),
    };
    let guard = match last_holder(found, holder) {
        Ok(guard) => guard,
        Err(not_yet) => return Step::Hold(not_yet),
    };
    let event = EventDraft::new(EventKind::Reclaimed).because(why);
    let change = again(found, plan, Transition::Reclaim, event);
    change.map_or(Step::Answer(Answer::Indeterminate), |change| {
        Step::Claim(change.when_lease(guard).when_key_age(age))
    })
}

fn again(
    found: &Snapshot,
    plan: &Plan,
    transition: Transition,
    event: EventDraft,
) -> Result<Change, InvalidTransition> {
    let epoch = found.record.body.epoch.next();
    let event = event.about(epoch, Some(plan.claim));
    let key = next_key(found, plan, transition);
    let change = Change::of(found, transition, event, |set| {
        set.epoch = epoch;
        set.claim = plan.claim;
        set.holder = Holder::default();
        set.terms = plan.terms.clone();
        set.marked = false;
        set.labels = relabel(&set.labels, &plan.labels);
        set.outcome = Outcome::None;
        if let Some(key) = key {
            set.downstream = key;
        }
    })?;
    Ok(change
        .when_grant(GrantGuard::Unused(plan.claim))
        .when_lease(LeaseGuard::Any)
        .when_sent(plan.sent())
        .and_lease(LeaseSet::Grant(plan.terms.lease)))
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
