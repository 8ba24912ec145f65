//! Effects in the ledger's own transaction, where something goes wrong around them.

#[path = "common/bank.rs"]
mod bank;

use bank::{Bank, bank, block_on, moves, open, open_with, spec};
use sluice::core::store::StoreErrorKind;
use sluice::core::trail::EventKind;
use sluice::{Code, Done, Failure, Sluice};
use sluice_sqlite::{Hook, LONGEST_WORK, Moment, Options, SqliteStore, Statements};
use sluice_testkit::faults::{Call, Fault, FaultyStore};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn pays(db: &Statements<'_>) -> Result<u32, Failure> {
    moves(db)?;
    Ok(7)
}

fn declines(db: &Statements<'_>) -> Result<u32, Failure> {
    moves(db)?;
    Err(Failure::permanent("no"))
}

/// A bank whose commits get lost, or whose answers do, once.
async fn failing(bank: &Bank, refuses: fn(Moment<'_>) -> bool) -> Bank {
    let once = AtomicBool::new(false);
    let hook = Hook::new(move |at| !refuses(at) || once.swap(true, Ordering::SeqCst));
    open_with(bank.path.clone(), None, Options { hook: Some(hook), ..Options::default() }).await
}

#[test]
fn where_the_answer_of_the_commit_is_lost_the_record_tells() {
    block_on(async {
        let first = bank().await;
        let bank = failing(&first, |at| at == Moment::Committed).await;
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
        assert_eq!(bank.balances(), (900, 100));
        let bank = failing(&first, |at| at == Moment::Committed).await;
        let failed = bank.run("declined", declines).await.unwrap_err();
        assert_eq!(failed.code(), Code::EffectFailed, "{failed}");
        assert_eq!(bank.pay("declined").await.unwrap_err().code(), Code::EffectFailed);
        assert_eq!(bank.balances(), (900, 100));
    });
}

#[test]
fn where_the_commit_is_lost_it_is_said_and_the_next_delivery_runs_it() {
    block_on(async {
        let first = bank().await;
        let bank = failing(&first, |at| at == Moment::Commit).await;
        let lost = bank.pay("k").await.unwrap_err();
        assert_eq!((lost.code(), lost.is_retryable()), (Code::Store, true));
        assert!(!lost.is_indeterminate() && lost.advice().contains("Nothing was run"), "{}", lost.advice());
        assert_eq!(bank.balances(), (1000, 0));
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
        assert_eq!(bank.balances(), (900, 100));
    });
}

#[test]
fn where_the_ledger_cannot_be_asked_after_the_commit_the_next_delivery_replays_it() {
    block_on(async {
        let first = bank().await;
        let bank = failing(&first, |at| at == Moment::Committed).await;
        let faulty = FaultyStore::over(Arc::new(bank.store.clone()));
        let sluice = Sluice::open_shared(faulty.clone()).build();
        faulty.plan(Call::Read, 2, Fault::Before);
        let lost = sluice.run_in(&bank.store, spec("k"), pays).await.unwrap_err();
        assert_eq!((lost.code(), lost.is_retryable(), lost.did_not_happen()), (Code::Store, true, false));
        assert!(lost.to_string().contains("as a whole or not at all"), "{lost}");
        let again = sluice.run_in(&bank.store, spec("k"), pays).await.unwrap();
        assert_eq!((again.ran_now(), again.value(), bank.balances()), (false, Some(7), (900, 100)));
    });
}

#[test]
fn what_nobody_knows_is_never_called_undone_even_where_the_ledger_cannot_be_asked() {
    block_on(async {
        let bank = bank().await;
        let unknown = bank.sluice.run(spec("k"), |_| async { Err::<u32, _>(Failure::unknown("who knows")) });
        unknown.await.unwrap_err();
        let faulty = FaultyStore::over(Arc::new(bank.store.clone()));
        let sluice = Sluice::open_shared(faulty.clone()).build();
        faulty.plan(Call::Read, 2, Fault::Before);
        let mut repeatable = spec("k");
        repeatable.terms.repeatable = true;
        let rolls_back = |_: &Statements<'_>| Err::<u32, _>(Failure::transient("not now"));
        let error = sluice.run_in(&bank.store, repeatable, rolls_back).await.unwrap_err();
        assert_eq!((error.code(), error.did_not_happen()), (Code::Indeterminate, false), "{error}");
        assert_eq!(faulty.planned(), 0);
    });
}

#[test]
fn a_delivery_that_succeeds_before_a_failure_is_written_down_is_what_counts() {
    block_on(async {
        let bank = Arc::new(bank().await);
        let begun = Arc::new(AtomicBool::new(false));
        let says = begun.clone();
        let first = bank.clone();
        let fails = tokio::spawn(async move {
            let work = move |db: &Statements<'_>| {
                says.store(true, Ordering::SeqCst);
                // Until the other one is behind it in the queue.
                std::thread::sleep(LONGEST_WORK / 2);
                declines(db)
            };
            first.run("k", work).await
        });
        while !begun.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
        let heard = fails.await.unwrap().unwrap();
        assert_eq!((heard.ran_now(), heard.value()), (false, Some(7)));
        assert_eq!(bank.story("k").await, [EventKind::Claimed, EventKind::Succeeded]);
        assert_eq!(bank.balances(), (900, 100));
    });
}

