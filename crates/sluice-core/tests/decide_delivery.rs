//! Deliveries, waiters and lapses.

mod common;

use common::{ENDED, GONE, LIVE, Ledger, arrival, fault, plan, repeatable, success};
use sluice_core::change::LeaseGuard;
use sluice_core::decide::{self, Answer, Arrival, OwnClaim, Step, arrive, claimed, waiting};
use sluice_core::failure::FailureClass::{Permanent, Transient, Unknown};
use sluice_core::holder::{GoneBecause, Liveness};
use sluice_core::ids::Epoch;
use sluice_core::key::Match;
use sluice_core::policy::OnDuplicate::{AlreadyProcessed, Conflict, Replay};
use sluice_core::policy::{OnFailed, OnIndeterminate, WhileRunning};
use sluice_core::state::Status::{InFlight, Indeterminate, Released};

fn deliver(ledger: &Ledger, arrival: Arrival) -> Step {
    arrive(ledger.now.as_ref(), arrival, &plan(9, false))
}

#[test]
fn a_delivery_hears_what_its_setting_asks_for_in_every_state() {
    let done = Ledger::in_flight().settled(1, 1, &success("1"));
    let failed = Ledger::in_flight().settled(1, 1, &fault(Permanent));
    let doubt = Ledger::in_flight().settled(1, 1, &fault(Unknown));
    let running = Ledger::in_flight().lease(LIVE);
    let told = |ledger: &Ledger, on_duplicate| match deliver(ledger, Arrival { on_duplicate, ..arrival() }) {
        Step::Answer(answer) => answer,
        step => panic!("{step:?}"),
    };
    assert_eq!(
        [Replay, AlreadyProcessed, Conflict].map(|p| told(&done, p)),
        [Answer::Replay, Answer::AlreadyProcessed, Answer::Duplicate]
    );
    assert_eq!(
        [Replay, AlreadyProcessed, Conflict].map(|p| told(&failed, p)),
        [Answer::Failed { tell: true }, Answer::Failed { tell: false }, Answer::Duplicate]
    );
    assert_eq!([Replay, AlreadyProcessed, Conflict].map(|p| told(&doubt, p)), [Answer::Indeterminate; 3]);
    assert_eq!(told(&running, Conflict), Answer::Duplicate);
    assert_eq!(deliver(&running, arrival()), Step::Wait(Epoch(1)));
    let refuse = Arrival { while_running: WhileRunning::Refuse, ..arrival() };
    assert_eq!(deliver(&running, refuse), Step::Answer(Answer::InFlight));
    let released = Ledger::in_flight().settled(1, 1, &fault(Transient));
    for on_duplicate in [Replay, AlreadyProcessed, Conflict] {
        assert!(matches!(deliver(&released, Arrival { on_duplicate, ..arrival() }), Step::Claim(_)));
    }
}

#[test]
fn a_different_request_is_told_so_first_in_every_state_and_lapses_nothing() {
    let ended = Ledger::in_flight().lease(ENDED);
    let done = Ledger::in_flight().settled(1, 1, &success("1"));
    let released = Ledger::in_flight().settled(1, 1, &fault(Transient));
    for ledger in [ended, done, released] {
        for request in [Match::Different, Match::OnlyHere, Match::OnlyThere, Match::SecretMissing] {
            let step = deliver(&ledger, Arrival { request, holder: GONE, ..arrival() });
            assert_eq!(step, Step::Answer(Answer::Conflict(request)));
        }
    }
}

#[test]
fn what_has_ended_lapses_before_anybody_arrives_at_it() {
    assert!(matches!(deliver(&Ledger::in_flight().lease(ENDED), arrival()), Step::Lapse(_)));
    let gone = Arrival { holder: GONE, ..arrival() };
    assert!(matches!(deliver(&Ledger::in_flight().lease(LIVE), gone), Step::Lapse(_)));
    let alive = Arrival { holder: Liveness::Alive(None), ..arrival() };
    assert_eq!(deliver(&Ledger::in_flight().lease(LIVE), alive), Step::Wait(Epoch(1)));
    assert!(
        matches!(deliver(&Ledger::in_flight().lease(ENDED), alive), Step::Lapse(_)),
        "an ended lease is over all the same"
    );
}

#[test]
fn a_lapse_means_doubt_unless_the_effect_provably_never_began() {
    let lapse = |ledger: Ledger| ledger.lease(ENDED).lapsed(Liveness::Unknown);
    assert_eq!(lapse(Ledger::in_flight()).status(), Indeterminate);
    assert_eq!(lapse(Ledger::marking()).status(), Released);
    assert_eq!(lapse(Ledger::marking().marked()).status(), Indeterminate);
    assert_eq!(lapse(Ledger::in_flight().marked()).status(), Indeterminate);
    let reclaimed = lapse(Ledger::in_flight()).reclaimed(2);
    assert_eq!(lapse(reclaimed).unresolved(), [1, 2]);
}

#[test]
fn a_lapse_that_was_decided_on_an_old_look_does_not_apply() {
    let mut ledger = Ledger::in_flight().lease(ENDED);
    let stale = decide::lapse(ledger.snapshot(), Liveness::Unknown).unwrap();
    ledger = ledger.lease(LIVE);
    assert!(ledger.clone().apply(stale.clone()).is_err(), "the holder renewed meanwhile");
    ledger = ledger.lease(ENDED).settled(1, 1, &success("1"));
    assert!(ledger.apply(stale).is_err(), "the holder settled meanwhile");
}

