//! What an effect in the ledger's own transaction could do to the ledger, to other holders and to its writer, and must not.

#[path = "common/bank.rs"]
mod bank;

use bank::{Bank, bank, bank_with, block_on, id, moves, spec};
use sluice::core::state::Status;
use sluice::core::store::StoreError;
use sluice::core::trail::EventKind;
use sluice::{Code, Done, Failure, Sluice};
use sluice_sqlite::{Hook, Moment, Options, SqliteStore, Statements};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

impl Bank {
    async fn history(&self, key: &str) -> Vec<(EventKind, Option<u64>)> {
        let events = self.sluice.store().events(&id(key)).await.unwrap();
        events.into_iter().map(|event| (event.draft.kind, event.version.map(|version| version.0))).collect()
    }
}

/// A temporary table comes before one of the file where a statement names neither, the ledger's own statements too.
#[test]
fn nothing_temporary_can_stand_in_for_a_table_of_the_ledger() {
    block_on(async {
        let bank = bank().await;
        for (number, sql) in [
            "CREATE TEMP TABLE events (seq INTEGER PRIMARY KEY, record, namespace, key, version, at, kind, epoch, \
             claim_id, status, words, sealed)",
            "CREATE TEMP TABLE records (x)",
            "CREATE TEMP TABLE grants (namespace, key, claim_id, epoch)",
            "CREATE TEMP VIEW meta AS SELECT 1 AS incarnation, 1 AS next_record, 1 AS one",
            "CREATE TEMP TABLE mine (x)",
            "CREATE TABLE temp.circuits (x)",
        ]
        .into_iter()
        .enumerate()
        {
            let key = format!("try {number}");
            let tried = bank.run(&key, move |db| Ok(db.execute(sql, [])?)).await;
            assert_eq!(tried.map_err(|error| error.code()), Err(Code::Released), "{sql}");
        }
        assert_eq!(bank.pay("after").await.unwrap(), Done::Executed(7));
        let whole = [(EventKind::Claimed, Some(1)), (EventKind::Succeeded, Some(2))];
        assert_eq!(bank.history("after").await, whole);
    });
}

#[test]
fn what_keeps_a_database_in_shape_is_no_effect() {
    block_on(async {
        let bank = bank().await;
        let upkeep = ["ANALYZE", "ANALYZE records", "ANALYZE accounts", "VACUUM INTO 'x'"];
        for (number, sql) in upkeep.into_iter().enumerate() {
            let tried = bank.run(&format!("try {number}"), move |db| Ok(db.execute(sql, [])?)).await;
            assert_eq!(tried.map_err(|error| error.code()), Err(Code::Released), "{sql}");
        }
    });
}

#[test]
fn a_full_text_index_of_ones_own_can_be_used() {
    block_on(async {
        let bank = bank().await;
        let conn = rusqlite::Connection::open(&bank.path).unwrap();
        conn.execute_batch("CREATE VIRTUAL TABLE notes USING fts5 (body)").unwrap();
        let found = bank.run("k", |db| {
            db.execute("INSERT INTO notes VALUES ('once per intent')", [])?;
            Ok(db.query_row("SELECT count(*) FROM notes WHERE notes MATCH 'intent'", [], |row| row.get(0))?)
        });
        assert_eq!(found.await.unwrap(), Done::Executed(1_u32));
    });
}

#[test]
fn foreign_keys_hold_as_on_any_connection_of_this_driver() {
    block_on(async {
        let bank = bank().await;
        let made = bank.run("tables", |db| {
            db.execute("CREATE TABLE now (name TEXT REFERENCES accounts)", [])?;
            db.execute(
                "CREATE TABLE at_the_end (name TEXT REFERENCES accounts DEFERRABLE INITIALLY DEFERRED)",
                [],
            )?;
            Ok(())
        });
        assert!(made.await.unwrap().ran_now());
        for table in ["now", "at_the_end"] {
            let insert = format!("INSERT INTO {table} VALUES ('nobody')");
            let tried = bank.run(table, move |db| {
                moves(db)?;
                Ok(db.execute(&insert, [])?)
            });
            let error = tried.await.unwrap_err();
            assert_eq!((error.code(), error.did_not_happen()), (Code::Released, true), "{table}: {error}");
            assert_eq!((bank.status(table).await, bank.balances()), (None, (1000, 0)), "{table}");
        }
        assert_eq!(bank.pay("after").await.unwrap(), Done::Executed(7));
        // The ledger's own writes are none of a user's business.
        let conn = rusqlite::Connection::open(&bank.path).unwrap();
        conn.execute_batch(
            "CREATE TABLE watcher (r INTEGER REFERENCES records); INSERT INTO watcher VALUES (1)",
        )
        .unwrap();
        assert!(bank.sluice.run(spec("ordinary"), |_| async { Ok(1_u32) }).await.unwrap().ran_now());
    });
}

