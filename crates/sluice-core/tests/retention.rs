//! What is forgotten when, on any clock.

mod common;

use common::*;
use sluice_core::failure::FailureClass;
use sluice_core::holder::Liveness;
use sluice_core::outcome::{NotKept, Outcome};
use sluice_core::record::{LedgerTime, Record};
use sluice_core::retention::{Age, Due, Outlived, due, outlived, without_results};
use std::time::Duration;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const LONG_AGO: LedgerTime = LedgerTime(i64::MIN);

fn day(day: i64) -> LedgerTime {
    LedgerTime(day * DAY_MS)
}

fn age(now: LedgerTime) -> Age {
    Age { now, since: LONG_AGO }
}

fn done() -> Record {
    Ledger::in_flight().settled(1, 1, &success("\"receipt\"")).now.unwrap().record
}

#[test]
fn a_result_goes_after_a_week_and_its_record_after_ninety_days() {
    let record = done();
    assert_eq!(
        outlived(&record, age(day(6))),
        Outlived::Nothing(Due { result: Some(day(7)), record: Some(day(90)) })
    );
    assert_eq!(outlived(&record, age(day(8))), Outlived::Result);
    assert_eq!(outlived(&record, age(day(91))), Outlived::Record);
    assert_eq!(outlived(&record, age(LedgerTime(day(7).0 - 1))), outlived(&record, age(day(6))));
    assert_eq!(outlived(&record, age(LedgerTime(day(90).0 - 1))), Outlived::Result);
}

#[test]
fn a_tombstone_has_no_result_left_to_lose() {
    let mut record = done();
    without_results(&mut record.body);
    let Outcome::Success(kept) = &record.body.outcome else { panic!("no longer a success") };
    assert_eq!((&kept.value, kept.bytes), (&Err(NotKept::Expired), Some(9)));
    assert!(kept.sha256.is_some());
    assert_eq!(
        outlived(&record, age(day(89))),
        Outlived::Nothing(Due { result: None, record: Some(day(90)) })
    );
    assert_eq!(outlived(&record, age(day(91))), Outlived::Record);
}

#[test]
fn a_failure_loses_what_the_caller_wanted_to_see_again_and_keeps_its_sentence() {
    let mut record = Ledger::in_flight().settled(1, 1, &fault(FailureClass::Permanent)).now.unwrap().record;
    let Outcome::Fault(said) = &mut record.body.outcome else { panic!("no fault") };
    said.detail = Some("{}".to_owned());
    assert_eq!(outlived(&record, age(day(8))), Outlived::Result);
    without_results(&mut record.body);
    let Outcome::Fault(said) = &record.body.outcome else { panic!("no fault") };
    assert_eq!((said.detail.as_deref(), said.message.as_str()), (None, "Permanent"));
}

#[test]
fn what_is_in_flight_or_in_doubt_is_never_forgotten_by_time() {
    let doubt = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown);
    for ledger in [Ledger::in_flight(), doubt] {
        let record = ledger.now.unwrap().record;
        assert_eq!(outlived(&record, age(LedgerTime(i64::MAX))), Outlived::Nothing(Due::default()));
    }
}

#[test]
fn after_a_clock_was_accepted_ages_count_from_that_moment() {
    let record = done();
    let accepted = |now| Age { now, since: day(500) };
    assert!(matches!(outlived(&record, accepted(day(500))), Outlived::Nothing(_)));
    assert_eq!(outlived(&record, accepted(day(508))), Outlived::Result);
    assert_eq!(outlived(&record, accepted(day(590))), Outlived::Record);
}

#[test]
fn a_change_stamped_in_the_future_counts_from_the_clock_that_was_accepted() {
    let record = Record { updated: day(3650), ..done() };
    let accepted = |now| Age { now, since: day(10) };
    assert_eq!(
        outlived(&record, accepted(day(11))),
        Outlived::Nothing(Due { result: Some(day(17)), record: Some(day(100)) })
    );
    assert_eq!(outlived(&record, accepted(day(101))), Outlived::Record);
}

#[test]
fn a_result_that_would_outlive_its_record_goes_with_it() {
    let mut record = done();
    record.body.terms.keep_result = Duration::from_hours(24 * 1000);
    assert_eq!(due(&record.body, day(0)), Due { result: None, record: Some(day(90)) });
    record.body.terms.remember = Duration::MAX;
    assert_eq!(due(&record.body, day(0)).record, Some(LedgerTime(i64::MAX)));
}
