//! The ledger is away, slow, or loses its answers; holders are late. All in virtual time.

mod common;

use common::world::{World, in_virtual_time, s};
use common::{Counter, look, spec, status};
use sluice::core::ids::Epoch;
use sluice::core::state::Status;
use sluice::{Code, Done, EffectSpec, Failure, Sluice, TakenIn, Wait};
use sluice_testkit::faults::{Call, Fault};
use std::time::Duration;
use tokio::time::sleep;

fn lease(seconds: u64) -> EffectSpec {
    let mut spec = spec("k");
    spec.terms.lease = s(seconds);
    spec
}

/// An effect that bumps the counter, takes its time, and gives its number.
async fn run(
    sluice: &Sluice,
    spec: EffectSpec,
    effects: &Counter,
    takes: Duration,
) -> Result<Done<usize>, sluice::Error> {
    let effects = effects.clone();
    sluice
        .run(spec, move |_| {
            let n = effects.bump();
            async move {
                sleep(takes).await;
                Ok::<_, Failure>(n)
            }
        })
        .await
}

#[test]
fn a_settlement_that_fails_for_ten_seconds_is_recorded_in_the_end() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let (first, ledger) = (world.worker(), world.store.clone());
        let bump = effects.clone();
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(1)).await });
        sleep(Duration::from_millis(500)).await;
        ledger.set_away(true);
        sleep(s(10)).await;
        ledger.set_away(false);
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
        let again = run(&world.worker(), lease(30), &effects, s(1)).await.unwrap();
        assert_eq!((again.value(), effects.get()), (Some(1), 1));
    });
}

#[test]
fn a_settlement_that_fails_past_the_lease_is_taken_from_doubt() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let (first, bump) = (world.worker(), effects.clone());
        let task = tokio::spawn(async move { run(&first, lease(3), &bump, s(1)).await });
        sleep(Duration::from_millis(500)).await;
        world.store.set_away(true);
        sleep(s(10)).await;
        // Another worker is faster to look than the holder is to settle: the lease is over, so nobody knows.
        world.store.set_away(false);
        let doubt = run(&world.worker(), lease(3), &effects, s(1)).await;
        let late = task.await.unwrap().unwrap();
        assert_eq!(late, Done::Executed(1));
        assert!(doubt.is_err_and(|error| error.is_indeterminate()));
        assert_eq!((status(&world.worker(), "k").await, effects.get()), (Status::Succeeded, 1));
    });
}

#[test]
fn an_outcome_the_ledger_never_takes_is_unknown_and_is_not_lost() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let first = world.builder().settle_patience(s(20)).build();
        let (worker, bump) = (first.clone(), effects.clone());
        let task = tokio::spawn(async move { run(&worker, lease(3), &bump, s(1)).await });
        sleep(Duration::from_millis(500)).await;
        world.store.set_away(true);
        let error = task.await.unwrap().unwrap_err();
        assert!(error.is_indeterminate() && !error.is_retryable() && !error.did_not_happen());
        let carried = error.details().unrecorded.clone().expect("the error carries the outcome");
        let spooled = world.drawer.0.lock().unwrap().pop().expect("the outcome is spooled");
        assert_eq!(carried, spooled);
        world.store.set_away(false);
        let doubt = run(&world.worker(), lease(3), &effects, s(1)).await.unwrap_err();
        assert!(doubt.is_indeterminate());
        assert_eq!(first.take_in(spooled.clone()).await.unwrap(), TakenIn::Recorded);
        assert_eq!(
            first.take_in(spooled).await.unwrap(),
            TakenIn::Recorded,
            "taken in twice is taken in once"
        );
        let again = run(&world.worker(), lease(3), &effects, s(1)).await.unwrap();
        assert_eq!((again.value(), effects.get()), (Some(1), 1));
    });
}