/// The lease of another holder is renewed by the same writer: a queue of transactions must not keep it waiting for more than
/// one of them.
#[test]
fn many_transactions_at_once_do_not_cost_another_holder_its_lease() {
    block_on(async {
        let bank = Arc::new(bank().await);
        let mut short = spec("short lease");
        short.terms.lease = Duration::from_secs(1);
        let over = Arc::new(AtomicBool::new(false));
        let (sluice, is_over) = (bank.sluice.clone(), over.clone());
        let holder = tokio::spawn(async move {
            let effect = move |ctx: sluice::Ctx| {
                let is_over = is_over.clone();
                async move {
                    while !is_over.load(Ordering::SeqCst) {
                        ctx.may_send()?;
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                    Ok(1_u32)
                }
            };
            sluice.run(short, effect).await
        });
        while bank.status("short lease").await.is_none() {
            tokio::task::yield_now().await;
        }
        let payers: Vec<_> = (0..24)
            .map(|number| {
                let bank = bank.clone();
                tokio::spawn(async move {
                    let slowly = |db: &Statements<'_>| {
                        moves(db)?;
                        std::thread::sleep(Duration::from_millis(100));
                        Ok(7_u32)
                    };
                    bank.run(&format!("transfer {number}"), slowly).await
                })
            })
            .collect();
        let mut moved = 0;
        for payer in payers {
            moved += i64::from(payer.await.unwrap().is_ok());
        }
        over.store(true, Ordering::SeqCst);
        assert_eq!(holder.await.unwrap().unwrap(), Done::Executed(1));
        assert!(moved > 12, "most of them are quick enough: {moved}");
        assert_eq!(bank.balances(), (1000 - 100 * moved, 100 * moved));
    });
}

/// Breaks down when it is dropped by the store's own thread.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        let is_writer = std::thread::current().name() == Some("sluice-sqlite");
        assert!(!is_writer || std::thread::panicking(), "a destructor broke");
    }
}

#[test]
fn a_destructor_that_panics_does_not_end_the_writer() {
    block_on(async {
        let bank = Arc::new(bank().await);
        let thrown = bank.run::<u32, _>("thrown", |_| std::panic::panic_any(Bomb)).await;
        assert_eq!(thrown.unwrap_err().code(), Code::Released);
        let racers: Vec<_> = (0..16)
            .map(|_| {
                let (bank, bomb) = (bank.clone(), Bomb);
                tokio::spawn(async move {
                    let work = move |_: &Statements<'_>| {
                        let _carried = &bomb;
                        Ok(7_u32)
                    };
                    bank.run("carried", work).await.map(drop)
                })
            })
            .collect();
        for racer in racers {
            let error = racer.await.unwrap().unwrap_err();
            assert!(matches!(error.code(), Code::Released | Code::Store), "{error}");
        }
        assert_eq!(bank.pay("after").await.unwrap(), Done::Executed(7), "the writer lives");
    });
}

#[test]
fn a_write_that_is_interrupted_says_that_it_took_too_long() {
    block_on(async {
        let bank = bank().await;
        let endless = "INSERT INTO accounts WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT 'x' || i, i FROM n";
        let error = bank.run("k", move |db| Ok(db.execute(endless, [])?)).await.unwrap_err();
        assert_eq!(error.code(), Code::Released);
        assert!(error.to_string().contains("longer"), "{error}");
        assert!(std::error::Error::source(&error).is_some(), "the driver's own words are behind it");
        assert_eq!((bank.status("k").await, bank.balances()), (None, (1000, 0)));
    });
}

