//! Verdicts: about one epoch, and not before the last holder can no longer act.

mod common;

use common::{ENDED, GONE, Ledger, QUIET, fault, ruling, success};
use sluice_core::decide::{Judgement, Ruling, VerdictStep, verdict};
use sluice_core::failure::FailureClass::{Overdue, Transient, Unknown};
use sluice_core::holder::Liveness;
use sluice_core::ids::Epoch;
use sluice_core::lease::LeaseView;
use sluice_core::outcome::{Kept, NotKept, Outcome};
use sluice_core::state::Status::{Indeterminate, Released, Succeeded};
use std::time::Duration;

fn doubt() -> Ledger {
    Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown)
}

fn landed() -> Judgement {
    Judgement::Landed(Kept::within(b"1".to_vec(), 10))
}

fn two_doubts() -> Ledger {
    doubt().reclaimed(2).lease(ENDED).lapsed(Liveness::Unknown)
}

#[test]
fn did_not_land_waits_until_the_holder_is_gone_or_quiet() {
    let say = |ledger: &Ledger, holder, force| {
        verdict(ledger.snapshot(), &Ruling { force, ..ruling(Judgement::DidNotLand) }, holder)
    };
    let left = Duration::from_secs(59);
    assert_eq!(say(&doubt(), Liveness::Unknown, false), VerdictStep::NotQuiet(left));
    assert_eq!(say(&doubt(), Liveness::Alive(Some(7)), false), VerdictStep::HolderLives(Some(7)));
    for (ledger, holder, force) in [
        (doubt(), GONE, false),
        (doubt().lease(QUIET), Liveness::Unknown, false),
        (doubt(), Liveness::Unknown, true),
        (doubt(), Liveness::Alive(None), true),
    ] {
        let VerdictStep::Write(change, epoch) = say(&ledger, holder, force) else {
            panic!("{holder:?} {force}")
        };
        let mut ledger = ledger;
        ledger.apply(change).unwrap();
        assert_eq!((epoch, ledger.status(), ledger.unresolved().len()), (Epoch(1), Released, 0));
    }
}

#[test]
fn the_store_judges_the_quiet_period_once_more() {
    let mut ledger = doubt().lease(QUIET);
    let step = verdict(ledger.snapshot(), &ruling(Judgement::DidNotLand), Liveness::Unknown);
    let VerdictStep::Write(change, _) = step else { panic!("{step:?}") };
    ledger = ledger.lease(LeaseView::Ended(Duration::from_secs(59)));
    assert!(ledger.apply(change).is_err());
}

#[test]
fn the_quiet_period_grows_with_the_attempt_timeout() {
    let mut ledger = doubt().lease(QUIET);
    ledger.now.as_mut().unwrap().record.body.terms.attempt_timeout = Some(Duration::from_secs(5));
    let step = verdict(ledger.snapshot(), &ruling(Judgement::DidNotLand), Liveness::Unknown);
    assert_eq!(step, VerdictStep::NotQuiet(Duration::from_secs(5)));
}

#[test]
fn landed_needs_no_waiting_and_clears_every_doubt() {
    let ledger = two_doubts().judged(landed(), 1);
    assert_eq!((ledger.status(), ledger.unresolved().len()), (Succeeded, 0));
    let Outcome::Success(kept) = &ledger.body().outcome else { panic!("no result") };
    assert_eq!(kept.value.as_deref(), Ok(&b"1"[..]));
}

#[test]
fn a_verdict_takes_away_its_own_epoch_only() {
    let ledger = two_doubts().judged(Judgement::DidNotLand, 1);
    assert_eq!((ledger.status(), ledger.unresolved()), (Indeterminate, vec![2]));
    let ledger = ledger.judged(Judgement::DidNotLand, 2);
    assert_eq!((ledger.status(), ledger.unresolved().len()), (Released, 0));
}

