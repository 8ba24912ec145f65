//! A holder's word again, in other words, or about an epoch that is no longer the newest.

mod common;

use common::{ENDED, GONE, Ledger, arrival, fault, repeatable, success};
use sluice_core::decide::{Arrival, Judgement, Plan, SettleStep, Step, arrive};
use sluice_core::failure::FailureClass;
use sluice_core::failure::FailureClass::{NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
use sluice_core::holder::{Holder, Liveness};
use sluice_core::ids::Epoch;
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome};
use sluice_core::policy::OnIndeterminate;
use sluice_core::ports::Report;
use sluice_core::record::Terms;
use sluice_core::state::Status::{InFlight, Indeterminate, Released, Succeeded};
use sluice_core::unresolved::Doubt;

fn doubt() -> Ledger {
    Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown)
}

/// Both epochs lapsed: nobody knows of either, and the second one is the newest.
fn two_doubts() -> Ledger {
    doubt().reclaimed(2).lease(ENDED).lapsed(Liveness::Unknown)
}

fn in_other_words(class: FailureClass) -> Report {
    let Report::Fault(fault) = fault(class) else { panic!("no fault") };
    Report::Fault(Fault { message: "said differently".to_owned(), ..fault })
}

fn remark(ledger: &Ledger, n: u8, epoch: u64) -> Option<String> {
    match ledger.settle(n, epoch, &success("1")) {
        SettleStep::Write(change) => change.event.reason,
        step => panic!("nothing to write: {step:?}"),
    }
}

#[test]
fn a_success_without_the_mark_that_was_declared_is_remarked_on() {
    let remarked = Some("succeeded without the mark it declared".to_owned());
    assert_eq!(remark(&Ledger::marking(), 1, 1), remarked);
    assert_eq!(remark(&Ledger::marking().marked(), 1, 1), None);
    assert_eq!(remark(&Ledger::in_flight(), 1, 1), None, "no mark was declared");
    let newer = doubt().judged(Judgement::DidNotLand, 1).claimed(2, true);
    assert_eq!(remark(&newer, 1, 1), None, "the mark that is missing is the newer holder's");
    assert_eq!(remark(&newer, 2, 2), remarked);
}

#[test]
fn a_landing_that_is_told_again_is_known_where_two_executions_landed() {
    let both = doubt().reclaimed(2).settled(2, 2, &success("new")).settled(1, 1, &success("old"));
    assert!(both.body().double_effect());
    for (n, text) in [(1, "old"), (2, "new")] {
        assert_eq!(both.settle(n, n.into(), &success(text)), SettleStep::Already, "{text}");
    }
}

#[test]
fn a_result_is_welcome_after_a_verdict_that_had_none_to_give() {
    let without = Judgement::Landed(Kept::absent(NotKept::NeverGiven));
    assert_eq!(doubt().judged(without, 1).settle(1, 1, &success("1")), SettleStep::Already);
    let with = Judgement::Landed(Kept::within(b"2".to_vec(), 10));
    assert!(matches!(doubt().judged(with, 1).settle(1, 1, &success("1")), SettleStep::Refused(_)));
}

#[test]
fn an_error_before_the_declared_mark_is_recorded_as_one_that_never_began() {
    let class = |ledger: &Ledger| match &ledger.body().outcome {
        Outcome::Fault(fault) => fault.class,
        outcome => panic!("no fault: {outcome:?}"),
    };
    for said in [Unclassified, Overdue] {
        assert_eq!(class(&Ledger::marking().settled(1, 1, &fault(said))), NotStarted, "{said:?}");
        assert_eq!(class(&Ledger::marking().marked().settled(1, 1, &fault(said))), said, "after the mark");
        assert_eq!(class(&Ledger::in_flight().settled(1, 1, &fault(said))), said, "without any mark");
    }
    assert_eq!(class(&Ledger::marking().settled(1, 1, &fault(Unknown))), Unknown);
}