/// A hook that refuses a moment once it was told to.
fn once(moment: fn(Moment<'_>) -> bool) -> (Hook, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = armed.clone();
    let hook = Hook::new(move |now| !(moment(now) && trigger.swap(false, Ordering::SeqCst)));
    (hook, armed)
}

#[test]
fn a_commit_whose_answer_is_lost_is_looked_up() {
    block_on(async {
        let (hook, armed) = once(|moment| moment == Moment::Committed);
        let bank = bank_with(Options { hook: Some(hook), ..Options::default() }).await;
        armed.store(true, Ordering::SeqCst);
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
        assert_eq!((armed.load(Ordering::SeqCst), bank.balances()), (false, (900, 100)));
        assert!(!bank.pay("k").await.unwrap().ran_now());
        armed.store(true, Ordering::SeqCst);
        let declines = |db: &Statements<'_>| {
            moves(db)?;
            Err::<u32, _>(Failure::permanent("not enough"))
        };
        assert_eq!(bank.run("declined", declines).await.unwrap_err().code(), Code::EffectFailed);
        assert_eq!((armed.load(Ordering::SeqCst), bank.balances()), (false, (900, 100)));
        assert_eq!(bank.status("declined").await, Some(Status::Failed));
    });
}

#[test]
fn a_commit_that_failed_left_nothing_and_may_be_delivered_again() {
    block_on(async {
        let (hook, armed) = once(|moment| moment == Moment::Commit);
        let bank = bank_with(Options { hook: Some(hook), ..Options::default() }).await;
        armed.store(true, Ordering::SeqCst);
        let error = bank.pay("k").await.unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), (Code::Store, true));
        assert_eq!((bank.status("k").await, bank.balances()), (None, (1000, 0)));
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
    });
}

#[test]
fn a_commit_that_nobody_can_look_up_is_told_as_what_it_is() {
    block_on(async {
        let armed = Arc::new(AtomicBool::new(false));
        let trigger = armed.clone();
        let folder = tempfile::tempdir().unwrap();
        let (path, away) = (folder.path().join("bank.db"), folder.path().join("away.db"));
        let (from, to) = (path.clone(), away.clone());
        let hook = Hook::new(move |moment| {
            if moment == Moment::Committed && trigger.swap(false, Ordering::SeqCst) {
                std::fs::rename(&from, &to).unwrap();
                return false;
            }
            true
        });
        let options = Options { hook: Some(hook), ..Options::default() };
        let store = SqliteStore::open_with(&path, options).await.unwrap();
        let sluice = Sluice::open(store.clone()).build();
        armed.store(true, Ordering::SeqCst);
        let work = |_: &Statements<'_>| Ok(7_u32);
        let error = sluice.run_in(&store, spec("k"), work).await.unwrap_err();
        assert_eq!(error.code(), Code::Store);
        assert!(error.is_retryable() && !error.did_not_happen() && !error.is_indeterminate(), "{error}");
        assert!(error.to_string().contains("as a whole or not at all"), "{error}");
        assert!(!error.advice().contains("Nothing was run"), "{}", error.advice());
        assert!(std::error::Error::source(&error).unwrap().is::<StoreError>());
        std::fs::rename(&away, &path).unwrap();
        assert_eq!(sluice.run_in(&store, spec("k"), work).await.unwrap().value(), Some(7));
    });
}

#[test]
fn an_older_doubt_stays_where_the_transaction_is_rolled_back_and_ends_where_it_commits() {
    block_on(async {
        let bank = bank().await;
        let unknown = |_| async { Err::<u32, _>(Failure::unknown("who knows")) };
        let mut repeatable = spec("k");
        repeatable.terms.repeatable = true;
        assert!(bank.sluice.run(repeatable.clone(), unknown).await.unwrap_err().is_indeterminate());
        let refuses = bank.pay("k").await.unwrap_err();
        assert!(refuses.is_indeterminate() && bank.balances() == (1000, 0), "it is not declared repeatable");
        let again = |work: fn(&Statements<'_>) -> Result<u32, Failure>| {
            bank.sluice.run_in(&bank.store, repeatable.clone(), work)
        };
        let transient = again(|db| {
            moves(db)?;
            Err(Failure::transient("not now"))
        });
        assert!(transient.await.unwrap_err().is_indeterminate(), "the first execution is still in doubt");
        assert_eq!((bank.status("k").await, bank.balances()), (Some(Status::Indeterminate), (1000, 0)));
        let moved = again(|db| Ok(moves(db).map(|()| 7)?));
        assert_eq!(moved.await.unwrap(), Done::Executed(7));
        assert_eq!((bank.status("k").await, bank.balances()), (Some(Status::Succeeded), (900, 100)));
    });
}

