//! What a delivery may do because of what its target does with keys.

mod common;

use common::{ENDED, GONE, Ledger, QUIET, arrival, fault, plan, success};
use sluice_core::change::{Change, Unmet};
use sluice_core::decide::{Answer, Arrival, Plan, Step, arrive, rotates};
use sluice_core::downstream::{KeyAge, Profile, oldest_key};
use sluice_core::failure::FailureClass::{self, NotStarted, Permanent, Transient, Unknown};
use sluice_core::holder::Liveness;
use sluice_core::ids::Epoch;
use sluice_core::outcome::{Fault, Outcome};
use sluice_core::policy::{OnFailed, OnIndeterminate};
use sluice_core::ports::Report;
use sluice_core::record::{Downstream, Labels, LedgerTime, Terms};
use std::sync::Arc;
use std::time::Duration;

fn stripe() -> Profile {
    Profile::known("stripe").unwrap()
}

fn key(key: &str, rotation: u32) -> Downstream {
    Downstream { key: key.to_owned(), rotation, first_used: None }
}

fn at(target: Profile) -> Plan {
    Plan { target: Some(Arc::new(target)), replacement: Some(key("next", 1)), ..plan(2, false) }
}

/// Ended at epoch 1 by a word of the target itself.
fn answered(class: FailureClass) -> Ledger {
    let Report::Fault(fault) = fault(class) else { panic!("no fault") };
    Ledger::in_flight().settled(1, 1, &Report::Fault(Fault { from_target: true, ..fault }))
}

fn claim(ledger: &Ledger, arrival: Arrival, plan: &Plan) -> Change {
    match arrive(ledger.now.as_ref(), arrival, plan) {
        Step::Claim(change) => change,
        step => panic!("not claimed: {step:?}"),
    }
}

fn reclaims() -> Arrival {
    Arrival { holder: GONE, on_indeterminate: OnIndeterminate::Reclaim, ..arrival() }
}

fn reruns() -> Arrival {
    Arrival { on_failed: OnFailed::Rerun, ..arrival() }
}

fn doubt() -> Ledger {
    Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown)
}

#[test]
fn a_new_key_comes_with_another_run_after_the_targets_own_definite_answer() {
    let mut released = answered(Transient);
    released.now.as_mut().unwrap().record.updated = LedgerTime(700);
    let expected = Downstream { first_used: Some(LedgerTime(700)), ..key("next", 1) };
    assert_eq!(claim(&released, arrival(), &at(stripe())).set.downstream, expected);
    let failed = claim(&answered(Permanent), reruns(), &at(stripe()));
    assert_eq!(failed.set.downstream.key, "next");
}

#[test]
fn the_key_stays_where_the_next_one_is_not_the_successor_or_there_is_none() {
    let released = answered(Transient);
    for replacement in [None, Some(key("next", 0)), Some(key("next", 2))] {
        let plan = Plan { replacement, ..at(stripe()) };
        assert_eq!(claim(&released, arrival(), &plan).set.downstream.key, "sent", "{:?}", plan.replacement);
    }
    let mut last = released;
    last.now.as_mut().unwrap().record.body.downstream.rotation = u32::MAX;
    let plan = Plan { replacement: Some(key("next", 0)), ..at(stripe()) };
    assert_eq!(claim(&last, arrival(), &plan).set.downstream.key, "sent", "there are no more numbers");
}

#[test]
fn a_key_is_replaced_only_where_nothing_of_the_old_one_may_have_taken_hold() {
    assert!(rotates(answered(Transient).snapshot(), &at(stripe())));
    assert!(rotates(answered(Permanent).snapshot(), &at(stripe())));
    let mut landed = answered(Transient);
    landed.now.as_mut().unwrap().record.body.landed.insert(Epoch(1));
    let mut doubted = answered(Transient);
    let body = &mut doubted.now.as_mut().unwrap().record.body;
    body.unresolved = doubt().body().unresolved.clone();
    let mut unanswered = answered(Transient);
    unanswered.now.as_mut().unwrap().record.body.outcome = Outcome::None;
    for (why, ledger) in [
        ("an execution landed", landed),
        ("an execution is in doubt", doubted),
        ("there is no answer", unanswered),
        ("the target did not answer itself", Ledger::in_flight().settled(1, 1, &fault(Transient))),
        ("it was never asked", answered(NotStarted)),
        ("it does not say what happened", answered(Unknown)),
        ("it happened", Ledger::in_flight().settled(1, 1, &success("1"))),
    ] {
        assert!(!rotates(ledger.snapshot(), &at(stripe())), "{why}");
    }
    let forgiving = Profile { replays_failures: false, ..stripe() };
    assert!(!rotates(answered(Transient).snapshot(), &at(forgiving)), "the old key can still succeed");
    assert!(!rotates(answered(Transient).snapshot(), &plan(2, false)), "nothing is known of the target");
}