#[test]
fn evidence_of_a_claim_the_ledger_does_not_know_is_not_believed() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let first = world.builder().settle_patience(s(1)).build();
        let (worker, bump) = (first.clone(), effects.clone());
        let task = tokio::spawn(async move { run(&worker, lease(3), &bump, s(1)).await });
        sleep(Duration::from_millis(500)).await;
        world.store.set_away(true);
        assert!(task.await.unwrap().is_err());
        world.store.set_away(false);
        let real = world.drawer.0.lock().unwrap().pop().unwrap();
        let mut forged = real.clone();
        forged.claim = sluice::core::ids::ClaimId::from_bytes([7; 16]);
        assert_eq!(first.take_in(forged).await.unwrap(), TakenIn::Unheard);
        assert_ne!(status(&first, "k").await, Status::Succeeded);
        let mut future = real;
        future.epoch = Epoch(9);
        assert_eq!(first.take_in(future).await.unwrap(), TakenIn::Unheard, "an epoch that was never granted");
    });
}

#[test]
fn before_the_claim_an_outage_runs_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        world.store.set_away(true);
        let error = run(&world.worker(), lease(30), &effects, s(1)).await.unwrap_err();
        assert_eq!((error.code(), effects.get()), (Code::Store, 0));
        assert!(error.is_retryable() && !error.did_not_happen() && !error.is_indeterminate());
    });
}

#[test]
fn a_claim_whose_answer_is_lost_or_doubled_runs_once() {
    for fates in [
        &[Fault::After][..],
        &[Fault::Lost],
        &[Fault::Twice],
        &[Fault::Lost, Fault::Lost, Fault::After],
        &[Fault::After, Fault::Lost],
    ] {
        in_virtual_time(async move {
            let world = World::new();
            let effects = Counter::default();
            world.next(fates);
            let done = run(&world.worker(), lease(30), &effects, s(1)).await.unwrap();
            assert_eq!((done, effects.get()), (Done::Executed(1), 1), "{fates:?}");
            assert_eq!(look(&world.worker(), "k").await.unwrap().record.body.epoch, Epoch(1));
        });
    }
}

#[test]
fn a_settlement_whose_answer_is_lost_or_doubled_counts_once() {
    for fate in [Fault::After, Fault::Lost, Fault::Twice] {
        in_virtual_time(async move {
            let world = World::new();
            let effects = Counter::default();
            let (first, bump) = (world.worker(), effects.clone());
            let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(1)).await });
            sleep(Duration::from_millis(500)).await;
            world.next(std::slice::from_ref(&fate));
            assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1), "{fate:?}");
            let worker = world.worker();
            let events = worker.store().events(&common::id("k")).await.unwrap();
            assert_eq!(events.len(), 2, "{fate:?}: one claim, one success");
        });
    }
}

#[test]
fn a_claim_that_is_never_heard_of_is_given_back_as_never_begun() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        world.next(&[Fault::After]);
        let (first, bump) = (world.worker(), effects.clone());
        let ledger = world.store.clone();
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(1)).await });
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        ledger.set_away(true);
        let error = task.await.unwrap().unwrap_err();
        assert_eq!((error.code(), effects.get()), (Code::Store, 0));
        ledger.set_away(false);
        sleep(s(5)).await;
        assert_eq!(status(&world.worker(), "k").await, Status::Released);
    });
}

#[test]
fn a_long_effect_keeps_its_lease_and_a_duplicate_hears_its_result() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let (first, bump) = (world.worker(), effects.clone());
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(600)).await });
        sleep(s(1)).await;
        let duplicate = EffectSpec { wait: Wait::Forever, ..lease(30) };
        let done = run(&world.worker(), duplicate, &effects, s(1)).await.unwrap();
        assert_eq!((done.value(), effects.get()), (Some(1), 1));
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
        let renewals = world.store.calls(Call::Renew);
        assert!((55..=65).contains(&renewals), "a third of 30 s over 600 s is 60 renewals, not {renewals}");
        sleep(s(60)).await;
        assert_eq!(world.store.calls(Call::Renew), renewals, "what has ended is not renewed");
    });
}