#[test]
fn two_handles_of_one_file_move_the_money_once() {
    block_on(async {
        let bank = bank().await;
        let other = SqliteStore::open(&bank.path).await.unwrap();
        let handles = [bank.sluice.clone(), Sluice::open(other.clone()).build()];
        let stores = [bank.store.clone(), other];
        let payers: Vec<_> = (0..64)
            .map(|number| {
                let (sluice, store) = (handles[number % 2].clone(), stores[number % 2].clone());
                tokio::spawn(async move {
                    sluice
                        .run_in(&store, spec("k"), |db: &Statements<'_>| Ok(moves(db).map(|()| 7_u32)?))
                        .await
                })
            })
            .collect();
        let mut ran = 0;
        for payer in payers {
            let done = payer.await.unwrap().unwrap();
            ran += usize::from(done.ran_now());
            assert_eq!(done.value(), Some(7));
        }
        assert_eq!((ran, bank.balances()), (1, (900, 100)));
    });
}

#[test]
fn a_full_disk_leaves_neither_the_work_nor_its_claim() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["-t", "tmpfs", "-o", "size=1m", "tmpfs"];
    let mounted = Command::new("mount").args(small).arg(folder.path()).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return println!("not run: mounting is refused here");
    }
    block_on(async {
        let store = SqliteStore::open(folder.path().join("bank.db")).await.unwrap();
        let sluice = Sluice::open(store.clone()).build();
        let fill = |bytes: u32| {
            move |db: &Statements<'_>| {
                db.execute("CREATE TABLE IF NOT EXISTS blobs (x BLOB)", [])?;
                db.execute("INSERT INTO blobs VALUES (zeroblob(?1))", [bytes])?;
                Ok(db.query_row("SELECT count(*) FROM blobs", [], |row| row.get::<_, u32>(0))?)
            }
        };
        assert_eq!(sluice.run_in(&store, spec("a"), fill(10)).await.unwrap(), Done::Executed(1));
        let error = sluice.run_in(&store, spec("b"), fill(3_000_000)).await.unwrap_err();
        assert!(error.is_retryable() && !error.is_indeterminate(), "{error}");
        assert!(sluice.look(&id("b")).await.unwrap().is_none(), "not even a claim");
        assert_eq!(sluice.run_in(&store, spec("b"), fill(10)).await.unwrap(), Done::Executed(2));
    });
    let _ = Command::new("umount").arg("-l").arg(folder.path()).output();
}

#[test]
fn a_settlement_that_changes_no_row_rolls_everything_back() {
    block_on(async {
        let bank = bank().await;
        let conn = rusqlite::Connection::open(&bank.path).unwrap();
        conn.execute_batch(
            "CREATE TRIGGER swallows BEFORE UPDATE ON records WHEN new.status = 'succeeded' BEGIN SELECT RAISE(IGNORE); END",
        )
        .unwrap();
        let error = bank.pay("k").await.unwrap_err();
        assert_eq!((error.code(), error.is_indeterminate()), (Code::Store, false), "{error}");
        assert_eq!((bank.status("k").await, bank.balances()), (None, (1000, 0)));
        conn.execute_batch("DROP TRIGGER swallows").unwrap();
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
    });
}

#[test]
fn the_object_that_came_out_is_recorded_with_it() {
    block_on(async {
        let bank = bank().await;
        let work = |db: &Statements<'_>| {
            db.object_id("transfer-0");
            db.object_id("transfer-17");
            Ok(moves(db).map(|()| 7_u32)?)
        };
        assert!(bank.run("k", work).await.unwrap().ran_now());
        let found = bank.sluice.look(&id("k")).await.unwrap().unwrap();
        assert_eq!(found.record.body.labels.object_id.as_deref(), Some("transfer-17"));
        let Done::Replayed(7, meta) = bank.run("k", work).await.unwrap() else {
            panic!("it was done before")
        };
        assert_eq!(meta.object_id.as_deref(), Some("transfer-17"));
    });
}
