//! Random record × random change: both stores answer as the pure rules say.

mod common;

use common::SqliteSubject;
use sluice_testkit::broken::{BrokenSubject, Fault};
use sluice_testkit::memory::MemorySubject;
use sluice_testkit::random;

const SEED: u64 = 0x51_u64 << 32 | 0x1ce;

#[test]
fn the_memory_store_answers_any_change_of_any_record_as_the_rules_say() {
    let checked = random::check(&MemorySubject::default(), 1_000, SEED);
    assert_eq!(checked, Ok(()));
}

#[test]
fn the_sqlite_store_answers_any_change_of_any_record_as_the_rules_say() {
    let checked = random::check(&SqliteSubject::new(), 400, SEED);
    assert_eq!(checked, Ok(()));
}

#[test]
fn random_changes_find_stores_that_forget_a_guard() {
    for fault in [
        Fault::GrantsUnchecked,
        Fault::ForgetsVersion,
        Fault::ForgetsStatus,
        Fault::ForgetsEpoch,
        Fault::ForgetsGrant,
        Fault::ForgetsSuperseded,
        Fault::KnowsOnlyTheNewest,
        Fault::IgnoresLease,
        Fault::NeedsNoQuiet,
        Fault::SettleEndsLease,
        Fault::DropsUnresolved,
        Fault::OneReason,
    ] {
        let checked = random::check(&BrokenSubject::memory(fault), 1_000, SEED);
        assert!(checked.is_err(), "random changes do not find a store that {}", fault.sentence());
    }
}
