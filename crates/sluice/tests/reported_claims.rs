//! Faults that people reported of claims, keys and races; each is closed as a kind.

mod common;

use common::{Counter, Ledger, id, key, look, on_every_ledger, spec};
use sluice::core::decide::{self, SettleStep};
use sluice::core::holder::Liveness;
use sluice::core::outcome::Kept;
use sluice::core::ports::Report;
use sluice::core::state::Status;
use sluice::core::store::Written;
use sluice::{Code, Done, EffectSpec, Failure, Sluice, Wait};
use std::time::Duration;
use tokio::sync::oneshot;

const LEASE: Duration = Duration::from_secs(1);

/// Claims as a holder would that then dies without a word.
fn abandoned_claim(ledger: &Ledger, text: &str) {
    let (started, running) = oneshot::channel();
    let sluice = Sluice::open_shared(ledger.handles[1].clone()).build();
    let mut spec = spec(text);
    spec.terms.lease = LEASE;
    let runtime = std::thread::spawn(move || {
        // The runtime is dropped in the middle of the effect, which is as close to a death as a thread gets.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut started = Some(started);
            let run = sluice.run(spec, move |_| {
                let _ = started.take().unwrap().send(());
                std::future::pending::<Result<u32, Failure>>()
            });
            tokio::select! { _ = run => unreachable!(), _ = running => {} }
        });
        runtime.shutdown_background();
    });
    runtime.join().unwrap();
}

async fn lease_ended(sluice: &Sluice, text: &str) {
    while look(sluice, text).await.unwrap().lease.is_live() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn b01_a_stale_takeover_changes_nothing_and_hears_the_owners_result() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        let sluice = ledger.sluice();
        lease_ended(&sluice, "k").await;
        // B reads the ended claim and is paused; A, still alive, commits its success; B goes on.
        let stale = look(&sluice, "k").await.unwrap();
        let takeover = decide::lapse(&stale, Liveness::Unknown).unwrap();
        let report = Report::Success { kept: Kept::within(b"7".to_vec(), 10), object_id: None };
        let body = &stale.record.body;
        let SettleStep::Write(success) = decide::settle(&stale, body.claim, body.epoch, &report) else {
            unreachable!()
        };
        let written = ledger.handles[1].apply(id("k"), success).await.unwrap();
        assert!(matches!(written, Written::Applied(_)));
        let refused = ledger.handles[2].apply(id("k"), takeover).await.unwrap();
        let Written::Found { snapshot: Some(found), .. } = refused else {
            panic!("the stale takeover applied")
        };
        assert_eq!(found.record.body.status, Status::Succeeded);
        let done = sluice
            .run(spec("k"), |_| async { Err::<u32, _>(Failure::permanent("ran again")) })
            .await
            .unwrap();
        assert_eq!(done.value(), Some(7));
    });
}

#[test]
fn b01_of_three_that_race_for_an_ended_claim_exactly_one_lapses_it() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        lease_ended(&ledger.sluice(), "k").await;
        let stale = look(&ledger.sluice(), "k").await.unwrap();
        let mut applied = 0;
        for store in &ledger.handles[..3] {
            let takeover = decide::lapse(&stale, Liveness::Unknown).unwrap();
            let written = store.apply(id("k"), takeover).await.unwrap();
            applied += usize::from(matches!(written, Written::Applied(_)));
        }
        assert_eq!(applied, 1);
        let effects = Counter::default();
        for sluice in ledger.all() {
            let effects = effects.clone();
            let error = sluice
                .run(spec("k"), move |_| {
                    effects.bump();
                    async { Ok::<_, Failure>(1) }
                })
                .await
                .unwrap_err();
            assert_eq!(error.code(), Code::Indeterminate);
        }
        assert_eq!(effects.get(), 0);
    });
}

