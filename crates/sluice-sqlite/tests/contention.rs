//! Others at the same file, and neighbours in the same batch.

mod common;

use common::*;
use rusqlite::{Connection, TransactionBehavior};
use sluice_core::ids::Version;
use sluice_core::state::Status;
use sluice_core::store::{Query, Renewed, Store, StoreErrorKind, Written};
use sluice_core::trail::{EventDraft, EventKind};
use sluice_sqlite::{Hook, Moment, Options, SqliteStore};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Holds the write lock of the file while `work` goes on.
fn while_locked<T>(conn: &mut Connection, work: impl FnOnce() -> T) -> T {
    let lock = conn.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let result = work();
    drop(lock);
    result
}

#[test]
fn one_of_many_claims_of_a_key_is_granted_through_any_handle() {
    let place = Place::new();
    let stores = [place.open(), place.open()];
    let start = Barrier::new(8);
    let granted = AtomicUsize::new(0);
    thread::scope(|scope| {
        for caller in 0..8 {
            let (store, start, granted) = (&stores[caller % 2], &start, &granted);
            scope.spawn(move || {
                start.wait();
                for number in 0..50 {
                    let answer =
                        wait(store.apply(id(&format!("k{number}")), first_claim(claim_id()))).unwrap();
                    granted.fetch_add(usize::from(matches!(answer, Written::Applied(_))), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(granted.into_inner(), 50);
}

#[test]
fn two_handles_with_their_own_keys_never_see_a_busy_ledger() {
    let place = Place::new();
    let stores = [place.open(), place.open()];
    thread::scope(|scope| {
        for caller in 0..4 {
            let store = &stores[caller % 2];
            scope.spawn(move || {
                for number in 0..50 {
                    let key = format!("{caller} {number}");
                    let claimed = claim(store, &key);
                    apply(store, &key, success(&claimed, b"1"));
                }
            });
        }
    });
    let query = Query { statuses: vec![Status::Succeeded], limit: 1000, ..Query::default() };
    assert_eq!(wait(stores[0].list(query)).unwrap().items.len(), 200);
}

#[test]
fn another_process_that_holds_the_lock_for_half_a_second_is_waited_for() {
    let place = Place::new();
    let store = place.open();
    let held = claim(&store, "held");
    let settling = claim(&store, "settling");
    let mut other = place.raw();
    let pending = while_locked(&mut other, || {
        let body = &held.record.body;
        let pending = (
            store.apply(id("new"), first_claim(claim_id())),
            store.renew(id("held"), body.claim, body.epoch, LEASE),
            store.apply(id("settling"), success(&settling, b"1")),
            store.notice(id("held"), EventDraft::new(EventKind::Note)),
        );
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(500) {
            assert!(read(&store, "held").is_some(), "reading goes on");
            assert_eq!(read(&store, "new"), None, "nothing was written past the lock");
        }
        pending
    });
    applied(wait(pending.0));
    assert!(matches!(wait(pending.1).unwrap(), Renewed::Extended { .. }));
    applied(wait(pending.2));
    wait(pending.3).unwrap();
}

#[test]
fn a_lock_that_is_never_let_go_ends_in_busy_with_nothing_changed() {
    let place = Place::new();
    let store = open(&place.path, Options { busy_timeout: Duration::from_millis(50), ..Options::default() });
    let claimed = claim(&store, "k");
    let mut other = place.raw();
    while_locked(&mut other, || {
        let pending: Vec<_> =
            (0..5).map(|number| store.apply(id(&format!("n{number}")), first_claim(claim_id()))).collect();
        for answer in pending.into_iter().map(wait) {
            let error = answer.unwrap_err();
            assert_eq!((error.kind, error.outcome_unknown), (StoreErrorKind::Busy, false));
            assert!(error.to_string().contains("stopped inside a write transaction"), "{error}");
            assert!(error.is_retryable());
        }
        let body = &claimed.record.body;
        let error = wait(store.renew(id("k"), body.claim, body.epoch, LEASE)).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Busy);
    });
    assert_eq!(wait(store.list(Query::default())).unwrap().items.len(), 1);
    assert_eq!(read(&store, "k").unwrap().record, claimed.record);
    claim(&store, "n0");
}

fn brief() -> Options {
    Options { busy_timeout: Duration::from_millis(50), ..Options::default() }
}

#[test]
fn opening_waits_for_the_lock_too_and_then_says_busy() {
    let place = Place::new();
    let mut other = place.raw();
    other.pragma_update(None, "journal_mode", "WAL").unwrap();
    let error = while_locked(&mut other, || wait(SqliteStore::open_with(&place.path, brief())).unwrap_err());
    assert_eq!(error.kind, StoreErrorKind::Busy);
    open(&place.path, brief());
}

#[test]
fn a_long_read_keeps_nobody_from_writing() {
    let place = Place::new();
    let store = place.open();
    (0..100).for_each(|number| drop(claim(&store, &format!("old {number}"))));
    let other = place.raw();
    let mut statement = other.prepare("SELECT id FROM records").unwrap();
    let mut scan = statement.query([]).unwrap();
    assert!(scan.next().unwrap().is_some());
    for number in 0..500 {
        let key = format!("new {number}");
        let claimed = claim(&store, &key);
        apply(&store, &key, success(&claimed, &[b'1'; 1000]));
    }
    let mut seen = 1;
    while scan.next().unwrap().is_some() {
        seen += 1;
    }
    assert_eq!(seen, 100, "and it sees the ledger as it was");
}

/// Answers a whole batch at once: the writer is kept busy with one job while the others queue up.
fn one_batch(
    hook: impl Fn(Moment<'_>) -> bool + Send + Sync + 'static,
) -> (Place, SqliteStore, mpsc::Sender<()>) {
    let place = Place::new();
    let (open_gate, gate) = mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let waited = AtomicBool::new(false);
    let hook = Hook::new(move |moment| {
        let is_first = matches!(moment, Moment::Written(_)) && !waited.swap(true, Ordering::SeqCst);
        if is_first {
            let _ = gate.lock().unwrap().recv();
        }
        hook(moment)
    });
    let store = open(&place.path, Options { hook: Some(hook), ..Options::default() });
    (place, store, open_gate)
}

#[test]
fn one_job_that_fails_leaves_its_neighbours_unharmed() {
    let (place, store, gate) = one_batch(|moment| moment != Moment::Written(&id("bad")));
    let first = store.apply(id("first"), first_claim(claim_id()));
    let keys = ["a", "b", "bad", "c", "d"];
    let pending: Vec<_> = keys.map(|key| (key, store.apply(id(key), first_claim(claim_id())))).into();
    gate.send(()).unwrap();
    applied(wait(first));
    for (key, answer) in pending {
        match (key, wait(answer)) {
            ("bad", Err(error)) => assert!(!error.outcome_unknown),
            (_, answer) => assert_eq!(applied(answer).record.version, Version::FIRST),
        }
    }
    let events: i64 = place.raw().query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(events, 5, "one event for each that was carried out");
    assert_eq!(read(&store, "bad"), None);
}

#[test]
fn a_batch_is_one_commit() {
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&commits);
    let (_place, store, gate) = one_batch(move |moment| {
        counted.fetch_add(usize::from(moment == Moment::Commit), Ordering::SeqCst);
        true
    });
    let pending: Vec<_> =
        (0..201).map(|number| store.apply(id(&format!("k{number}")), first_claim(claim_id()))).collect();
    gate.send(()).unwrap();
    for answer in pending {
        applied(wait(answer));
    }
    // One for what was there when the writer first looked, and one for all that came while it was held.
    let commits = commits.load(Ordering::SeqCst);
    assert!((1..=2).contains(&commits), "{commits} commits for 201 changes");
}

#[test]
fn what_changed_nothing_is_not_committed() {
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&commits);
    let hook = Hook::new(move |moment| {
        counted.fetch_add(usize::from(moment == Moment::Commit), Ordering::SeqCst);
        true
    });
    let place = Place::new();
    let store = open(&place.path, Options { hook: Some(hook), ..Options::default() });
    claim(&store, "k");
    for _ in 0..10 {
        assert!(matches!(wait(store.apply(id("k"), first_claim(claim_id()))), Ok(Written::Found { .. })));
    }
    assert_eq!(commits.load(Ordering::SeqCst), 1);
}

#[test]
fn a_commit_that_fails_is_reported_as_unknown_whether_or_not_it_reached_the_disk() {
    for (fails_at, landed) in [(Moment::Commit, false), (Moment::Committed, true)] {
        let armed = Arc::new(AtomicBool::new(true));
        let trigger = Arc::clone(&armed);
        let hook = Hook::new(move |moment| moment != fails_at || !trigger.swap(false, Ordering::SeqCst));
        let place = Place::new();
        let store = open(&place.path, Options { hook: Some(hook), ..Options::default() });
        let error = wait(store.apply(id("k"), first_claim(claim_id()))).unwrap_err();
        assert!(error.outcome_unknown, "{fails_at:?}");
        assert_eq!(read(&store, "k").is_some(), landed, "{fails_at:?}");
        claim(&store, "next");
    }
}

#[test]
fn dropping_the_last_handle_finishes_what_was_asked_for() {
    let place = Place::new();
    let store = place.open();
    let other = store.clone();
    drop(store);
    (0..300).for_each(|number| drop(other.apply(id(&format!("k{number}")), first_claim(claim_id()))));
    drop(other);
    let count: i64 = place.raw().query_row("SELECT count(*) FROM records", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 300);
    assert!(!place.folder.path().join("ledger.db-wal").exists(), "the file was closed");
}
