//! The faulty store fails as planned, and otherwise is the store inside.

use sluice_core::change::Unmet;
use sluice_core::ids::{Epoch, Version};
use sluice_core::store::{Query, Store, StoreErrorKind, Written};
use sluice_core::trail::{EventDraft, EventKind};
use sluice_testkit::conformance::{self, Subject};
use sluice_testkit::faults::{Call, Fault, FaultyStore, Gate};
use sluice_testkit::memory::MemorySubject;
use sluice_testkit::{block_on, sample};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn faulty() -> Arc<FaultyStore> {
    FaultyStore::over(MemorySubject::default().store())
}

/// The memory store behind a faulty one without a plan.
#[derive(Debug)]
struct Unplanned(MemorySubject, Arc<FaultyStore>);

impl Subject for Unplanned {
    fn store(&self) -> Arc<dyn Store> {
        Arc::<FaultyStore>::clone(&self.1)
    }

    fn advance(&self, by: Duration) {
        self.0.advance(by);
    }

    fn step_wall(&self, ms: i64) {
        self.0.step_wall(ms);
    }
}

#[test]
fn without_a_plan_it_keeps_every_rule_that_the_store_inside_keeps() {
    let report = conformance::check(|| {
        let memory = MemorySubject::default();
        let store = FaultyStore::over(memory.store());
        Box::new(Unplanned(memory, store))
    });
    assert!(report.failures.is_empty(), "{report}");
}

#[test]
fn a_fault_before_leaves_nothing_and_can_be_retried() {
    let store = faulty();
    store.plan(Call::Apply, 2, Fault::Before);
    let claim = |key| block_on(store.apply(sample::id(key), sample::first_claim(sample::claim_id())));
    assert!(matches!(claim("a"), Ok(Written::Applied(_))));
    let error = claim("b").unwrap_err();
    assert!(error.is_retryable() && !error.outcome_unknown);
    assert_eq!(error.kind, StoreErrorKind::Unavailable);
    assert_eq!(block_on(store.read(&sample::id("b"))).unwrap(), None);
    assert!(matches!(claim("b"), Ok(Written::Applied(_))));
    assert_eq!((store.calls(Call::Apply), store.planned()), (3, 0));
}

#[test]
fn a_fault_after_loses_the_answer_and_not_the_change() {
    let store = faulty();
    store.plan_next(Call::Apply, Fault::After);
    let (id, claim) = (sample::id("k"), sample::claim_id());
    let error = block_on(store.apply(id.clone(), sample::first_claim(claim))).unwrap_err();
    assert!(error.is_retryable() && error.outcome_unknown);
    let again = block_on(store.apply(id, sample::first_claim(claim))).unwrap();
    let Written::Found { snapshot: Some(found), unmet: Unmet::Record } = again else { panic!("{again:?}") };
    assert_eq!(found.record.body.claim, claim);
}

#[test]
fn a_change_that_is_delivered_twice_applies_once() {
    let store = faulty();
    store.plan_next(Call::Apply, Fault::Twice);
    let id = sample::id("k");
    let written = block_on(store.apply(id.clone(), sample::first_claim(sample::claim_id()))).unwrap();
    assert!(matches!(written, Written::Found { .. }), "the second delivery is the one that is answered");
    assert_eq!(block_on(store.read(&id)).unwrap().unwrap().record.version, Version::FIRST);
    assert_eq!(block_on(store.events(&id)).unwrap().len(), 1);
}

#[test]
fn a_notice_that_is_delivered_twice_stands_twice() {
    let store = faulty();
    store.plan_next(Call::Notice, Fault::Twice);
    block_on(store.notice(sample::id("k"), EventDraft::new(EventKind::Note))).unwrap();
    assert_eq!(block_on(store.events(&sample::id("k"))).unwrap().len(), 2);
}

#[test]
fn a_gate_holds_a_call_before_it_is_done_until_it_is_opened() {
    let store = faulty();
    let gate = Gate::new();
    store.plan_next(Call::Apply, Fault::HoldBefore(gate.clone()));
    thread::scope(|scope| {
        let held =
            scope.spawn(|| block_on(store.apply(sample::id("k"), sample::first_claim(sample::claim_id()))));
        block_on(gate.arrived(1));
        assert_eq!(block_on(store.read(&sample::id("k"))).unwrap(), None, "the held call was not done");
        gate.open();
        assert!(matches!(held.join().unwrap(), Ok(Written::Applied(_))));
    });
}

#[test]
fn a_gate_holds_an_answer_while_the_change_is_there() {
    let store = faulty();
    let gate = Gate::new();
    store.plan_next(Call::Apply, Fault::HoldAfter(gate.clone()));
    thread::scope(|scope| {
        let held =
            scope.spawn(|| block_on(store.apply(sample::id("k"), sample::first_claim(sample::claim_id()))));
        block_on(gate.arrived(1));
        assert!(block_on(store.read(&sample::id("k"))).unwrap().is_some());
        gate.open();
        assert!(matches!(held.join().unwrap(), Ok(Written::Applied(_))));
    });
}

#[test]
fn a_store_that_is_away_fails_every_call_and_is_back_when_told() {
    let store = faulty();
    let id = sample::id("k");
    store.set_away(true);
    let claim = sample::claim_id();
    assert!(block_on(store.read(&id)).is_err());
    assert!(block_on(store.apply(id.clone(), sample::first_claim(claim))).is_err());
    assert!(block_on(store.renew(id.clone(), claim, Epoch::FIRST, sample::LEASE)).is_err());
    assert!(block_on(store.notice(id.clone(), EventDraft::new(EventKind::Note))).is_err());
    assert!(block_on(store.events(&id)).is_err());
    assert!(block_on(store.list(Query::default())).is_err());
    store.set_away(false);
    assert_eq!(block_on(store.read(&id)).unwrap(), None);
    assert_eq!(block_on(store.events(&id)).unwrap(), vec![]);
    assert_eq!(store.calls(Call::Read), 2);
}