#[test]
fn a_holder_cut_off_from_the_ledger_stops_starting_things_before_its_lease_ends() {
    in_virtual_time(async {
        let world = World::new();
        let first = world.worker();
        let task = tokio::spawn(async move {
            first
                .run(lease(30), |ctx| async move {
                    sleep(s(29)).await;
                    let may = ctx.may_send().is_err();
                    let mark = ctx.mark().await.unwrap_err();
                    ctx.cancelled().await;
                    Ok::<_, Failure>((may, mark.code() == Code::LeaseLost, ctx.is_cancelled()))
                })
                .await
        });
        sleep(s(1)).await;
        world.store.set_away(true);
        sleep(s(35)).await;
        world.store.set_away(false);
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed((true, true, true)));
    });
}

#[test]
fn an_attempt_over_its_time_is_unknown_at_once_and_its_late_success_is_taken() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let mut spec = lease(30);
        spec.terms.attempt_timeout = Some(s(2));
        let error = run(&world.worker(), spec.clone(), &effects, s(5)).await.unwrap_err();
        assert!(error.is_indeterminate());
        let again = run(&world.worker(), spec.clone(), &effects, s(5)).await.unwrap_err();
        assert!(again.is_indeterminate());
        sleep(s(10)).await;
        let done = run(&world.worker(), spec, &effects, s(5)).await.unwrap();
        assert_eq!((done.value(), effects.get()), (Some(1), 1));
    });
}

#[test]
fn waiters_of_one_process_share_their_looks() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let (first, bump) = (world.worker(), effects.clone());
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(20)).await });
        sleep(s(1)).await;
        let others = world.worker();
        let waiters: Vec<_> = (0..64)
            .map(|_| {
                let (others, effects) = (others.clone(), effects.clone());
                tokio::spawn(async move { run(&others, lease(30), &effects, s(1)).await })
            })
            .collect();
        for waiter in waiters {
            assert_eq!(waiter.await.unwrap().unwrap().value(), Some(1));
        }
        let _ = task.await.unwrap().unwrap();
        let reads = world.store.calls(Call::Read);
        assert!(reads < 64 + 150, "64 arrivals and the looks of one looker over 20 s, not {reads}");
        assert_eq!(effects.get(), 1);
    });
}

#[test]
fn a_duplicate_waits_no_longer_than_it_was_told() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let (first, bump) = (world.worker(), effects.clone());
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(300)).await });
        sleep(s(1)).await;
        let began = tokio::time::Instant::now();
        let error = run(&world.worker(), lease(30), &effects, s(1)).await.unwrap_err();
        assert_eq!((error.code(), began.elapsed().as_secs()), (Code::WaitTimeout, 60));
        assert!(error.details().safe_after.is_some());
        let _ = task.await.unwrap().unwrap();
    });
}

#[test]
fn recovery_lapses_what_nobody_asks_for_again() {
    in_virtual_time(async {
        let world = World::new();
        let first = world.worker();
        for (text, declares_marks) in [("plain", false), ("marking", true)] {
            let mut spec = EffectSpec { wait: Wait::No, ..spec(text) };
            spec.terms.declares_marks = declares_marks;
            let worker = first.clone();
            let task = tokio::spawn(async move {
                worker.run(spec, |_| std::future::pending::<Result<u32, Failure>>()).await
            });
            sleep(s(1)).await;
            task.abort();
        }
        assert_eq!(first.recover().await.unwrap().running, 2);
        // The holders die with everything they hold: from here on nobody renews.
        world.store.set_away(true);
        sleep(s(60)).await;
        world.store.set_away(false);
        let second = world.worker();
        assert_eq!(second.recover().await.unwrap().lapsed, 2);
        assert_eq!(status(&second, "plain").await, Status::Indeterminate);
        assert_eq!(status(&second, "marking").await, Status::Released);
    });
}

