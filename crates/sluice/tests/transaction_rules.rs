//! Effects in the ledger's own transaction follow the rules of every other effect.

#[path = "common/bank.rs"]
mod bank;

use bank::{Bank, bank, block_on, moves, spec};
use sluice::core::record::LedgerTime;
use sluice::core::state::Status;
use sluice::core::trail::EventKind::{Claimed, Failed, Reclaimed, Released, Reopened, Succeeded, Unknown};
use sluice::{Code, Done, EffectBuilder, Failure, OnDuplicate, OnFailed, Wait};
use sluice_sqlite::Statements;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

impl Bank {
    fn effect(&self, key: &str) -> EffectBuilder<'_> {
        self.sluice.effect(key).no_fingerprint()
    }

    /// Leaves a record behind that an ordinary run failed to finish.
    async fn fails(&self, key: &str, failure: fn() -> Failure) {
        let failed = self.sluice.run(spec(key), move |_| async move { Err::<u32, _>(failure()) });
        failed.await.unwrap_err();
    }
}

fn pays(db: &Statements<'_>) -> Result<u32, Failure> {
    moves(db)?;
    Ok(7)
}

#[test]
fn what_was_released_is_claimed_again() {
    block_on(async {
        let bank = bank().await;
        let not_now = || Failure::transient("not now").not_to_be_repeated();
        bank.fails("k", not_now).await;
        assert_eq!(bank.pay("k").await.unwrap(), Done::Executed(7));
        assert_eq!(bank.story("k").await, [Claimed, Released, Claimed, Succeeded]);
        assert_eq!((bank.record("k").await.unwrap().body.epoch.0, bank.balances()), (2, (900, 100)));
    });
}

#[test]
fn what_nobody_knows_is_refused_and_stays_unknown_where_a_repetition_rolls_back() {
    block_on(async {
        let bank = bank().await;
        bank.fails("k", || Failure::unknown("who knows")).await;
        let refused = bank.pay("k").await.unwrap_err();
        assert_eq!((refused.code(), refused.did_not_happen()), (Code::Indeterminate, false));
        assert_eq!(bank.balances(), (1000, 0));

        let rolls_back = |db: &Statements<'_>| {
            moves(db)?;
            Err::<u32, _>(Failure::transient("not now"))
        };
        let repeats = || bank.sluice.run_in(&bank.store, spec("k"), pays);
        assert_eq!(repeats().await.unwrap_err().code(), Code::Indeterminate, "nobody declared it repeatable");
        let mut repeatable = spec("k");
        repeatable.terms.repeatable = true;
        let still = bank.sluice.run_in(&bank.store, repeatable.clone(), rolls_back).await.unwrap_err();
        assert_eq!((still.code(), still.did_not_happen()), (Code::Indeterminate, false), "{still}");
        assert_eq!(bank.story("k").await, [Claimed, Unknown], "the repetition left nothing");

        let done = bank.sluice.run_in(&bank.store, repeatable, pays).await.unwrap();
        assert_eq!((done, bank.balances()), (Done::Executed(7), (900, 100)));
        assert_eq!(bank.story("k").await, [Claimed, Unknown, Reclaimed, Succeeded]);
    });
}

#[test]
fn a_permanent_failure_of_a_repetition_does_not_settle_what_nobody_knows() {
    block_on(async {
        let bank = bank().await;
        bank.fails("k", || Failure::unknown("who knows")).await;
        let mut repeatable = spec("k");
        repeatable.terms.repeatable = true;
        let declines = |db: &Statements<'_>| {
            moves(db)?;
            Err::<u32, _>(Failure::permanent("no"))
        };
        let still = bank.sluice.run_in(&bank.store, repeatable, declines).await.unwrap_err();
        assert_eq!((still.code(), still.did_not_happen()), (Code::Indeterminate, false), "{still}");
        assert_eq!((bank.status("k").await, bank.balances()), (Some(Status::Indeterminate), (1000, 0)));
    });
}

