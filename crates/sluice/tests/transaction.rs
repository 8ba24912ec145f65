//! Effects in the ledger's own transaction: exactly once, never in doubt.

#[path = "common/bank.rs"]
mod bank;

use bank::{bank, block_on, moves, open, spec};
use sluice::core::ids::RecordId;
use sluice::core::state::Status;
use sluice::core::trail::EventKind;
use sluice::{Code, Done, Failure, Key, Namespace};
use sluice_sqlite::{LONGEST_WORK, Statements};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[test]
fn sixty_four_duplicates_at_once_move_the_money_once() {
    block_on(async {
        let bank = Arc::new(bank().await);
        let payers: Vec<_> = (0..64)
            .map(|_| {
                let bank = bank.clone();
                tokio::spawn(async move { bank.pay("transfer").await.unwrap() })
            })
            .collect();
        let mut ran = 0;
        for payer in payers {
            let done = payer.await.unwrap();
            ran += usize::from(done.ran_now());
            assert_eq!(done.value(), Some(7));
        }
        assert_eq!((ran, bank.balances()), (1, (900, 100)));
        let id = RecordId::new(Namespace::default(), Key::new("transfer").unwrap());
        let kinds: Vec<_> = bank
            .sluice
            .store()
            .events(&id)
            .await
            .unwrap()
            .into_iter()
            .map(|event| event.draft.kind)
            .collect();
        assert_eq!(kinds, [EventKind::Claimed, EventKind::Succeeded]);
    });
}

#[test]
fn an_ordinary_run_of_the_same_key_replays_it_and_the_other_way_round() {
    block_on(async {
        let bank = bank().await;
        assert_eq!(bank.pay("a").await.unwrap(), Done::Executed(7));
        let replayed = bank.sluice.run(spec("a"), |_| async { Ok(8_u32) }).await.unwrap();
        assert_eq!((replayed.ran_now(), replayed.value()), (false, Some(7)));
        assert!(bank.sluice.run(spec("b"), |_| async { Ok(8_u32) }).await.unwrap().ran_now());
        assert_eq!(bank.pay("b").await.unwrap().value(), Some(8));
        assert_eq!(bank.balances(), (900, 100));
    });
}

#[test]
fn a_permanent_failure_is_recorded_and_nothing_of_it_stays() {
    block_on(async {
        let bank = bank().await;
        let declines = |db: &Statements<'_>| {
            moves(db)?;
            Err::<u32, _>(Failure::permanent("not enough").with_code("poor"))
        };
        let error = bank.run("k", declines).await.unwrap_err();
        assert_eq!((error.code(), error.did_not_happen()), (Code::EffectFailed, true));
        assert_eq!((bank.status("k").await, bank.balances()), (Some(Status::Failed), (1000, 0)));
        let again = bank.pay("k").await.unwrap_err();
        assert_eq!(again.details().fault.as_ref().unwrap().code.as_deref(), Some("poor"));
        assert_eq!(bank.balances(), (1000, 0));
    });
}

