//! The ways on from what failed and from what nobody knows.

mod common;

use common::*;
use sluice_core::change::{LeaseGuard, Unmet};
use sluice_core::decide::{Answer, Arrival, NotYet, ReopenStep, Step, arrive, reopen};
use sluice_core::failure::FailureClass;
use sluice_core::holder::Liveness;
use sluice_core::lease::{LeaseView, quiet_after};
use sluice_core::policy::{OnFailed, OnIndeterminate};
use sluice_core::record::LedgerTime;
use sluice_core::retention::{Misplaced, REMEMBER};
use sluice_core::state::Status;
use std::time::Duration;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn doubt() -> Ledger {
    Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown)
}

fn reclaims() -> Arrival {
    Arrival { on_indeterminate: OnIndeterminate::Reclaim, ..arrival() }
}

fn failed() -> Ledger {
    Ledger::in_flight().settled(1, 1, &fault(FailureClass::Permanent))
}

#[test]
fn a_doubt_runs_again_only_for_a_delivery_that_declares_its_effect_repeatable() {
    let doubt = doubt().lease(QUIET);
    let told = Step::Answer(Answer::Indeterminate);
    assert_eq!(arrive(Some(doubt.snapshot()), arrival(), &repeatable(2)), told);
    assert_eq!(arrive(Some(doubt.snapshot()), reclaims(), &plan(2, false)), told);
    let Step::Claim(change) = arrive(Some(doubt.snapshot()), reclaims(), &repeatable(2)) else {
        panic!("not reclaimed")
    };
    assert_eq!(change.guard.lease, LeaseGuard::EndedFor(quiet_after(None)));
    assert_eq!(change.set.downstream, doubt.body().downstream, "the target hears the same key");
}

#[test]
fn a_reclaim_waits_until_the_last_holder_can_no_longer_act() {
    let doubt = doubt();
    let hold = |arrival| arrive(Some(doubt.snapshot()), arrival, &repeatable(2));
    assert_eq!(hold(reclaims()), Step::Hold(NotYet::Quiet(Duration::from_secs(59))));
    let alive = Arrival { holder: Liveness::Alive(Some(7)), ..reclaims() };
    assert_eq!(hold(alive), Step::Hold(NotYet::Alive(Some(7))));
    assert!(matches!(hold(Arrival { holder: GONE, ..reclaims() }), Step::Claim(_)));
}

#[test]
fn a_holder_that_said_it_is_over_need_not_be_waited_for() {
    let ended = Ledger::in_flight().settled(1, 1, &fault(FailureClass::Unknown));
    assert!(matches!(arrive(Some(ended.snapshot()), reclaims(), &repeatable(2)), Step::Claim(_)));
    let overdue = Ledger::in_flight().settled(1, 1, &fault(FailureClass::Overdue));
    assert!(matches!(arrive(Some(overdue.snapshot()), reclaims(), &repeatable(2)), Step::Hold(_)));
}

#[test]
fn after_a_reboot_the_quiet_period_counts_from_the_lapse() {
    let doubt = doubt().lease(LeaseView::EndedAtReboot);
    let step = arrive(Some(doubt.snapshot()), reclaims(), &repeatable(2));
    assert_eq!(step, Step::Hold(NotYet::Quiet(quiet_after(None))));
}

#[test]
fn a_reclaim_keeps_the_older_doubt_until_something_is_known() {
    let again = doubt().reclaimed(2);
    assert_eq!((again.status(), again.unresolved()), (Status::InFlight, vec![1]));
    assert_eq!(again.events.last(), Some(&"effect.reclaimed"));
    let failed = again.clone().settled(2, 2, &fault(FailureClass::Permanent));
    assert_eq!((failed.status(), failed.unresolved()), (Status::Indeterminate, vec![1]));
    let done = again.settled(2, 2, &success("1"));
    assert_eq!((done.status(), done.unresolved()), (Status::Succeeded, vec![]));
}

#[test]
fn a_marked_effect_that_never_passed_its_mark_is_released_and_not_reclaimed() {
    let released = Ledger::marking().lease(ENDED).lapsed(Liveness::Unknown);
    let Step::Claim(change) = arrive(Some(released.snapshot()), reclaims(), &repeatable(2)) else {
        panic!("not claimed")
    };
    assert_eq!(change.event.kind.as_str(), "effect.claimed");
}

#[test]
fn a_failure_runs_again_only_for_a_delivery_whose_own_setting_says_so() {
    let failed = failed();
    let told = Step::Answer(Answer::Failed { tell: true });
    assert_eq!(arrive(Some(failed.snapshot()), arrival(), &plan(2, false)), told);
    let rerun = Arrival { on_failed: OnFailed::Rerun, ..arrival() };
    let Step::Claim(change) = arrive(Some(failed.snapshot()), rerun, &plan(2, false)) else {
        panic!("not run again")
    };
    let kinds: Vec<_> = change.events().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["effect.reopened", "effect.claimed"]);
}

#[test]
fn a_person_reopens_what_failed_and_nothing_else() {
    let mut ledger = failed();
    let ReopenStep::Write(change) = reopen(ledger.snapshot(), "ada", "the card was replaced") else {
        panic!("not reopened")
    };
    assert_eq!(
        (change.event.by.as_deref(), change.event.epoch),
        (Some("ada"), Some(sluice_core::ids::Epoch(1)))
    );
    ledger.apply(change).unwrap();
    assert_eq!(ledger.status(), Status::Released);
    assert_eq!(reopen(ledger.snapshot(), "ada", "again"), ReopenStep::Already);
    for (ledger, status) in [
        (Ledger::in_flight(), Status::InFlight),
        (doubt(), Status::Indeterminate),
        (Ledger::in_flight().settled(1, 1, &success("1")), Status::Succeeded),
    ] {
        assert_eq!(reopen(ledger.snapshot(), "ada", "no"), ReopenStep::NotFailed(status));
    }
}

#[test]
fn what_failed_by_its_state_but_is_known_to_have_landed_is_not_reopened() {
    let mut ledger = failed();
    ledger.now.as_mut().unwrap().record.body.landed.insert(sluice_core::ids::Epoch(1));
    assert_eq!(reopen(ledger.snapshot(), "ada", "no"), ReopenStep::NotFailed(Status::Failed));
}

#[test]
fn what_would_run_is_refused_for_its_age_and_what_is_recorded_answers() {
    let sent = |at| sluice_core::decide::Plan { first_sent: Some(LedgerTime(at)), ..plan(1, false) };
    let claim = |at, now| {
        let Step::Claim(change) = arrive(None, arrival(), &sent(at)) else { panic!("no claim") };
        Ledger { time: LedgerTime(now), ..Ledger::empty() }.apply(change)
    };
    let remembered = i64::try_from(REMEMBER.as_millis()).unwrap();
    assert_eq!(claim(0, remembered - DAY_MS), Ok(()));
    assert_eq!(claim(0, remembered - DAY_MS + 1), Err(Unmet::Sent(Misplaced::TooOld)));
    assert_eq!(claim(300_001, 0), Err(Unmet::Sent(Misplaced::InFuture)));
    assert_eq!(claim(300_000, 0), Ok(()));
    let done = Ledger::in_flight().settled(1, 1, &success("1"));
    assert_eq!(arrive(Some(done.snapshot()), arrival(), &sent(i64::MIN)), Step::Answer(Answer::Replay));
}
