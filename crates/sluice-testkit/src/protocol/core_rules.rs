//! The core's own rules and guards, in the core's own words: what the model's questions are turned into.

use super::bounds::Effect;
use super::compact::{Rec, Word, claim_id, kept};
use super::edit::Edit;
use super::rules::{Ask, Proof, Question, Reply};
use super::state::{Phase, Row};
use crate::sample;
use sluice_core::change::{Change, renewal as judge_renewal};
use sluice_core::decide::{
    self, Arrival, Judgement, OwnClaim, Plan, ReopenStep, Ruling, SettleStep, Step, VerdictStep,
};
use sluice_core::holder::{GoneBecause, Liveness};
use sluice_core::ids::{Epoch, RecordId, Version};
use sluice_core::key::Match;
use sluice_core::lease::LeaseView;
use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate, WhileRunning};
use sluice_core::ports::Report;
use sluice_core::record::{Downstream, Labels, LedgerTime, Record, Snapshot};
use sluice_core::store::Renewed;
use std::time::Duration;

/// Whose claim a record holds.
pub(super) fn own_claim(found: &Rec, claim: u8, effect: Effect) -> OwnClaim {
    decide::claimed(&record(found, effect), claim_id(claim))
}

/// The answer to a renewal.
pub(super) fn renewal(row: &Row, claim: u8, epoch: u8, effect: Effect) -> Renewed {
    let Some(found) = &row.record else { return Renewed::Lost };
    let (found, lease, ask) = (record(found, effect), lease(row.lease, effect), sample::LEASE);
    judge_renewal(&found, lease, claim_id(claim), Epoch(epoch.into()), ask)
}

/// Whether the core shows a record as one that landed twice.
pub(super) fn shows_double_effect(found: &Rec, effect: Effect) -> bool {
    found.body(effect).double_effect()
}

pub(super) fn lease(phase: Phase, effect: Effect) -> LeaseView {
    match phase {
        Phase::Live => LeaseView::Live(sample::LEASE),
        Phase::Ended => LeaseView::Ended(Duration::ZERO),
        Phase::Quiet => LeaseView::Ended(effect.quiet()),
        Phase::Reboot => LeaseView::EndedAtReboot,
    }
}

pub(super) fn record(found: &Rec, effect: Effect) -> Record {
    thread_local!(static ID: RecordId = sample::id("intent"));
    Record {
        id: ID.with(Clone::clone),
        version: Version(found.version.into()),
        incarnation: 1,
        created: LedgerTime(0),
        updated: LedgerTime(0),
        body: found.body(effect),
    }
}

fn liveness(proof: Proof, phase: Phase) -> Liveness {
    match (proof, phase) {
        (Proof::Unknown, _) => Liveness::Unknown,
        (Proof::Alive, _) => Liveness::Alive(None),
        (Proof::Gone, Phase::Reboot) => Liveness::Gone(GoneBecause::Rebooted),
        (Proof::Gone, _) => Liveness::Gone(GoneBecause::LockFree),
    }
}

/// The rule's own answer.
pub(super) fn core(question: &Question) -> Reply {
    let Question { found, effect, ask } = *question;
    let phase = found.map_or(Phase::Ended, |(_, phase)| phase);
    let snapshot =
        found.map(|(found, phase)| Snapshot { record: record(&found, effect), lease: lease(phase, effect) });
    let arrival = |proof| arrival(effect, liveness(proof, phase));
    match (ask, &snapshot) {
        (Ask::Arrive { claim, proof }, found) => {
            step(decide::arrive(found.as_ref(), arrival(proof), &plan(claim, effect)), effect)
        }
        (Ask::Waiting { bound, proof }, found) => {
            step(decide::waiting(found.as_ref(), Epoch(bound.into()), arrival(proof)), effect)
        }
        (_, None) => Reply::Nothing,
        (Ask::Lapse { proof }, Some(found)) => {
            let change = decide::lapse(found, liveness(proof, phase));
            change.map_or(Reply::Nothing, |change| Reply::Lapse(Edit::of(&change, effect)))
        }
        (Ask::Mark { claim, epoch }, Some(found)) => {
            settled(decide::mark(found, claim_id(claim), Epoch(epoch.into())), effect)
        }
        (Ask::Word { claim, epoch, word }, Some(found)) => {
            let report = report(epoch, word);
            settled(decide::settle(found, claim_id(claim), Epoch(epoch.into()), &report), effect)
        }
        (Ask::Verdict { epoch, landed, force, proof }, Some(found)) => {
            let ruling = ruling(epoch, landed, force);
            match decide::verdict(found, &ruling, liveness(proof, phase)) {
                VerdictStep::Write(change, _) => written(&change, effect),
                _ => Reply::Nothing,
            }
        }
        (Ask::Reopen, Some(found)) => match decide::reopen(found, "somebody", "try again") {
            ReopenStep::Write(change) => written(&change, effect),
            _ => Reply::Nothing,
        },
    }
}

fn written(change: &Change, effect: Effect) -> Reply {
    Reply::Write(Edit::of(change, effect))
}

fn step(step: Step, effect: Effect) -> Reply {
    match step {
        Step::Lapse(change) => Reply::Lapse(Edit::of(&change, effect)),
        Step::Claim(change) => Reply::Claim(Edit::of(&change, effect)),
        Step::Wait(_) => Reply::Wait,
        Step::Hold(_) => Reply::Hold,
        Step::Answer(answer) => Reply::Answer(answer),
    }
}

fn settled(step: SettleStep, effect: Effect) -> Reply {
    match step {
        SettleStep::Write(change) => written(&change, effect),
        SettleStep::Already => Reply::Already,
        SettleStep::Refused(_) => Reply::Refused,
        SettleStep::Lost => Reply::Lost,
        SettleStep::Unheard => Reply::Unheard,
    }
}

fn arrival(effect: Effect, holder: Liveness) -> Arrival {
    Arrival {
        request: Match::Neither,
        holder,
        on_duplicate: OnDuplicate::Replay,
        while_running: WhileRunning::Wait,
        on_indeterminate: if effect.repeatable { OnIndeterminate::Reclaim } else { OnIndeterminate::Refuse },
        on_failed: if effect.again { OnFailed::Rerun } else { OnFailed::Replay },
    }
}

fn plan(claim: u8, effect: Effect) -> Plan {
    Plan {
        claim: claim_id(claim),
        terms: effect.terms(),
        labels: Labels::default(),
        fingerprint: None,
        downstream: Downstream::default(),
        first_sent: None,
        target: None,
        replacement: None,
    }
}

fn report(epoch: u8, word: Word) -> Report {
    word.fault().map_or(Report::Success { kept: kept(epoch), object_id: None }, Report::Fault)
}

fn ruling(epoch: u8, landed: bool, force: bool) -> Ruling {
    let judgement = if landed { Judgement::Landed(kept(0)) } else { Judgement::DidNotLand };
    Ruling {
        epoch: Some(Epoch(epoch.into())),
        judgement,
        by: "somebody".into(),
        reason: "looked".into(),
        force,
    }
}