type Work = fn(&Statements<'_>) -> Result<u32, Failure>;

#[test]
fn whatever_else_goes_wrong_leaves_everything_as_it_was() {
    block_on(async {
        let bank = bank().await;
        let made = bank
            .run::<(), _>("trigger", |db| {
                db.execute("CREATE TABLE guarded (n INTEGER)", [])?;
                db.execute(
                    "CREATE TRIGGER never BEFORE INSERT ON guarded BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
                    [],
                )?;
                Ok(())
            })
            .await
            .unwrap();
        assert!(made.ran_now());
        let works: [(&str, Work); 7] = [
            ("transient", |db| {
                moves(db)?;
                Err(Failure::transient("not now"))
            }),
            ("unknown", |db| {
                moves(db)?;
                Err(Failure::unknown("who knows"))
            }),
            ("unclassified", |db| {
                moves(db)?;
                Ok("x".parse()?)
            }),
            ("panics", |db| {
                moves(db)?;
                panic!("the work broke")
            }),
            ("rolled back by a trigger", |db| {
                moves(db)?;
                let _ = db.execute("INSERT INTO guarded VALUES (1)", []);
                // Whatever comes after would be outside of the transaction.
                let _ = moves(db);
                Ok(1)
            }),
            ("rolled back by a conflict", |db| {
                moves(db)?;
                let _ = db.execute("INSERT OR ROLLBACK INTO accounts VALUES ('ada', 1)", []);
                Ok(1)
            }),
            ("breaks a constraint", |db| {
                moves(db)?;
                db.execute("INSERT INTO accounts VALUES ('ada', 1)", [])?;
                Ok(1)
            }),
        ];
        for (key, work) in works {
            let error = bank.run(key, work).await.unwrap_err();
            assert_eq!(error.code(), Code::Released, "{key}: {error}");
            assert!(error.did_not_happen() && error.is_retryable(), "{key}");
            assert_eq!((bank.status(key).await, bank.balances()), (None, (1000, 0)), "{key}");
        }
        for key in ["transient", "panics", "rolled back by a trigger"] {
            assert_eq!(bank.pay(key).await.unwrap(), Done::Executed(7), "{key}: the next delivery runs it");
        }
        assert_eq!(bank.balances(), (700, 300));
    });
}

#[test]
fn what_takes_too_long_is_interrupted_and_rolled_back() {
    block_on(async {
        let bank = bank().await;
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        let began = std::time::Instant::now();
        let error = bank
            .run("endless", move |db| {
                moves(db)?;
                Ok(db.query_row(endless, [], |row| row.get::<_, u32>(0))?)
            })
            .await
            .unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(5) && error.code() == Code::Released, "{error}");
        let sleeps = |db: &Statements<'_>| {
            moves(db)?;
            std::thread::sleep(LONGEST_WORK * 2);
            Ok(7_u32)
        };
        let error = bank.run("sleeps", sleeps).await.unwrap_err();
        assert!(error.did_not_happen() && error.to_string().contains("longer"), "{error}");
        assert_eq!(bank.balances(), (1000, 0));
        assert_eq!(bank.pay("sleeps").await.unwrap(), Done::Executed(7));
    });
}

#[test]
fn what_would_leave_the_transaction_or_touch_the_ledger_is_refused() {
    block_on(async {
        let bank = bank().await;
        let other = bank.path.with_file_name("other.db");
        let attach = format!("ATTACH '{}' AS other", other.display());
        for (number, sql) in [
            "COMMIT",
            "ROLLBACK",
            "BEGIN",
            "SAVEPOINT a",
            "END",
            attach.as_str(),
            "DETACH main",
            "VACUUM",
            "PRAGMA synchronous = OFF",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA writable_schema = ON",
            "DELETE FROM records",
            "UPDATE Records SET status = 'succeeded'",
            "INSERT INTO events (at) VALUES (1)",
            "SELECT bytes FROM secrets",
            "DROP TABLE meta",
            "ALTER TABLE records ADD COLUMN x",
            "DROP TABLE circuits",
            "CREATE TRIGGER t AFTER UPDATE ON records BEGIN DELETE FROM accounts; END",
            "CREATE TEMP TRIGGER t AFTER UPDATE ON main.records BEGIN SELECT 1; END",
            "CREATE INDEX i ON records (tool)",
            "REINDEX records_open; SELECT 1",
            "",
        ]
        .into_iter()
        .enumerate()
        {
            let sql = sql.to_owned();
            let asked = sql.clone();
            let key = format!("try {number}");
            let tried = bank.run(&key, move |db| {
                moves(db)?;
                db.execute(&sql, [])?;
                Ok(7_u32)
            });
            let error = tried.await.unwrap_err();
            assert_eq!(error.code(), Code::Released, "{asked:?}");
            assert!(!error.to_string().contains("records"), "a driver's words: {error}");
            assert_eq!(bank.balances(), (1000, 0), "{asked:?}");
        }
        assert!(!other.exists());
        assert_eq!(bank.pay("after").await.unwrap(), Done::Executed(7), "the ledger is as good as before");
    });
}

