//! Random sequences of decisions, carried out by both stores and by the plain model at once.

mod common;
mod sequence;

use common::SqliteSubject;
use proptest::prelude::*;
use sequence::checks::{check_change, check_truth};
use sequence::ops::{Op, sequences};
use sequence::world::World;
use sluice_core::state::Status;
use sluice_testkit::memory::MemorySubject;
use sluice_testkit::random::runner;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const SEED: u64 = 20_251_130;

/// What happened at least once in all the sequences together; a generator that never gets anywhere proves nothing.
const EXPECTED: [&str; 13] = [
    "in_flight",
    "succeeded",
    "failed",
    "released",
    "indeterminate",
    "granted twice",
    "a change refused by its guard",
    "a word refused",
    "a word known before",
    "a mark too late",
    "a verdict too early",
    "a verdict refused",
    "double effect",
];

#[test]
fn any_sequence_of_decisions_takes_only_legal_ways_and_both_stores_agree() {
    let (memory, sqlite) = (MemorySubject::default(), SqliteSubject::new());
    let number = AtomicU64::new(0);
    let seen = Mutex::new(BTreeSet::new());
    let outcome = runner(1_500, SEED).run(&sequences(), |ops: Vec<Op>| {
        let key = format!("sequence {}", number.fetch_add(1, Ordering::Relaxed));
        let mut world = World::new(&memory, &sqlite, &key);
        for op in &ops {
            let before = world.model.record.clone();
            let written = world.perform(op).map_err(TestCaseError::fail)?;
            if let (Some(cause), Some(after)) = (written, &world.model.record) {
                check_change(before.as_ref(), after, cause).map_err(TestCaseError::fail)?;
                world.note_grant(cause).map_err(TestCaseError::fail)?;
            }
            check_truth(&world).map_err(TestCaseError::fail)?;
        }
        world.compare_events().map_err(TestCaseError::fail)?;
        seen.lock().unwrap().append(&mut world.seen);
        Ok(())
    });
    assert!(outcome.is_ok(), "seed {SEED}: {}", outcome.unwrap_err());
    let seen = seen.into_inner().unwrap();
    let missing: Vec<_> = EXPECTED.iter().filter(|expected| !seen.contains(*expected)).collect();
    assert!(missing.is_empty(), "no sequence ever showed {missing:?}");
    assert!(Status::ALL.iter().all(|status| seen.contains(status.as_str())));
}