#[test]
fn an_error_before_the_declared_mark_is_known_when_it_is_said_again_beside_an_older_doubt() {
    let plan = repeatable(2);
    let plan = Plan { terms: Terms { declares_marks: true, ..plan.terms }, ..plan };
    let reclaims = Arrival { holder: GONE, on_indeterminate: OnIndeterminate::Reclaim, ..arrival() };
    let mut ledger = doubt();
    let Step::Claim(change) = arrive(ledger.now.as_ref(), reclaims, &plan) else { panic!("not reclaimed") };
    ledger.apply(change.held_by(Holder::default())).unwrap();
    let told = ledger.settled(2, 2, &fault(Unclassified));
    assert_eq!((told.status(), told.unresolved()), (Indeterminate, vec![1]));
    assert_eq!(told.settle(2, 2, &fault(Unclassified)), SettleStep::Already);
}

#[test]
fn what_is_unknown_or_released_already_may_be_said_again_in_other_words() {
    for (first, again) in [
        (Unknown, Unknown),
        (Unknown, Unclassified),
        (Unclassified, Unknown),
        (Unknown, Overdue),
        (Unclassified, Overdue),
        (Overdue, Overdue),
        (Transient, Transient),
        (NotStarted, Transient),
        (Transient, NotStarted),
    ] {
        let ledger = Ledger::in_flight().settled(1, 1, &fault(first));
        assert_eq!(ledger.settle(1, 1, &in_other_words(again)), SettleStep::Already, "{first:?} {again:?}");
    }
}

#[test]
fn a_failure_in_other_words_is_a_contradiction_since_its_words_are_replayed() {
    let failed = Ledger::in_flight().settled(1, 1, &fault(Permanent));
    assert!(matches!(failed.settle(1, 1, &in_other_words(Permanent)), SettleStep::Refused(_)));
}

#[test]
fn an_overdue_word_after_a_lapse_is_news() {
    let told = doubt().settled(1, 1, &fault(Overdue));
    assert_eq!(told.body().unresolved.why(Epoch(1)), Some(Doubt::Unknown));
    assert_eq!(told.settle(1, 1, &fault(Overdue)), SettleStep::Already);
}

#[test]
fn an_older_holder_takes_its_own_epoch_out_of_two_doubts_and_no_other() {
    for word in [fault(Permanent), fault(Transient), fault(NotStarted)] {
        let told = two_doubts().settled(1, 1, &word);
        assert_eq!((told.status(), told.unresolved()), (Indeterminate, vec![2]), "{word:?}");
    }
}

#[test]
fn an_older_holder_that_takes_the_last_doubt_away_releases_the_intent() {
    for word in [fault(Permanent), fault(Transient), fault(NotStarted)] {
        let last = doubt().reclaimed(2).settled(2, 2, &fault(Transient));
        assert_eq!((last.status(), last.unresolved()), (Indeterminate, vec![1]));
        let told = last.settled(1, 1, &word);
        assert_eq!((told.status(), told.unresolved()), (Released, vec![]), "{word:?}");
    }
}

#[test]
fn an_older_holders_definite_word_does_not_stop_the_newer_run() {
    let told = doubt().reclaimed(2).settled(1, 1, &fault(Transient));
    assert_eq!((told.status(), told.unresolved()), (InFlight, vec![]));
    assert_eq!(told.settled(2, 2, &success("1")).status(), Succeeded);
}

#[test]
fn an_older_holder_that_does_not_know_either_says_so_once() {
    for (class, why) in [(Overdue, Doubt::Unknown), (Unknown, Doubt::Ended), (Unclassified, Doubt::Ended)] {
        let told = two_doubts().settled(1, 1, &fault(class));
        assert_eq!((told.status(), told.unresolved()), (Indeterminate, vec![1, 2]), "{class:?}");
        assert_eq!(told.body().unresolved.why(Epoch(1)), Some(why), "{class:?}");
        for again in [Overdue, Unknown, Unclassified] {
            assert_eq!(told.settle(1, 1, &fault(again)), SettleStep::Already, "{class:?} {again:?}");
        }
        assert!(matches!(told.settle(1, 1, &fault(Transient)), SettleStep::Refused(_)), "{class:?}");
    }
}

#[test]
fn an_older_holder_of_which_nothing_is_in_doubt_contradicts_what_is_known() {
    let judged = two_doubts().judged(Judgement::DidNotLand, 1);
    for class in [Permanent, Transient, Unknown, Overdue] {
        let step = judged.settle(1, 1, &fault(class));
        let SettleStep::Refused(event) = step else { panic!("{class:?}: {step:?}") };
        assert_eq!((event.epoch, event.claim), (Some(Epoch(1)), Some(common::claim_id(1))));
    }
}
