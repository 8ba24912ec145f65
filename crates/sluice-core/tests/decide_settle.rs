//! A holder's word: at once, late, twice, and after others spoke.

mod common;

use common::{ENDED, GONE, LIVE, Ledger, claim_id, fault, success};
use sluice_core::decide::{self, Judgement, SettleStep};
use sluice_core::failure::FailureClass::{NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
use sluice_core::holder::Liveness;
use sluice_core::ids::Epoch;
use sluice_core::outcome::Outcome;
use sluice_core::state::Status::{Failed, InFlight, Indeterminate, Released, Succeeded};
use sluice_core::unresolved::Doubt;

#[test]
fn each_word_leads_to_its_state() {
    let words = [
        (success("1"), Succeeded),
        (fault(Permanent), Failed),
        (fault(Transient), Released),
        (fault(NotStarted), Released),
        (fault(Unknown), Indeterminate),
    ];
    for (word, status) in words {
        let ledger = Ledger::in_flight().settled(1, 1, &word);
        assert_eq!(ledger.status(), status, "{word:?}");
        assert_eq!(ledger.unresolved().is_empty(), status != Indeterminate, "{word:?}");
    }
}

#[test]
fn an_equal_word_again_writes_nothing() {
    for word in [success("1"), fault(Permanent), fault(Transient), fault(NotStarted), fault(Unknown)] {
        let ledger = Ledger::in_flight().settled(1, 1, &word);
        assert_eq!(ledger.settle(1, 1, &word), SettleStep::Already, "{word:?}");
    }
}

#[test]
fn a_settlement_does_not_need_the_lease() {
    let ledger = Ledger::in_flight().lease(ENDED).settled(1, 1, &success("1"));
    assert_eq!(ledger.status(), Succeeded);
}

#[test]
fn a_late_success_is_taken_from_doubt_and_from_released() {
    let lapsed = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown);
    assert_eq!(lapsed.clone().settled(1, 1, &success("1")).status(), Succeeded);
    let released = Ledger::marking().lapsed(GONE);
    assert_eq!(released.status(), Released);
    let late = released.settled(1, 1, &success("1"));
    assert_eq!((late.status(), late.unresolved().len()), (Succeeded, 0));
}

#[test]
fn a_late_definite_word_takes_its_own_epoch_out_of_doubt() {
    for (word, status) in
        [(fault(Permanent), Failed), (fault(Transient), Released), (fault(NotStarted), Released)]
    {
        let ledger = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).settled(1, 1, &word);
        assert_eq!((ledger.status(), ledger.unresolved().len()), (status, 0), "{word:?}");
    }
}

#[test]
fn unknown_is_sticky_a_later_error_never_makes_it_a_no() {
    let unknown = Ledger::in_flight().settled(1, 1, &fault(Unknown));
    for word in [fault(Permanent), fault(Transient), fault(NotStarted)] {
        assert!(matches!(unknown.settle(1, 1, &word), SettleStep::Refused(_)), "{word:?}");
    }
    assert_eq!(unknown.settled(1, 1, &success("1")).status(), Succeeded);
}

#[test]
fn a_lapse_does_not_make_an_unknown_word_definite_again() {
    let ledger = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).settled(1, 1, &fault(Unknown));
    assert_eq!(ledger.status(), Indeterminate);
    assert!(matches!(ledger.settle(1, 1, &fault(Transient)), SettleStep::Refused(_)));
}

#[test]
fn from_released_only_a_success_is_taken_late() {
    let ledger = Ledger::in_flight().settled(1, 1, &fault(Transient));
    assert!(matches!(ledger.settle(1, 1, &fault(Permanent)), SettleStep::Refused(_)));
    assert!(matches!(ledger.settle(1, 1, &fault(Unknown)), SettleStep::Refused(_)));
    assert_eq!(ledger.settle(1, 1, &fault(NotStarted)), SettleStep::Already);
}

#[test]
fn a_holder_that_said_failed_cannot_say_success_later() {
    let ledger = Ledger::in_flight().settled(1, 1, &fault(Permanent));
    assert!(matches!(ledger.settle(1, 1, &success("1")), SettleStep::Refused(_)));
}

