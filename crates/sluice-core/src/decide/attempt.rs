//! An attempt passes its point of no return, or ends.

use super::evidence::landed_before;
use crate::change::{Change, GrantGuard, LeaseGuard, LeaseSet};
use crate::failure::FailureClass;
use crate::ids::{ClaimId, Epoch};
use crate::outcome::{Fault, Kept, Outcome};
use crate::ports::Report;
use crate::record::{Body, Snapshot};
use crate::state::{InvalidTransition, Status, Transition};
use crate::trail::{EventDraft, EventKind};
use crate::unresolved::{Doubt, Unresolved};

/// What to do with a holder's word.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[expect(clippy::large_enum_variant, reason = "a step is moved once, from the decision to the store")]
pub enum SettleStep {
    /// Write this.
    Write(Change),
    /// The ledger knows it already; nothing is written.
    Already,
    /// It contradicts what is recorded, or comes too late to count: only a notice is written.
    Refused(EventDraft),
    /// The claim is over: the holder must not go on (marks only).
    Lost,
    /// The record knows nothing of that claim: the ledger lost something, or the word is meant for another record.
    Unheard,
}

/// Decides on a mark. It needs a live lease: a holder that may have been replaced must not pass.
pub fn mark(found: &Snapshot, claim: ClaimId, epoch: Epoch) -> SettleStep {
    let body = &found.record.body;
    let holds = body.status == Status::InFlight && body.claim == claim && body.epoch == epoch;
    if !holds || !found.lease.is_live() {
        return SettleStep::Lost;
    }
    if body.marked {
        return SettleStep::Already;
    }
    let event = EventDraft::new(EventKind::Marked).about(epoch, Some(claim));
    let change = Change::of(found, Transition::Mark, event, |set| set.marked = true);
    change.map_or(SettleStep::Lost, |change| {
        SettleStep::Write(change.when_lease(LeaseGuard::Live).when_grant(GrantGuard::Held(claim, epoch)))
    })
}

/// Decides on a holder's word about its own epoch. The lease does not matter, the claim id and epoch do.
pub fn settle(found: &Snapshot, claim: ClaimId, epoch: Epoch, report: &Report) -> SettleStep {
    let body = &found.record.body;
    if epoch > body.epoch || (epoch == body.epoch && claim != body.claim) {
        return SettleStep::Unheard;
    }
    let step = match report {
        Report::Success { kept, object_id } => success(found, epoch, kept, object_id.as_deref()),
        Report::Fault(fault) => word(found, epoch, fault),
    };
    match step {
        Ok(SettleStep::Write(change)) => {
            SettleStep::Write(change.when_grant(GrantGuard::Held(claim, epoch)).and_lease(LeaseSet::Settle))
        }
        Ok(step) => step,
        Err(_) => SettleStep::Refused(notice(found, epoch, report)),
    }
    .with_claim(claim)
}

impl SettleStep {
    fn with_claim(mut self, claim: ClaimId) -> Self {
        match &mut self {
            Self::Write(change) => change.event.claim = Some(claim),
            Self::Refused(event) => event.claim = Some(claim),
            Self::Already | Self::Lost | Self::Unheard => {}
        }
        self
    }
}

fn success(
    found: &Snapshot,
    epoch: Epoch,
    kept: &Kept,
    object_id: Option<&str>,
) -> Result<SettleStep, InvalidTransition> {
    let body = &found.record.body;
    if body.landed.contains(&epoch) {
        return Ok(repeated(found, epoch, kept));
    }
    let newer = epoch < body.epoch;
    let (transition, kind) = match body.status {
        Status::InFlight if newer => (Transition::Witness, EventKind::Evidence),
        // The holder itself said before that it did not happen: its two words contradict each other.
        Status::Failed if !newer => return Err(contradiction(Status::Failed)),
        Status::Succeeded => (Transition::Witness, EventKind::Evidence),
        _ => (Transition::Succeed, EventKind::Succeeded),
    };
    let mut event = EventDraft::new(kind).about(epoch, None);
    if !newer && body.provably_not_begun() {
        // The effect promised a mark and set none: a death of it would have been taken for "nothing happened".
        event = event.because("succeeded without the mark it declared");
    }
    let change = Change::of(found, transition, event, |set| {
        set.landed.insert(epoch);
        set.unresolved.remove(epoch);
        set.labels.object_id = object_id.map(str::to_owned).or(set.labels.object_id.take());
        if transition == Transition::Succeed {
            set.unresolved.clear();
            set.outcome = Outcome::Success(kept.clone());
        } else if set.status != Status::Succeeded {
            set.evidence = Some(kept.clone());
        }
    })?;
    Ok(SettleStep::Write(change))
}