#[test]
fn what_still_runs_or_is_in_doubt_keeps_its_key_whatever_was_answered() {
    for ledger in [doubt(), Ledger::in_flight()] {
        let mut ledger = ledger;
        let body = &mut ledger.now.as_mut().unwrap().record.body;
        body.outcome = answered(Transient).body().outcome.clone();
        body.unresolved.clear();
        assert!(!rotates(ledger.snapshot(), &at(stripe())), "{:?}", ledger.status());
    }
}

#[test]
fn a_doubt_runs_again_under_the_same_key_while_the_target_recognises_it() {
    let mut ledger = doubt();
    let change = claim(&ledger, reclaims(), &at(stripe()));
    assert_eq!(change.set.downstream.key, "sent");
    assert_eq!(change.event.reason.as_deref(), Some("the target recognises the key"));
    let at_most = oldest_key(&stripe(), None).unwrap();
    assert_eq!(change.guard.key_age, Some(KeyAge { first_used: LedgerTime(0), at_most }));
    ledger.time = LedgerTime(i64::try_from(at_most.as_millis()).unwrap());
    assert_eq!(ledger.clone().apply(change.clone()), Ok(()));
    ledger.time.0 += 1;
    assert_eq!(ledger.apply(change), Err(Unmet::KeyAge));
}

#[test]
fn a_doubt_stays_where_the_target_cannot_be_relied_on_to_recognise_the_key() {
    let told = Step::Answer(Answer::Indeterminate);
    let ledger = doubt().lease(QUIET);
    let long = Terms { attempt_timeout: Some(Duration::from_hours(24)), ..Terms::default() };
    let mut strange = ledger.clone();
    strange.now.as_mut().unwrap().record.body.downstream.key = "not a key".to_owned();
    for (why, ledger, plan) in [
        ("nothing is known of the target", &ledger, plan(2, false)),
        ("it is not known to remember keys", &ledger, at(Profile { remembers: None, ..stripe() })),
        ("an attempt takes longer than it remembers", &ledger, Plan { terms: long, ..at(stripe()) }),
        ("the key that was used is none of its keys", &strange, at(stripe())),
    ] {
        assert_eq!(arrive(ledger.now.as_ref(), reclaims(), &plan), told, "{why}");
    }
}

#[test]
fn what_is_declared_repeatable_runs_again_however_old_its_key_is() {
    let plan = at(stripe());
    let plan = Plan { terms: Terms { repeatable: true, ..Terms::default() }, ..plan };
    let change = claim(&doubt(), reclaims(), &plan);
    assert_eq!(change.guard.key_age, None);
    assert_eq!(change.event.reason.as_deref(), Some("the effect is declared repeatable"));
}

#[test]
fn a_later_delivery_adds_its_labels_and_takes_none_away() {
    let label = |text: &str| Some(text.to_owned());
    let mut first = Ledger::in_flight().settled(1, 1, &fault(Transient));
    first.now.as_mut().unwrap().record.body.labels =
        Labels { tool: label("pay"), actor: label("ada"), run_id: None, object_id: label("ch_1") };
    let labels = Labels { tool: None, actor: label("bob"), run_id: label("r2"), object_id: None };
    let change = claim(&first, arrival(), &Plan { labels, ..plan(2, false) });
    let both =
        Labels { tool: label("pay"), actor: label("bob"), run_id: label("r2"), object_id: label("ch_1") };
    assert_eq!(change.set.labels, both);
}