#[test]
fn b05_a_namespace_and_a_key_are_never_joined() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        let effects = Counter::default();
        for (namespace, text) in [
            ("a:b", "c"),
            ("a", "b:c"),
            ("a/b", "c"),
            ("a", "b/c"),
            ("a|b", "c"),
            ("a", "b|c"),
            ("a b", "c"),
            ("a", "b c"),
        ] {
            let mine = format!("{namespace}·{text}");
            let wanted = mine.clone();
            let effects = effects.clone();
            let done = sluice
                .effect(text)
                .no_fingerprint()
                .namespace(namespace)
                .run(move |_| {
                    effects.bump();
                    let mine = mine.clone();
                    async move { Ok::<_, Failure>(mine) }
                })
                .await
                .unwrap();
            assert_eq!(done, Done::Executed(wanted));
        }
        assert_eq!(effects.get(), 8);
        let refused =
            sluice.effect("c").no_fingerprint().namespace("").run(|_| async { Ok::<_, Failure>(1) }).await;
        assert_eq!(refused.unwrap_err().code(), Code::InvalidKey, "an empty scope is no scope");
        let nul = sluice.effect("a\0b").no_fingerprint().run(|_| async { Ok::<_, Failure>(1) }).await;
        assert_eq!(nul.unwrap_err().code(), Code::InvalidKey);
    });
}

#[test]
fn b07_of_a_hundred_concurrent_callers_one_runs_and_all_hear_its_result() {
    on_every_ledger(|ledger| async move {
        let effects = Counter::default();
        let handles = ledger.all();
        let tasks: Vec<_> = (0..100)
            .map(|n| {
                let (sluice, effects) = (handles[n % handles.len()].clone(), effects.clone());
                tokio::spawn(async move {
                    let effect = move |_| {
                        let effects = effects.clone();
                        async move {
                            effects.bump();
                            tokio::time::sleep(Duration::from_millis(300)).await;
                            Ok::<_, Failure>("the answer".to_owned())
                        }
                    };
                    sluice.effect("k").fingerprint(&"same").run(effect).await
                })
            })
            .collect();
        let mut ran = 0;
        for task in tasks {
            let done = task.await.unwrap().unwrap();
            ran += usize::from(done.ran_now());
            assert_eq!(done.value().as_deref(), Some("the answer"));
        }
        assert_eq!((ran, effects.get()), (1, 1));
    });
}

#[test]
fn b07_a_loser_that_does_not_wait_gets_an_answer_of_its_own_kind() {
    on_every_ledger(|ledger| async move {
        let (go, gate) = oneshot::channel::<()>();
        let (started, running) = oneshot::channel();
        let first = ledger.sluice();
        let task = tokio::spawn(async move {
            let mut once = Some((started, gate));
            first
                .run(spec("k"), move |_| {
                    let (started, gate) = once.take().unwrap();
                    async move {
                        let _ = started.send(());
                        let _ = gate.await;
                        Ok::<_, Failure>(1)
                    }
                })
                .await
        });
        running.await.unwrap();
        for sluice in ledger.all() {
            let refused = sluice
                .run(EffectSpec { wait: Wait::No, ..spec("k") }, |_| async { Ok::<_, Failure>(2) })
                .await
                .unwrap_err();
            assert_eq!(refused.code(), Code::InFlight);
            assert!(refused.is_retryable() && !refused.did_not_happen());
            let patience = Wait::For(Duration::from_millis(30));
            let late = sluice
                .run(EffectSpec { wait: patience, ..spec("k") }, |_| async { Ok::<_, Failure>(2) })
                .await
                .unwrap_err();
            assert_eq!(late.code(), Code::WaitTimeout);
        }
        go.send(()).unwrap();
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
    });
}

async fn conflicts(ledger: &Ledger, text: &str) {
    let sluice = ledger.sluice();
    let before = look(&sluice, text).await.unwrap();
    let other = Counter::default();
    let bump = other.clone();
    let refused = sluice
        .effect(text)
        .fingerprint(&"other")
        .run(move |_| {
            bump.bump();
            async { Ok::<_, Failure>(2) }
        })
        .await
        .unwrap_err();
    assert_eq!((refused.code(), other.get()), (Code::KeyConflict, 0));
    assert!(!format!("{refused} {:?}", refused.details()).contains("secret"), "the first record leaks");
    let none = sluice.effect(text).no_fingerprint().run(|_| async { Ok::<_, Failure>(2) }).await.unwrap_err();
    assert_eq!(none.code(), Code::KeyConflict);
    let after = look(&sluice, text).await.unwrap();
    assert_eq!(after.record, before.record);
}