/// The same holder reports its landing again, or after a verdict said so: equal is fine, and so is a result where
/// the verdict had none to give; two different results are a contradiction.
fn repeated(found: &Snapshot, epoch: Epoch, kept: &Kept) -> SettleStep {
    let body = &found.record.body;
    let known = match &body.outcome {
        Outcome::Success(known) if body.landed.len() == 1 => known,
        _ => return SettleStep::Already,
    };
    if known.same_as(kept) || known.sha256.is_none() {
        SettleStep::Already
    } else {
        let event = EventDraft::new(EventKind::Contradicted).about(epoch, None);
        SettleStep::Refused(event.because("a second, different result"))
    }
}

fn word(found: &Snapshot, epoch: Epoch, fault: &Fault) -> Result<SettleStep, InvalidTransition> {
    let body = &found.record.body;
    if body.epoch > epoch {
        return older_word(found, epoch, fault);
    }
    let class = effective(body, fault.class);
    if is_known(body, epoch, class, fault) {
        return Ok(SettleStep::Already);
    }
    if !matches!(body.status, Status::InFlight | Status::Indeterminate) {
        return Err(contradiction(body.status));
    }
    let unresolved = match (own_doubt(class), body.unresolved.why(epoch)) {
        (Some(doubt), _) => with(body, epoch, doubt),
        // Unknown is sticky: a later definite word does not undo an attempt that nobody knows of (DESIGN rule 8). But
        // it says that the attempt is over.
        (_, Some(doubt)) if doubt.is_own_word() => with(body, epoch, Doubt::Ended),
        _ => {
            let mut set = body.unresolved.clone();
            set.remove(epoch);
            set
        }
    };
    let landed = landed_before(body);
    let in_doubt = !unresolved.is_empty();
    let (transition, kind) = match (&landed, in_doubt, class) {
        (Some(_), ..) => (Transition::Succeed, word_kind(class)),
        (None, true, _) if body.status == Status::Indeterminate => (Transition::Narrow, word_kind(class)),
        (None, true, _) => (Transition::Doubt, word_kind(class)),
        (None, false, FailureClass::Permanent) => (Transition::Fail, EventKind::Failed),
        (None, false, _) => (Transition::Release, EventKind::Released),
    };
    if transition == Transition::Narrow && unresolved == body.unresolved {
        return Err(contradiction(body.status));
    }
    let event = EventDraft::new(kind).about(epoch, None);
    let change = Change::of(found, transition, event, |set| {
        set.unresolved = unresolved;
        set.outcome = Outcome::Fault(Fault { class, ..fault.clone() });
        if let Some(kept) = landed {
            set.unresolved.clear();
            set.outcome = Outcome::Success(kept);
        }
    })?;
    Ok(SettleStep::Write(change))
}

/// The doubt that a holder's word leaves of its own epoch; none where the word is definite.
fn own_doubt(class: FailureClass) -> Option<Doubt> {
    match class {
        FailureClass::Unknown | FailureClass::Unclassified => Some(Doubt::Ended),
        FailureClass::Overdue => Some(Doubt::Unknown),
        FailureClass::Permanent | FailureClass::Transient | FailureClass::NotStarted => None,
    }
}