#[test]
fn with_several_doubts_the_epoch_has_to_be_said() {
    let step = verdict(two_doubts().snapshot(), &ruling(landed()), GONE);
    assert_eq!(step, VerdictStep::WhichEpoch(vec![Epoch(1), Epoch(2)]));
    let wrong = Ruling { epoch: Some(Epoch(3)), ..ruling(landed()) };
    assert_eq!(verdict(two_doubts().snapshot(), &wrong, GONE), VerdictStep::NotInDoubt(Epoch(3)));
}

#[test]
fn force_never_covers_the_epoch() {
    let wrong = Ruling { epoch: Some(Epoch(2)), force: true, ..ruling(Judgement::DidNotLand) };
    assert_eq!(verdict(doubt().snapshot(), &wrong, GONE), VerdictStep::NotInDoubt(Epoch(2)));
}

#[test]
fn the_same_verdict_again_is_fine_and_another_one_is_not() {
    let released = doubt().judged(Judgement::DidNotLand, 1);
    assert_eq!(
        verdict(released.snapshot(), &ruling(Judgement::DidNotLand), GONE),
        VerdictStep::Already(Epoch(1))
    );
    assert_eq!(verdict(released.snapshot(), &ruling(landed()), GONE), VerdictStep::Contradicts);
    let done = doubt().judged(landed(), 1);
    assert_eq!(verdict(done.snapshot(), &ruling(landed()), GONE), VerdictStep::Already(Epoch(1)));
    let without = Judgement::Landed(Kept::absent(NotKept::NeverGiven));
    assert_eq!(verdict(done.snapshot(), &ruling(without), GONE), VerdictStep::Already(Epoch(1)));
    let different = Judgement::Landed(Kept::within(b"2".to_vec(), 10));
    assert_eq!(verdict(done.snapshot(), &ruling(different), GONE), VerdictStep::Contradicts);
    assert_eq!(verdict(done.snapshot(), &ruling(Judgement::DidNotLand), GONE), VerdictStep::Contradicts);
}

#[test]
fn what_is_running_cannot_be_judged() {
    let step = verdict(Ledger::in_flight().snapshot(), &ruling(Judgement::DidNotLand), GONE);
    assert_eq!(step, VerdictStep::NotIndeterminate);
}

#[test]
fn a_wrong_verdict_is_put_right_by_a_late_success() {
    let ledger = doubt().judged(Judgement::DidNotLand, 1).settled(1, 1, &success("1"));
    assert_eq!((ledger.status(), ledger.body().double_effect()), (Succeeded, false));
    let rerun = doubt().judged(Judgement::DidNotLand, 1).claimed(2, false).settled(2, 2, &success("new"));
    let both = rerun.settled(1, 1, &success("old"));
    assert!(both.status() == Succeeded && both.body().double_effect());
}

#[test]
fn a_holder_that_said_its_execution_is_over_needs_no_waiting_for_unless_something_is_seen_to_live() {
    let over = Ledger::in_flight().settled(1, 1, &fault(Unknown));
    let say = |ledger: &Ledger, holder| verdict(ledger.snapshot(), &ruling(Judgement::DidNotLand), holder);
    assert!(matches!(say(&over, Liveness::Unknown), VerdictStep::Write(..)));
    assert_eq!(say(&over, Liveness::Alive(None)), VerdictStep::HolderLives(None));
    let overdue = Ledger::in_flight().settled(1, 1, &fault(Overdue));
    assert!(matches!(say(&overdue, Liveness::Unknown), VerdictStep::NotQuiet(_)));
    let far = Ruling { epoch: Some(Epoch(99)), ..ruling(landed()) };
    let done = doubt().judged(landed(), 1);
    assert_eq!(verdict(done.snapshot(), &far, GONE), VerdictStep::NotInDoubt(Epoch(99)));
}

#[test]
fn a_verdict_on_an_epoch_whose_holder_said_unknown_counts() {
    let ledger = Ledger::in_flight().settled(1, 1, &fault(Unknown)).judged(Judgement::DidNotLand, 1);
    assert_eq!(ledger.status(), Released);
    assert_eq!(ledger.claimed(2, false).settled(2, 2, &fault(Transient)).status(), Released);
}