#[test]
fn what_failed_runs_again_only_where_the_delivery_says_so() {
    block_on(async {
        let bank = bank().await;
        let declines = |_: &Statements<'_>| Err::<u32, _>(Failure::permanent("no"));
        bank.run("k", declines).await.unwrap_err();
        assert_eq!(bank.pay("k").await.unwrap_err().code(), Code::EffectFailed);
        let mut rerun = spec("k");
        rerun.on_failed = OnFailed::Rerun;
        assert_eq!(bank.sluice.run_in(&bank.store, rerun, pays).await.unwrap(), Done::Executed(7));
        assert_eq!(bank.story("k").await, [Claimed, Failed, Reopened, Claimed, Succeeded]);
        assert_eq!(bank.balances(), (900, 100));
    });
}

#[test]
fn a_failure_that_a_trigger_told_is_recorded() {
    block_on(async {
        let bank = bank().await;
        let guard = |db: &Statements<'_>| {
            db.execute(
                "CREATE TRIGGER poor BEFORE UPDATE ON accounts WHEN new.cents < 0 \
                 BEGIN SELECT RAISE(ROLLBACK, 'poor'); END",
                [],
            )?;
            Ok(())
        };
        drop(bank.run("guard", guard).await.unwrap());
        let takes_all = |db: &Statements<'_>| {
            moves(db)?;
            db.execute("UPDATE accounts SET cents = cents - 5000 WHERE name = 'ada'", [])
                .map_err(|error| Failure::permanent("ada is too poor").with_source(error))?;
            Ok(7_u32)
        };
        let error = bank.run("k", takes_all).await.unwrap_err();
        assert_eq!(error.code(), Code::EffectFailed, "{error}");
        assert!(std::error::Error::source(&error).is_some());
        assert_eq!(bank.story("k").await, [Claimed, Failed]);
        assert_eq!(bank.balances(), (1000, 0));
    });
}

#[test]
fn duplicates_are_answered_as_the_delivery_wants() {
    block_on(async {
        let bank = bank().await;
        drop(bank.pay("k").await.unwrap());
        let duplicate = bank.effect("x").on_duplicate(OnDuplicate::Conflict);
        assert!(duplicate.run_in(&bank.store, pays).await.unwrap().ran_now());
        let duplicate = bank.effect("x").on_duplicate(OnDuplicate::Conflict);
        assert_eq!(duplicate.run_in(&bank.store, pays).await.unwrap_err().code(), Code::Duplicate);
        let duplicate = bank.effect("x").on_duplicate(OnDuplicate::AlreadyProcessed);
        assert!(matches!(duplicate.run_in(&bank.store, pays).await.unwrap(), Done::WithoutValue(_)));
        assert_eq!(bank.balances(), (800, 200));
    });
}

