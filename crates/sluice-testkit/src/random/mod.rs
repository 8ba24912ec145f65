//! Random records and random changes: a store must answer as the pure rules say.
//!
//! Every case places a record in any state at all, and then offers changes with right, wrong and mixed guards. After
//! each of them the store must have said what `Guard::check` says of the plain [`Model`], and must hold the body
//! that the change set, or the one from before.

mod asks;
mod bodies;

pub use asks::{Ask, asks};
pub use bodies::{bodies, faults, kept};

use crate::conformance::{Bench, Subject, Verdict, ensure, same};
use crate::model::Model;
use crate::sample::{id, place};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sluice_core::change::LeaseSet;
use sluice_core::ids::RecordId;
use sluice_core::record::{Body, Snapshot};
use sluice_core::store::Written;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// One case: a record in some state, and what is asked of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The record as it is placed.
    pub body: Body,
    /// What happens to its lease then.
    pub lease: LeaseSet,
    /// The changes that are offered, one after the other.
    pub asks: Vec<Ask>,
}

/// Any case.
pub fn cases() -> impl Strategy<Value = Case> {
    let parts = (bodies(), asks::lease_sets(), prop::collection::vec(asks(), 1..8));
    parts.prop_map(|(body, lease, asks)| Case { body, lease, asks })
}

/// Runs so many random cases against a store, from this seed, and shrinks the first that fails.
///
/// # Errors
/// The smallest case that fails, with the seed.
pub fn check(subject: &dyn Subject, cases: u32, seed: u64) -> Result<(), String> {
    let mut runner = runner(cases, seed);
    // Each run, shrinking included, works on a key of its own, so that one ledger serves them all.
    let number = AtomicU64::new(0);
    let outcome = runner.run(&self::cases(), |case| {
        let id = id(&format!("case {}", number.fetch_add(1, Ordering::Relaxed)));
        agree(subject, &id, case).map_err(TestCaseError::fail)
    });
    outcome.map_err(|error| format!("seed {seed}: {error}"))
}

/// A runner that draws the same cases from the same seed, and keeps no files.
pub fn runner(cases: u32, seed: u64) -> TestRunner {
    println!("{cases} random cases from seed {seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn agree(subject: &dyn Subject, id: &RecordId, case: Case) -> Verdict {
    let bench = Bench::new(subject);
    let mut model = Model::default();
    let mut now = Duration::ZERO;
    let first = place(case.body, case.lease);
    bench.applied(id, first.clone())?;
    ensure!(model.apply(id, first, now).is_ok(), "the model refused to place a record");
    for ask in case.asks {
        if ask.reboot && subject.reboot() {
            model.reboot();
        }
        let passed = Duration::from_millis(ask.advance_ms);
        subject.advance(passed);
        now += passed;
        offer(bench, id, &mut model, &ask, now)?;
    }
    let events = bench.events(id)?;
    let drafts = events.iter().map(|event| event.draft.clone()).collect();
    same("the events", &drafts, &model.events)
}

fn offer(bench: Bench<'_>, id: &RecordId, model: &mut Model, ask: &Ask, now: Duration) -> Verdict {
    let Some(change) = ask.change(model) else {
        return Ok(());
    };
    let said = model.apply(id, change.clone(), now);
    let (found, unmet) = match bench.apply(id, change)? {
        Written::Applied(snapshot) => (Some(*snapshot), Ok(())),
        Written::Found { snapshot, unmet } => (snapshot.map(|found| *found), Err(unmet)),
    };
    same("what the store said of the guard", &unmet, &said)?;
    let expected = model.snapshot(now);
    alike("what the store answered", found, expected.as_ref())?;
    alike("what is read", bench.read(id)?, expected.as_ref())
}

/// All but the times, which the model does not have.
fn alike(what: &str, found: Option<Snapshot>, expected: Option<&Snapshot>) -> Verdict {
    let mut found = found;
    if let (Some(found), Some(expected)) = (&mut found, expected) {
        found.record.created = expected.record.created;
        found.record.updated = expected.record.updated;
    }
    same(what, &found.as_ref(), &expected)
}