#[test]
fn a_live_lease_of_a_holder_that_is_not_gone_never_lapses() {
    for holder in [Liveness::Unknown, Liveness::Alive(Some(7))] {
        assert!(decide::lapse(Ledger::in_flight().lease(LIVE).snapshot(), holder).is_none());
    }
    let rebooted = Liveness::Gone(GoneBecause::Rebooted);
    assert!(decide::lapse(Ledger::in_flight().lease(LIVE).snapshot(), rebooted).is_some());
}

#[test]
fn a_lapse_says_why_and_needs_an_ended_lease_only_where_nothing_else_shows_the_end() {
    for (holder, reason, guard) in [
        (GONE, "holder_gone", LeaseGuard::Any),
        (Liveness::Gone(GoneBecause::Rebooted), "host_restarted", LeaseGuard::Any),
        (Liveness::Unknown, "lease_ended", LeaseGuard::Ended),
        (Liveness::Alive(Some(7)), "lease_ended", LeaseGuard::Ended),
    ] {
        let change = decide::lapse(Ledger::in_flight().lease(ENDED).snapshot(), holder).unwrap();
        assert_eq!((change.event.reason.as_deref(), change.guard.lease), (Some(reason), guard), "{holder:?}");
    }
}

#[test]
fn what_is_known_to_have_landed_is_never_run_again_whatever_its_state_says() {
    let rerun =
        Arrival { on_failed: OnFailed::Rerun, on_indeterminate: OnIndeterminate::Reclaim, ..arrival() };
    for (class, answer) in [
        (Transient, Answer::Released),
        (Permanent, Answer::Failed { tell: true }),
        (Unknown, Answer::Indeterminate),
    ] {
        let mut ledger = Ledger::in_flight().settled(1, 1, &fault(class));
        assert!(matches!(arrive(ledger.now.as_ref(), rerun, &repeatable(9)), Step::Claim(_)), "{class:?}");
        ledger.now.as_mut().unwrap().record.body.landed.insert(Epoch(1));
        assert_eq!(arrive(ledger.now.as_ref(), rerun, &repeatable(9)), Step::Answer(answer), "{class:?}");
    }
}

#[test]
fn only_the_answers_that_tell_of_a_success_are_final() {
    for answer in [Answer::Replay, Answer::AlreadyProcessed] {
        assert!(answer.is_done(), "{answer:?}");
    }
    for answer in [
        Answer::Failed { tell: true },
        Answer::Released,
        Answer::Indeterminate,
        Answer::Conflict(Match::Different),
        Answer::InFlight,
        Answer::Duplicate,
    ] {
        assert!(!answer.is_done(), "{answer:?}");
    }
}

#[test]
fn a_waiter_hears_the_epoch_it_is_bound_to_and_never_claims() {
    let wait = |ledger: &Ledger, bound| waiting(ledger.now.as_ref(), Epoch(bound), arrival());
    let released = Ledger::in_flight().settled(1, 1, &fault(Transient));
    assert_eq!(wait(&released, 1), Step::Answer(Answer::Released));
    let again = released.claimed(2, false).lease(LIVE);
    assert_eq!(wait(&again, 1), Step::Answer(Answer::Released), "even while a newer epoch runs");
    assert_eq!(wait(&again, 2), Step::Wait(Epoch(2)));
    assert_eq!(
        wait(&again.clone().settled(2, 2, &fault(Permanent)), 3),
        Step::Wait(Epoch(3)),
        "an older look says nothing"
    );
    let reclaimed = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2);
    assert_eq!(wait(&reclaimed, 1), Step::Answer(Answer::Indeterminate));
    assert_eq!(
        wait(&reclaimed.settled(2, 2, &success("1")), 1),
        Step::Answer(Answer::Replay),
        "a success is never kept back"
    );
    assert_eq!(
        wait(&Ledger::empty(), 1),
        Step::Answer(Answer::Indeterminate),
        "a ledger that lost the record"
    );
    assert!(matches!(wait(&Ledger::in_flight().lease(ENDED), 1), Step::Lapse(_)));
}

#[test]
fn a_claim_is_recognised_by_its_id() {
    let own = |ledger: &Ledger, n| claimed(&ledger.snapshot().record, common::claim_id(n));
    let ledger = Ledger::in_flight();
    assert_eq!((own(&ledger, 1), own(&ledger, 2)), (OwnClaim::Granted, OwnClaim::Another));
    assert_eq!(own(&ledger.lease(ENDED).lapsed(Liveness::Unknown), 1), OwnClaim::Ended);
}

#[test]
fn a_claim_id_is_granted_once_ever() {
    let released = Ledger::in_flight().settled(1, 1, &fault(Transient));
    let Step::Claim(again) = arrive(released.now.as_ref(), arrival(), &plan(1, false)) else {
        panic!("no claim")
    };
    assert!(released.clone().apply(again).is_err());
    let mut later = released.claimed(2, false).settled(2, 2, &fault(Transient));
    let Step::Claim(again) = arrive(later.now.as_ref(), arrival(), &plan(1, false)) else {
        panic!("no claim")
    };
    assert!(later.apply(again).is_err(), "not even after it was superseded");
}

#[test]
fn a_new_grant_keeps_the_key_for_the_target_and_raises_the_epoch() {
    let first = Ledger::in_flight();
    let sent = first.body().downstream.clone();
    let mut second = plan(2, false);
    second.downstream.key = "another".to_owned();
    let released = first.settled(1, 1, &fault(Transient));
    let Step::Claim(change) = arrive(released.now.as_ref(), arrival(), &second) else { panic!("no claim") };
    assert_eq!((change.set.downstream, change.set.epoch, change.set.status), (sent, Epoch(2), InFlight));
}