#[test]
fn many_slow_transactions_keep_an_ordinary_run_waiting_for_one_of_them_at_a_time() {
    block_on(async {
        const SLOW: usize = 10;
        let bank = Arc::new(bank().await);
        let ended = Arc::new(AtomicUsize::new(0));
        let slow: Vec<_> = (0..SLOW)
            .map(|number| {
                let (bank, ended) = (bank.clone(), ended.clone());
                tokio::spawn(async move {
                    let works = |_: &Statements<'_>| {
                        std::thread::sleep(LONGEST_WORK / 3);
                        Ok(())
                    };
                    drop(bank.run(&format!("slow {number}"), works).await.unwrap());
                    ended.fetch_add(1, Ordering::SeqCst)
                })
            })
            .collect();
        while ended.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        drop(bank.sluice.run(spec("quick"), |_| async { Ok(1_u32) }).await.unwrap());
        let before = ended.load(Ordering::SeqCst);
        assert!(before < SLOW / 2, "claim and settlement waited for {before} of them");
        for one in slow {
            one.await.unwrap();
        }
    });
}

#[test]
fn a_write_that_takes_too_long_and_many_short_statements_end_at_the_bound() {
    block_on(async {
        let bank = bank().await;
        let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                    INSERT INTO accounts SELECT 'x' || i, i FROM n";
        let writes = |db: &Statements<'_>| {
            moves(db)?;
            db.execute(many, [])?;
            Ok(7_u32)
        };
        let loops = |db: &Statements<'_>| {
            loop {
                moves(db)?;
            }
        };
        let began = Instant::now();
        for error in [
            bank.run("writes", writes).await.unwrap_err(),
            bank.run::<u32, _>("loops", loops).await.unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::Released);
            assert!(
                error.to_string().contains("longer") && std::error::Error::source(&error).is_some(),
                "{error}"
            );
        }
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert_eq!(bank.balances(), (1000, 0));
        assert_eq!(bank.pay("writes").await.unwrap(), Done::Executed(7));
    });
}

/// Panics whenever it is dropped, and once more with what it panics with.
struct Brittle;

impl Drop for Brittle {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::panic_any(Self);
        }
    }
}

#[test]
fn nothing_that_an_effect_drops_ends_the_writer() {
    block_on(async {
        let bank = Arc::new(bank().await);
        let brittle = Mutex::new(Brittle);
        let broken = bank.run("k", move |db| {
            moves(db)?;
            drop(brittle);
            Ok(7_u32)
        });
        assert_eq!(broken.await.unwrap_err().code(), Code::Released);
        let racers: Vec<_> = (0..8)
            .map(|_| {
                let bank = bank.clone();
                tokio::spawn(async move {
                    let brittle = Mutex::new(Brittle);
                    // Only one of them is called; the others are dropped.
                    let works = move |db: &Statements<'_>| {
                        std::mem::forget(brittle);
                        std::thread::sleep(LONGEST_WORK / 4);
                        pays(db)
                    };
                    let _ = bank.run("k", works).await;
                })
            })
            .collect();
        for racer in racers {
            let _ = racer.await;
        }
        assert_eq!(bank.pay("k").await.unwrap().value(), Some(7));
        assert_eq!(bank.pay("after").await.unwrap(), Done::Executed(7), "the writer lives");
        assert_eq!(bank.balances(), (800, 200));
    });
}

struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}

#[test]
fn on_a_full_disk_everything_or_nothing_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(folder.path());
    if !mount.output().is_ok_and(|output| output.status.success()) {
        return println!("not run: mounting is refused here");
    }
    let _mounted = Mounted(folder.path());
    block_on(async {
        let bank = open(folder.path().join("bank.db"), None).await;
        let made = bank.run("table", |db| Ok(db.execute("CREATE TABLE papers (text TEXT)", [])?));
        drop(made.await.unwrap());
        let mut written = 0;
        let error = loop {
            let writes =
                |db: &Statements<'_>| Ok(db.execute("INSERT INTO papers VALUES (hex(zeroblob(2500)))", [])?);
            match bank.run(&format!("k{written}"), writes).await {
                Ok(_) => written += 1,
                Err(error) => break error,
            }
        };
        assert!(error.is_retryable() && !error.is_indeterminate(), "{error}");
        assert!(
            error.code() == Code::Released || error.store_kind() == Some(StoreErrorKind::Full),
            "{error}: {:?}",
            error.code()
        );
        assert!(written > 10);
        let conn = rusqlite::Connection::open(&bank.path).unwrap();
        let papers: i32 = conn.query_row("SELECT count(*) FROM papers", [], |row| row.get(0)).unwrap();
        assert_eq!(papers, written);
        for number in 0..written {
            assert!(bank.record(&format!("k{number}")).await.is_some());
        }
        assert!(bank.record(&format!("k{written}")).await.is_none());
    });
}

#[test]
fn others_on_the_file_see_the_commit_only() {
    block_on(async {
        let bank = bank().await;
        let path = bank.path.clone();
        let looks = bank.run("k", move |db| {
            moves(db)?;
            let conn = rusqlite::Connection::open(&path).unwrap();
            Ok(conn
                .query_row("SELECT cents FROM accounts WHERE name = 'bob'", [], |row| row.get::<_, i64>(0))?)
        });
        assert_eq!(looks.await.unwrap(), Done::Executed(0));
        assert_eq!(bank.balances(), (900, 100));
        let other = SqliteStore::open(&bank.path).await.unwrap();
        let elsewhere = Sluice::open(other.clone()).build();
        let again = elsewhere.run_in(&other, spec("k"), |_: &Statements<'_>| Ok(5_i64)).await.unwrap();
        assert_eq!((again.ran_now(), again.value()), (false, Some(0)));
    });
}