fn with(body: &Body, epoch: Epoch, doubt: Doubt) -> Unresolved {
    let mut set = body.unresolved.clone();
    set.add(epoch, doubt);
    set
}

/// An older holder's definite word takes its own epoch out of doubt; it says nothing about the newer one.
fn older_word(found: &Snapshot, epoch: Epoch, fault: &Fault) -> Result<SettleStep, InvalidTransition> {
    let body = &found.record.body;
    match (own_doubt(fault.class), body.unresolved.why(epoch)) {
        // Unknown is sticky also where a newer epoch runs: no later word of this holder is definite (RULINGS 11).
        (Some(doubt), Some(Doubt::Lapsed)) => return older_doubt(found, epoch, doubt),
        (None, Some(Doubt::Lapsed)) => {}
        (Some(_), Some(_)) => return Ok(SettleStep::Already),
        _ => return Ok(SettleStep::Refused(EventDraft::new(EventKind::Contradicted).about(epoch, None))),
    }
    let last = body.unresolved.len() == 1;
    let transition = match body.status {
        Status::Indeterminate if last => Transition::Release,
        Status::Indeterminate => Transition::Narrow,
        _ => Transition::Witness,
    };
    let event = EventDraft::new(word_kind(fault.class)).about(epoch, None);
    let change = Change::of(found, transition, event, |set| {
        set.unresolved.remove(epoch);
    })?;
    Ok(SettleStep::Write(change))
}

fn older_doubt(found: &Snapshot, epoch: Epoch, doubt: Doubt) -> Result<SettleStep, InvalidTransition> {
    let transition = match found.record.body.status {
        Status::Indeterminate => Transition::Narrow,
        _ => Transition::Witness,
    };
    let event = EventDraft::new(EventKind::Unknown).about(epoch, None);
    let change = Change::of(found, transition, event, |set| set.unresolved.add(epoch, doubt))?;
    Ok(SettleStep::Write(change))
}

/// What a failure's class means for this record.
///
/// An effect that declared marks and set none never passed its point of no return, so that an error nobody classified
/// came before it. A holder that itself says "unknown" is believed: it may have forgotten its mark.
pub fn effective(body: &Body, class: FailureClass) -> FailureClass {
    let unsaid = matches!(class, FailureClass::Unclassified | FailureClass::Overdue);
    if unsaid && body.provably_not_begun() { FailureClass::NotStarted } else { class }
}

fn is_known(body: &Body, epoch: Epoch, class: FailureClass, fault: &Fault) -> bool {
    use FailureClass::{NotStarted, Overdue, Transient, Unclassified, Unknown};
    match (body.status, class) {
        (Status::InFlight, _) => false,
        (Status::Indeterminate, Unknown | Unclassified) => body.unresolved.why(epoch) == Some(Doubt::Ended),
        (Status::Indeterminate, Overdue) => body.unresolved.why(epoch).is_some_and(Doubt::is_own_word),
        (Status::Released, Transient | NotStarted) => true,
        _ => body.outcome == Outcome::Fault(Fault { class, ..fault.clone() }),
    }
}

fn word_kind(class: FailureClass) -> EventKind {
    match class {
        FailureClass::Permanent => EventKind::Failed,
        FailureClass::Transient | FailureClass::NotStarted => EventKind::Released,
        FailureClass::Unknown | FailureClass::Unclassified | FailureClass::Overdue => EventKind::Unknown,
    }
}

fn contradiction(status: Status) -> InvalidTransition {
    InvalidTransition { from: Some(status), transition: Transition::Doubt }
}

fn notice(found: &Snapshot, epoch: Epoch, report: &Report) -> EventDraft {
    let said = match report {
        Report::Success { .. } => "success",
        Report::Fault(fault) => word_kind(fault.class).as_str(),
    };
    let status = found.record.body.status;
    EventDraft::new(EventKind::Contradicted)
        .about(epoch, None)
        .because(format!("the holder said {said} where the record is {status}"))
}