#[test]
fn who_does_not_want_to_wait_is_refused_while_it_runs_elsewhere() {
    block_on(async {
        let bank = bank().await;
        let (begun, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (says, waits) = (begun.clone(), over.clone());
        let sluice = bank.sluice.clone();
        let slow = tokio::spawn(async move {
            let effect = move |_| {
                says.store(true, Ordering::SeqCst);
                let over = waits.clone();
                async move {
                    while !over.load(Ordering::SeqCst) {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    Ok(9_u32)
                }
            };
            sluice.run(spec("k"), effect).await
        });
        while !begun.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        let mut impatient = spec("k");
        impatient.wait = Wait::No;
        let refused = bank.sluice.run_in(&bank.store, impatient, pays).await.unwrap_err();
        assert_eq!(refused.code(), Code::InFlight);
        over.store(true, Ordering::SeqCst);
        assert_eq!(slow.await.unwrap().unwrap(), Done::Executed(9));
        assert_eq!(bank.balances(), (1000, 0));
    });
}

#[test]
fn an_intent_of_long_ago_does_not_run() {
    block_on(async {
        let bank = bank().await;
        let late = bank.effect("k").remember(Duration::from_hours(48)).first_sent(LedgerTime(0));
        assert_eq!(late.run_in(&bank.store, pays).await.unwrap_err().code(), Code::TooLate);
        assert_eq!((bank.status("x").await, bank.balances()), (None, (1000, 0)));
    });
}

#[test]
fn the_object_and_the_times_to_keep_things_are_in_the_record() {
    block_on(async {
        let bank = bank().await;
        let books = || {
            let effect =
                bank.effect("k").keep_result(Duration::from_mins(1)).remember(Duration::from_hours(1));
            effect.marked().run_in(&bank.store, |db: &Statements<'_>| {
                moves(db)?;
                db.object_id("entry 17");
                Ok("x".repeat(100_000))
            })
        };
        assert!(books().await.unwrap().ran_now());
        let Done::WithoutValue(meta) = books().await.unwrap() else {
            panic!("the result is too large to keep")
        };
        assert_eq!(meta.object_id.as_deref(), Some("entry 17"));
        let terms = bank.sluice.look(&meta.id).await.unwrap().unwrap().record.body.terms;
        assert_eq!((terms.keep_result, terms.remember), (Duration::from_mins(1), Duration::from_hours(1)));
        let events = bank.sluice.store().events(&meta.id).await.unwrap();
        assert_eq!(events.len(), 2);
        assert!(events.iter().all(|event| event.draft.reason.is_none()), "no mark is missed: {events:?}");
    });
}

#[test]
fn foreign_keys_of_the_users_tables_are_enforced_and_never_the_ledgers_trouble() {
    block_on(async {
        let bank = bank().await;
        let made = bank.run("tables", |db| {
            db.execute("CREATE TABLE bookings (account TEXT REFERENCES accounts (name))", [])?;
            db.execute(
                "CREATE TABLE late (account TEXT REFERENCES accounts (name) DEFERRABLE INITIALLY DEFERRED)",
                [],
            )?;
            // It refers to what is not unique by itself, so that enforcing it would fail each time records are deleted.
            db.execute("CREATE TABLE notes (key TEXT REFERENCES records (key))", [])?;
            Ok(())
        });
        drop(made.await.unwrap());
        for table in ["bookings", "late"] {
            for (key, name, holds) in [("bad", "eve", false), ("good", "bob", true)] {
                let key = format!("{table} {key}");
                let books = bank.run(&key, move |db| {
                    moves(db)?;
                    db.execute(&format!("INSERT INTO {table} VALUES (?1)"), [name])?;
                    Ok(7_u32)
                });
                match books.await {
                    Ok(done) => assert!(holds && done.ran_now(), "{key}"),
                    Err(error) => {
                        assert!(!holds && error.code() == Code::Released, "{key}: {error}");
                        assert_eq!(bank.status(&key).await, None, "{key}");
                    }
                }
            }
        }
        assert_eq!(bank.balances(), (800, 200));
        let brief = bank.effect("brief").keep_result(Duration::from_secs(1)).remember(Duration::from_secs(1));
        drop(brief.run_in(&bank.store, pays).await.unwrap());
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let swept = bank.sluice.store().sweep(100).await.unwrap();
        assert_eq!(swept.records, 1, "the ledger still forgets: {swept:?}");
    });
}

#[test]
fn work_that_asks_the_ledger_is_told_so_and_does_not_wait_for_itself() {
    block_on(async {
        let bank = bank().await;
        let sluice = bank.sluice.clone();
        let runtime = tokio::runtime::Handle::current();
        let asks = move |db: &Statements<'_>| {
            moves(db)?;
            let inner = sluice.run(spec("other"), |_| async { Ok(1_u32) });
            let error = runtime.block_on(inner).unwrap_err();
            assert!(error.to_string().contains("ask before or after"), "{error}");
            Ok(7_u32)
        };
        assert_eq!(bank.run("k", asks).await.unwrap(), Done::Executed(7));
        assert_eq!((bank.status("other").await, bank.balances()), (None, (900, 100)));
    });
}
