//! What a holder says of several attempts under one claim.

use sluice_core::FailureClass::{self, NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
use sluice_core::decide::Tries;
use sluice_core::outcome::{Fault, MESSAGE_LIMIT};
use sluice_core::retry::Stop;
use std::time::Duration;

fn tries(attempts: &[(FailureClass, bool)]) -> Tries {
    let mut tries = Tries::default();
    for (class, proves) in attempts {
        tries.failed(*class, *proves);
    }
    tries
}

fn fault(class: FailureClass) -> Fault {
    Fault { class, code: None, message: "no".to_owned(), detail: None, from_target: false }
}

#[test]
fn an_attempt_that_may_have_taken_hold_leaves_a_doubt_that_only_a_proof_takes_away() {
    for (attempts, in_doubt) in [
        (&[][..], false),
        (&[(Permanent, false)], false),
        (&[(Transient, false), (NotStarted, false)], false),
        (&[(Unknown, false)], true),
        (&[(Unclassified, false)], true),
        (&[(Overdue, false)], false),
        (&[(Unknown, false), (Permanent, false)], true),
        (&[(Unknown, false), (Transient, true)], false),
        (&[(Unknown, false), (Overdue, true)], true),
        (&[(Unknown, true)], true),
        (&[(Unknown, false), (Permanent, true), (Unclassified, false)], true),
    ] {
        let tries = tries(attempts);
        assert_eq!(tries.is_in_doubt(), in_doubt, "{attempts:?}");
        assert_eq!(tries.made() as usize, attempts.len(), "{attempts:?}");
    }
}

#[test]
fn no_later_failure_says_that_an_earlier_attempt_did_not_happen() {
    let doubted = tries(&[(Unknown, false), (Transient, false)]);
    for (last, said) in [
        (Permanent, Unknown),
        (Transient, Unknown),
        (NotStarted, Unknown),
        (Unknown, Unknown),
        (Unclassified, Unclassified),
        (Overdue, Overdue),
    ] {
        let word = doubted.word(fault(last), None);
        assert_eq!(word.class, said, "{last:?}");
        let is_told = word.message.starts_with("an earlier attempt may have happened; the last one: no");
        assert_eq!(is_told, matches!(last, Permanent | Transient | NotStarted), "{last:?}: {}", word.message);
    }
    for class in [Permanent, Transient, NotStarted, Unknown, Unclassified, Overdue] {
        assert_eq!(tries(&[(Transient, false)]).word(fault(class), None).class, class);
    }
}

#[test]
fn a_word_says_how_many_attempts_there_were_and_why_no_more() {
    let (once, twice) = (tries(&[(Transient, false)]), tries(&[(Transient, false), (Transient, false)]));
    for (tries, stop, said) in [
        (Tries::default(), None, "no"),
        (once, None, "no"),
        (twice, None, "no (2 attempts)"),
        (once, Some(Stop::Deadline), "no (the deadline comes before the next attempt)"),
        (twice, Some(Stop::Circuit), "no (2 attempts; the target is in trouble)"),
        (once, Some(Stop::TriesOver), "no"),
        (twice, Some(Stop::TriesOver), "no (2 attempts; no attempt of this delivery is left)"),
        (once, Some(Stop::Cancelled), "no"),
        (twice, Some(Stop::Cancelled), "no (2 attempts; no further one was wanted)"),
        (once, Some(Stop::Definite), "no"),
        (once, Some(Stop::StillRunning), "no"),
        (twice, Some(Stop::NotHonoured), "no (2 attempts)"),
    ] {
        assert_eq!(tries.word(fault(Transient), stop).message, said, "{tries:?} {stop:?}");
    }
}

#[test]
fn every_reason_for_no_more_attempts_has_a_name_and_a_sentence_of_its_own() {
    let asked = Duration::from_secs(1);
    let reasons = [
        (Stop::Definite, "definite"),
        (Stop::StillRunning, "still_running"),
        (Stop::Cancelled, "cancelled"),
        (Stop::Lease, "lease"),
        (Stop::TriesOver, "tries_over"),
        (Stop::NotHonoured, "not_honoured"),
        (Stop::Window, "window"),
        (Stop::Deadline, "deadline"),
        (Stop::RetryAfterTooLong { asked }, "retry_after_too_long"),
        (Stop::Circuit, "circuit"),
        (Stop::Budget, "budget"),
    ];
    let mut sentences: Vec<_> = reasons.map(|(stop, _)| stop.to_string()).to_vec();
    for (stop, name) in reasons {
        assert_eq!(stop.as_str(), name);
    }
    sentences.sort();
    sentences.dedup();
    assert_eq!((sentences.len(), sentences.iter().any(String::is_empty)), (reasons.len(), false));
}

#[test]
fn a_long_message_is_cut() {
    let long = Fault { message: "m".repeat(2 * MESSAGE_LIMIT), ..fault(Permanent) };
    assert_eq!(tries(&[(Permanent, false)]).word(long, None).message.len(), MESSAGE_LIMIT);
}