#[test]
fn a_second_different_result_is_refused_and_the_first_stands() {
    let ledger = Ledger::in_flight().settled(1, 1, &success("1"));
    assert!(matches!(ledger.settle(1, 1, &success("2")), SettleStep::Refused(_)));
}

#[test]
fn a_stale_settlement_must_not_touch_the_next_epoch() {
    let ledger = Ledger::in_flight().settled(1, 1, &fault(Transient)).claimed(2, false);
    for word in [fault(Permanent), fault(Transient), fault(Unknown)] {
        assert!(matches!(ledger.settle(1, 1, &word), SettleStep::Refused(_)), "{word:?}");
    }
    assert_eq!(ledger.settle(1, 9, &success("1")), SettleStep::Unheard, "an epoch that never was");
}

#[test]
fn another_claim_id_cannot_settle_an_epoch_in_any_state() {
    let words = [success("1"), fault(Permanent), fault(Transient), fault(Unknown)];
    let mut states: Vec<_> = words.iter().map(|word| Ledger::in_flight().settled(1, 1, word)).collect();
    states.push(Ledger::in_flight());
    for ledger in states {
        for word in &words {
            assert_eq!(ledger.settle(9, 1, word), SettleStep::Unheard, "{word:?}");
        }
    }
    let mut newer = Ledger::in_flight().settled(1, 1, &fault(Transient)).claimed(2, false);
    let SettleStep::Write(change) = newer.settle(9, 1, &success("1")) else {
        panic!("decided without the store")
    };
    assert!(newer.apply(change).is_err(), "of older grants the store knows the claim ids");
}

#[test]
fn a_failed_record_whose_older_execution_landed_is_a_success() {
    let failed = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).judged(Judgement::DidNotLand, 1);
    let failed = failed.claimed(2, false).settled(2, 2, &fault(Permanent));
    assert_eq!(failed.status(), Failed);
    let landed = failed.settled(1, 1, &success("old"));
    assert_eq!((landed.status(), landed.body().double_effect()), (Succeeded, false));
}

#[test]
fn an_overdue_attempt_that_ends_without_a_word_says_that_it_is_over() {
    let overdue = Ledger::in_flight().settled(1, 1, &fault(Overdue));
    assert_eq!(overdue.body().unresolved.why(Epoch(1)), Some(Doubt::Unknown));
    let over = overdue.clone().settled(1, 1, &fault(Unknown));
    assert_eq!(over.body().unresolved.why(Epoch(1)), Some(Doubt::Ended));
    let late = overdue.settled(1, 1, &fault(Permanent));
    assert_eq!((late.status(), late.body().unresolved.why(Epoch(1))), (Indeterminate, Some(Doubt::Ended)));
}

#[test]
fn a_late_success_beside_a_newer_run_is_kept_and_decides_where_the_newer_one_did_not_land() {
    let reclaimed = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2);
    let known = reclaimed.settled(1, 1, &success("old"));
    assert_eq!((known.status(), known.unresolved().len()), (InFlight, 0));
    assert_eq!(known.body().landed.iter().copied().collect::<Vec<_>>(), [Epoch(1)]);
    for word in [fault(Permanent), fault(Transient), fault(Unknown)] {
        let ended = known.clone().settled(2, 2, &word);
        assert_eq!(ended.status(), Succeeded, "{word:?}: an earlier execution landed");
        let Outcome::Success(kept) = &ended.body().outcome else { panic!("no result") };
        assert_eq!(kept.value.as_deref(), Ok(&b"old"[..]));
        assert!(!ended.body().double_effect());
    }
    let lapsed = known.clone().lease(ENDED).lapsed(Liveness::Unknown);
    assert_eq!(lapsed.status(), Succeeded);
    let both = known.settled(2, 2, &success("new"));
    assert!(both.status() == Succeeded && both.body().double_effect());
}