#[test]
fn every_table_of_a_ledger_is_out_of_reach() {
    block_on(async {
        let bank = bank().await;
        let conn = rusqlite::Connection::open(&bank.path).unwrap();
        let mut all = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
        let names: Vec<String> =
            all.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        for (number, name) in names.iter().filter(|name| !name.starts_with("sqlite_")).enumerate() {
            if name == "accounts" {
                continue;
            }
            let sql = format!("DELETE FROM {name}");
            let key = format!("try {number}");
            let tried = bank.run(&key, move |db| Ok(db.execute(&sql, [])?));
            assert_eq!(tried.await.unwrap_err().code(), Code::Released, "{name}");
        }
    });
}

#[test]
fn a_conflict_a_large_result_and_another_ledger() {
    block_on(async {
        let bank = bank().await;
        let with = |args: u32| {
            bank.sluice.effect("k").fingerprint(&args).run_in(&bank.store, |db: &Statements<'_>| {
                moves(db)?;
                Ok("x".repeat(100_000))
            })
        };
        assert!(with(1).await.unwrap().ran_now());
        assert_eq!(with(2).await.unwrap_err().code(), Code::KeyConflict);
        assert!(matches!(with(1).await.unwrap(), Done::WithoutValue(_)), "the success survives its result");
        assert_eq!(bank.balances(), (900, 100));
        let other = self::bank().await;
        let strange = bank.sluice.run_in(&other.store, spec("x"), |db: &Statements<'_>| Ok(moves(db)?)).await;
        assert_eq!(strange.unwrap_err().code(), Code::Config);
        assert_eq!(other.balances(), (1000, 0));
    });
}

#[test]
fn while_an_ordinary_run_holds_the_key_the_transaction_waits_for_its_answer() {
    block_on(async {
        let bank = bank().await;
        let sluice = bank.sluice.clone();
        let begun = Arc::new(AtomicUsize::new(0));
        let seen = begun.clone();
        let slow = tokio::spawn(async move {
            let effect = move |_| {
                seen.fetch_add(1, Ordering::SeqCst);
                async {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    Ok(9_u32)
                }
            };
            sluice.run(spec("k"), effect).await
        });
        while begun.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(bank.pay("k").await.unwrap().value(), Some(9));
        assert_eq!(slow.await.unwrap().unwrap(), Done::Executed(9));
        assert_eq!(bank.balances(), (1000, 0));
    });
}

const PLACE: &str = "SLUICE_TEST_TRANSACTION_PLACE";
const MOMENT: &str = "SLUICE_TEST_TRANSACTION_MOMENT";

/// Not a test of its own: what a process does that dies.
#[test]
fn dies() {
    let (Ok(path), Ok(moment)) = (std::env::var(PLACE), std::env::var(MOMENT)) else { return };
    block_on(async {
        let bank = open(path.into(), None).await;
        let before = moment == "before";
        let done = bank
            .run("transfer", move |db| {
                moves(db)?;
                if before {
                    std::process::abort();
                }
                Ok(7_u32)
            })
            .await;
        assert!(done.unwrap().ran_now());
        std::process::abort();
    });
}

#[test]
fn a_process_that_dies_before_or_after_the_commit_leaves_nothing_or_all() {
    block_on(async {
        for (moment, balances, then) in [("before", (1000, 0), true), ("after", (900, 100), false)] {
            let bank = bank().await;
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "dies"]).env(PLACE, &bank.path).env(MOMENT, moment);
            assert!(!child.output().unwrap().status.success(), "it lives");
            assert_eq!(bank.balances(), balances, "{moment}");
            let done = bank.pay("transfer").await.unwrap();
            assert_eq!((done.ran_now(), done.value()), (then, Some(7)), "{moment}");
            assert_eq!(bank.balances(), (900, 100), "{moment}");
        }
    });
}
