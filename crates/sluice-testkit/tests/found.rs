//! Faults that the suite once found outside of this crate. Each test states the rule.

mod common;

use common::SqliteSubject;
use serde_json::{Value, json};
use sluice::MemoryStore;
use sluice_core::change::LeaseSet;
use sluice_core::failure::FailureClass;
use sluice_core::outcome::{Fault, Outcome};
use sluice_core::ports::Clock;
use sluice_core::record::{LedgerTime, Snapshot};
use sluice_core::store::{Query, Renewed, Store, Written};
use sluice_testkit::clock::{CountedChance, ManualClock};
use sluice_testkit::conformance::Subject;
use sluice_testkit::memory::MemorySubject;
use sluice_testkit::{block_on, sample};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

fn failed_with(detail: &Value) -> Outcome {
    Outcome::Fault(Fault { detail: Some(detail.to_string()), ..sample::fault(FailureClass::Permanent) })
}

#[test]
fn a_fault_whose_detail_is_nested_deeply_does_not_make_its_record_unreadable() {
    let subject = SqliteSubject::new();
    let store = subject.store();
    let mut body = sample::body(sample::claim_id());
    body.outcome = failed_with(&(0..128).fold(json!(1), |inner, _| json!([inner])));
    let written = block_on(store.apply(sample::id("k"), sample::place(body, LeaseSet::Keep)));
    if let Ok(Written::Applied(answered)) = written {
        let read = block_on(store.read(&sample::id("k")));
        assert!(matches!(&read, Ok(Some(found)) if found.record == answered.record), "{:?}", read.err());
    }
    let listed = block_on(store.list(Query::default()));
    assert!(listed.is_ok(), "one such record makes every list fail: {:?}", listed.err());
}

#[test]
fn a_detail_of_null_comes_back_as_null() {
    let subject = SqliteSubject::new();
    let store = subject.store();
    let mut body = sample::body(sample::claim_id());
    body.outcome = failed_with(&Value::Null);
    block_on(store.apply(sample::id("k"), sample::place(body.clone(), LeaseSet::Keep))).unwrap();
    let found = block_on(store.read(&sample::id("k"))).unwrap().unwrap();
    assert_eq!(found.record.body.outcome, body.outcome);
}

#[test]
fn an_endless_lease_does_not_leave_half_a_change_in_memory() {
    let subject = MemorySubject::default();
    let store = subject.store();
    let change = sample::first_claim(sample::claim_id()).and_lease(LeaseSet::Grant(Duration::MAX));
    let written = catch_unwind(AssertUnwindSafe(|| block_on(store.apply(sample::id("k"), change))));
    let record = block_on(store.read(&sample::id("k"))).unwrap();
    let events = block_on(store.events(&sample::id("k"))).unwrap();
    assert_eq!(record.is_some(), !events.is_empty(), "a record without its event");
    assert!(written.is_ok(), "the memory store panics where SQLite grants the longest lease it can");
}

/// A clock that, once armed, stops whoever reads it, having read it.
#[derive(Debug)]
struct StoppingClock {
    hands: ManualClock,
    armed: AtomicBool,
    stopped: mpsc::Sender<()>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Clock for StoppingClock {
    fn elapsed(&self) -> Duration {
        let read = self.hands.elapsed();
        if self.armed.swap(false, Ordering::SeqCst) {
            self.stopped.send(()).unwrap();
            self.go.lock().unwrap().recv().unwrap();
        }
        read
    }

    fn wall(&self) -> LedgerTime {
        self.hands.wall()
    }
}

#[test]
fn a_mark_never_passes_after_the_store_said_that_the_lease_is_over() {
    let (stopped, has_stopped) = mpsc::channel();
    let (go, may_go) = mpsc::channel();
    let clock = Arc::new(StoppingClock {
        hands: ManualClock::default(),
        armed: AtomicBool::new(false),
        stopped,
        go: Mutex::new(may_go),
    });
    let store =
        Arc::new(MemoryStore::in_world(Arc::<StoppingClock>::clone(&clock), &CountedChance::default(), 10));
    let written = block_on(store.apply(sample::id("k"), sample::first_claim(sample::claim_id()))).unwrap();
    let Written::Applied(claimed) = written else { panic!("{written:?}") };
    let claimed: Snapshot = *claimed;
    clock.hands.advance(Duration::from_millis(29_999));
    clock.armed.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let mark = scope.spawn(|| block_on(store.apply(sample::id("k"), sample::mark(&claimed))).unwrap());
        has_stopped.recv().unwrap();
        clock.hands.advance(Duration::from_millis(1));
        let body = &claimed.record.body;
        let (told, hears) = mpsc::channel();
        let renew = || block_on(store.renew(sample::id("k"), body.claim, body.epoch, sample::LEASE)).unwrap();
        let renewal = scope.spawn(move || told.send(renew()).unwrap());
        // A store that reads its clock under its lock lets nobody in meanwhile; then the mark comes first, which is
        // fine. Waiting only decides which of the two histories is seen, and both are judged.
        let first = hears.recv_timeout(Duration::from_millis(500)).ok();
        go.send(()).unwrap();
        let marked = matches!(mark.join().unwrap(), Written::Applied(_));
        renewal.join().unwrap();
        assert!(
            !(first == Some(Renewed::Lost) && marked),
            "told that it is over, the holder still passed its mark"
        );
    });
}