#[test]
fn a_landing_that_turns_up_after_another_success_flags_a_double_effect() {
    let done = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2).settled(
        2,
        2,
        &success("new"),
    );
    assert!(!done.body().double_effect());
    let both = done.settled(1, 1, &success("old"));
    assert!(both.status() == Succeeded && both.body().double_effect());
    let Outcome::Success(kept) = &both.body().outcome else { panic!("no result") };
    assert_eq!(kept.value.as_deref(), Ok(&b"new"[..]), "the recorded result stands");
}

#[test]
fn a_reclaimed_epoch_that_fails_leaves_the_older_doubt() {
    for word in [fault(Permanent), fault(Transient), fault(NotStarted)] {
        let ledger =
            Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2).settled(2, 2, &word);
        assert_eq!((ledger.status(), ledger.unresolved()), (Indeterminate, vec![1]), "{word:?}");
        let cleared = ledger.settled(1, 1, &fault(Transient));
        assert_eq!((cleared.status(), cleared.unresolved().len()), (Released, 0));
    }
}

#[test]
fn an_unclassified_error_before_the_declared_mark_means_that_nothing_happened() {
    for class in [Unclassified, Overdue] {
        assert_eq!(Ledger::marking().settled(1, 1, &fault(class)).status(), Released, "{class:?}");
        assert_eq!(Ledger::in_flight().settled(1, 1, &fault(class)).status(), Indeterminate, "{class:?}");
        assert_eq!(
            Ledger::marking().marked().settled(1, 1, &fault(class)).status(),
            Indeterminate,
            "{class:?}"
        );
    }
    assert_eq!(
        Ledger::marking().settled(1, 1, &fault(Unknown)).status(),
        Indeterminate,
        "a mark may be forgotten"
    );
    assert_eq!(Ledger::marking().marked().settled(1, 1, &fault(Unknown)).status(), Indeterminate);
    let classified = Ledger::marking().marked().settled(1, 1, &fault(Transient));
    assert_eq!(classified.status(), Released, "the holder's own word beats its mark");
}

#[test]
fn a_mark_needs_the_live_lease_of_its_own_claim() {
    let ledger = Ledger::marking();
    let mark = |ledger: &Ledger, n, epoch| decide::mark(ledger.snapshot(), claim_id(n), Epoch(epoch));
    assert!(matches!(mark(&ledger, 1, 1), SettleStep::Write(_)));
    assert_eq!(mark(&ledger, 2, 1), SettleStep::Lost);
    assert_eq!(mark(&ledger, 1, 2), SettleStep::Lost);
    assert_eq!(mark(&ledger.clone().lease(ENDED), 1, 1), SettleStep::Lost);
    let marked = ledger.clone().marked();
    assert_eq!(mark(&marked, 1, 1), SettleStep::Already);
    assert_eq!(mark(&marked.lease(ENDED), 1, 1), SettleStep::Lost);
    let mut raced = ledger;
    let SettleStep::Write(change) = mark(&raced, 1, 1) else { panic!("no mark") };
    raced = raced.lease(ENDED);
    assert!(raced.apply(change).is_err(), "a lease that ends on the way stops the mark in the store");
}

#[test]
fn a_new_grant_starts_without_a_mark() {
    let ledger = Ledger::marking().marked().settled(1, 1, &fault(Transient)).claimed(2, true);
    assert!(!ledger.body().marked);
    assert_eq!(ledger.lease(LIVE).lapsed(GONE).status(), Released);
}

/// Found by the model: the doubt was only said to be known, and a later word of the same holder took it away.
#[test]
fn an_older_holders_unknown_is_sticky_although_a_newer_epoch_runs() {
    for (class, doubt) in [(Overdue, Doubt::Unknown), (Unknown, Doubt::Ended)] {
        let newer = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2);
        let told = newer.settled(1, 1, &fault(class));
        assert_eq!((told.status(), told.body().unresolved.why(Epoch(1))), (InFlight, Some(doubt)));
        let later = told.settle(1, 1, &fault(Transient));
        assert!(matches!(later, SettleStep::Refused(_)), "{later:?}");
        let released = told.settled(2, 2, &fault(Transient));
        assert_eq!((released.status(), released.unresolved()), (Indeterminate, vec![1]));
    }
}