#[test]
fn drain_waits_for_what_runs_and_says_what_still_does() {
    in_virtual_time(async {
        let world = World::new();
        let effects = Counter::default();
        let worker = world.worker();
        let (first, bump) = (worker.clone(), effects.clone());
        let task = tokio::spawn(async move { run(&first, lease(30), &bump, s(20)).await });
        sleep(s(1)).await;
        assert_eq!(worker.drain(s(5)).await, 1);
        assert_eq!(worker.drain(s(60)).await, 0);
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
    });
}

#[test]
fn a_panic_while_the_effect_is_made_is_unknown_too() {
    in_virtual_time(async {
        let world = World::new();
        let worker = world.worker();
        let effect = |_| -> std::future::Ready<Result<u32, Failure>> { panic!("while the future is made") };
        assert!(worker.run(lease(30), effect).await.unwrap_err().is_indeterminate());
    });
}

#[test]
fn a_full_memory_ledger_refuses_new_keys_and_forgets_none() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let sluice = Sluice::open(sluice::MemoryStore::with_capacity(2)).build();
        for text in ["a", "b"] {
            let _ = sluice.run(spec(text), |_| async { Ok::<_, Failure>(1) }).await.unwrap();
        }
        let error = sluice.run(spec("c"), |_| async { Ok::<_, Failure>(1) }).await.unwrap_err();
        assert_eq!(error.code(), Code::Store);
        let done = sluice.run(spec("a"), |_| async { Ok::<_, Failure>(2) }).await.unwrap();
        assert_eq!(done.value(), Some(1));
    });
}

#[test]
fn a_context_that_outlives_its_effect_may_start_nothing_more() {
    in_virtual_time(async {
        let world = World::new();
        let worker = world.worker();
        let (give, taken) = tokio::sync::oneshot::channel();
        let mut give = Some(give);
        let mut spec = lease(30);
        spec.retry.backoff.tries = 1;
        let run = worker.run(spec, move |ctx| {
            let _ = give.take().unwrap().send(ctx);
            async { Err::<u32, _>(Failure::transient("not now")) }
        });
        assert_eq!(run.await.unwrap_err().code(), Code::Released);
        let left_behind = taken.await.unwrap();
        assert!(left_behind.may_send().is_err() && left_behind.is_cancelled());
        assert_eq!(left_behind.mark().await.unwrap_err().code(), Code::LeaseLost);
    });
}

#[test]
fn a_result_whose_writing_down_breaks_down_is_a_success_that_is_not_kept() {
    #[derive(serde::Deserialize)]
    struct Breaks;
    impl serde::Serialize for Breaks {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("while it is written down")
        }
    }
    in_virtual_time(async {
        let world = World::new();
        let done = world.worker().run(lease(30), |_| async { Ok::<_, Failure>(Breaks) }).await.unwrap();
        assert!(done.ran_now());
        assert_eq!(status(&world.worker(), "k").await, Status::Succeeded);
    });
}

#[test]
fn a_runtime_without_a_timer_is_refused_before_anything_is_claimed() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let sluice = Sluice::open(sluice::MemoryStore::new()).build();
        let error = sluice.run(spec("k"), |_| async { Ok::<_, Failure>(1) }).await.unwrap_err();
        assert_eq!(error.code(), Code::Config);
        assert!(look(&sluice, "k").await.is_none());
    });
}

#[test]
fn an_unknown_that_the_effect_itself_says_counts_even_before_its_mark() {
    in_virtual_time(async {
        let world = World::new();
        for (text, said, wanted) in [
            ("said", Failure::unknown("answer lost"), Status::Indeterminate),
            ("unsaid", Failure::from(std::io::Error::other("x")), Status::Released),
        ] {
            let mut spec = spec(text);
            spec.terms.declares_marks = true;
            let mut said = Some(said);
            let worker = world.worker();
            let run = worker.run(spec, move |_| std::future::ready(Err::<u32, _>(said.take().unwrap())));
            assert!(run.await.is_err());
            assert_eq!(status(&world.worker(), text).await, wanted, "{text}");
        }
    });
}