#[test]
fn b08_a_key_used_for_something_else_touches_nothing_in_any_state() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        for (text, outcome) in [
            ("done", Ok("secret".to_owned())),
            ("failed", Err(Failure::permanent("secret"))),
            ("released", Err(Failure::transient("secret"))),
            ("unknown", Err(Failure::unknown("secret"))),
        ] {
            let mut outcome = Some(outcome);
            let _ = sluice
                .effect(text)
                .fingerprint(&"first")
                .run(move |_| std::future::ready(outcome.take().unwrap()))
                .await;
            conflicts(&ledger, text).await;
        }
        let (go, gate) = oneshot::channel::<()>();
        let (started, running) = oneshot::channel();
        let slow = ledger.sluice();
        let task = tokio::spawn(async move {
            let mut once = Some((started, gate));
            slow.effect("slow")
                .fingerprint(&"first")
                .run(move |_| {
                    let (started, gate) = once.take().unwrap();
                    async move {
                        let _ = started.send(());
                        let _ = gate.await;
                        Ok::<_, Failure>(1)
                    }
                })
                .await
        });
        running.await.unwrap();
        conflicts(&ledger, "slow").await;
        go.send(()).unwrap();
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
    });
}

#[test]
fn b08_a_conflict_does_not_even_lapse_a_claim_whose_lease_ended() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        lease_ended(&ledger.sluice(), "k").await;
        let before = look(&ledger.sluice(), "k").await.unwrap().record;
        let refused =
            ledger.sluice().effect("k").fingerprint(&1).run(|_| async { Ok::<_, Failure>(2) }).await;
        assert_eq!(refused.unwrap_err().code(), Code::KeyConflict);
        assert_eq!(look(&ledger.sluice(), "k").await.unwrap().record, before);
    });
}

/// What a second process does that writes, or reads for long, on the same file.
fn raw(path: &std::path::Path) -> rusqlite::Connection {
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.busy_timeout(Duration::from_secs(30)).unwrap();
    raw
}

#[test]
fn b10_a_held_write_lock_is_waited_for_by_claim_heartbeat_and_settlement() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let sluice = Sluice::open(sluice_sqlite::SqliteStore::open(&path).await.unwrap()).build();
        let other = raw(&path);
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        // Half a second locked, a moment free, over and over: every kind of write meets a held lock.
        let holder = std::thread::spawn(move || {
            while stopped.try_recv().is_err() {
                other.execute_batch("BEGIN IMMEDIATE").unwrap();
                std::thread::sleep(Duration::from_millis(500));
                other.execute_batch("COMMIT").unwrap();
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let mut spec = spec("k");
        spec.terms.lease = Duration::from_secs(3);
        let done = sluice
            .run(spec, |ctx| async move {
                tokio::time::sleep(Duration::from_secs(4)).await;
                ctx.may_send()?;
                Ok::<_, Failure>(7)
            })
            .await
            .unwrap();
        assert_eq!(done, Done::Executed(7), "the lease was renewed in spite of the lock");
        stop.send(()).unwrap();
        holder.join().unwrap();
    });
}

#[test]
fn b10_many_handles_keys_and_callers_beside_a_long_scan_never_meet_a_busy_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let effects = Counter::default();
        let mut tasks = Vec::new();
        let mut handles = Vec::new();
        for _ in 0..4 {
            handles.push(Sluice::open(sluice_sqlite::SqliteStore::open(&path).await.unwrap()).build());
        }
        let scan = raw(&path);
        scan.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
        for sluice in &handles {
            for n in 0..50 {
                for _ in 0..4 {
                    let (sluice, bump) = (sluice.clone(), effects.clone());
                    tasks.push(tokio::spawn(async move {
                        let effect = move |_| {
                            bump.bump();
                            async move { Ok::<_, Failure>(n) }
                        };
                        sluice.run(EffectSpec::new(key(&format!("key {n}"))), effect).await
                    }));
                }
            }
        }
        for task in tasks {
            assert!(task.await.unwrap().is_ok());
        }
        assert_eq!(effects.get(), 50);
        scan.execute_batch("COMMIT").unwrap();
    });
}
