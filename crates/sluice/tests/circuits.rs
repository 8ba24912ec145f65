//! A target in trouble is spared: its circuit refuses before anything is claimed, and lets one probe through in time.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::breaker::CircuitState;
use sluice::core::ids::RecordId;
use sluice::core::retry::Budget;
use sluice::core::state::Status;
use sluice::{Code, Ctx, Done, EffectSpec, Error, Failure, Key, Sluice};
use sluice_testkit::faults::Call;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn spec(key: &str) -> EffectSpec {
    let mut spec = EffectSpec { circuit: Some("psp".into()), ..EffectSpec::new(Key::new(key).unwrap()) };
    spec.retry.backoff.tries = 1;
    spec
}

async fn ends(
    sluice: &Sluice,
    key: &str,
    end: impl FnOnce() -> Result<u32, Failure>,
) -> Result<Done<u32>, Error> {
    let mut end = Some(end());
    sluice.run(spec(key), move |_| std::future::ready(end.take().expect("one attempt"))).await
}

/// Five calls that end in trouble open it.
async fn open(sluice: &Sluice) {
    for call in 0..5 {
        ends(sluice, &format!("trouble {call}"), || Err(Failure::transient("down"))).await.unwrap_err();
    }
}

async fn record(sluice: &Sluice, key: &str) -> Option<Status> {
    let id = RecordId::new(sluice.namespace().unwrap().clone(), Key::new(key).unwrap());
    Some(sluice.look(&id).await.unwrap()?.record.body.status)
}

#[test]
fn an_open_circuit_refuses_with_a_time_and_leaves_no_record() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        open(&sluice).await;
        let error = ends(&sluice, "k", || Ok(1)).await.unwrap_err();
        assert_eq!(error.code(), Code::CircuitOpen);
        let after = error.details().safe_after.unwrap();
        assert!(after > s(23) && after <= s(36), "{after:?}");
        assert_eq!(record(&sluice, "k").await, None);
        // Another target, and an effect without a circuit, are none of its business.
        let other = EffectSpec { circuit: Some("mail".into()), ..spec("other") };
        assert_eq!(sluice.run(other, |_| async { Ok(1) }).await.unwrap(), Done::Executed(1));
        let none = EffectSpec { circuit: None, ..spec("none") };
        assert_eq!(sluice.run(none, |_| async { Ok(1) }).await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn replays_and_declined_cards_never_touch_a_circuit() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        assert_eq!(ends(&sluice, "done", || Ok(7)).await.unwrap(), Done::Executed(7));
        for card in 0..10 {
            ends(&sluice, &format!("card {card}"), || Err(Failure::permanent("declined"))).await.unwrap_err();
        }
        assert_eq!(ends(&sluice, "well", || Ok(1)).await.unwrap(), Done::Executed(1));
        for _ in 0..12 {
            open(&sluice).await;
        }
        assert_eq!(ends(&sluice, "done", || Ok(8)).await.unwrap().value(), Some(7));
        assert_eq!(ends(&sluice, "card 1", || Ok(8)).await.unwrap_err().code(), Code::EffectFailed);
    });
}

#[test]
fn b15_of_fifty_callers_one_probe_gets_in_and_its_success_closes_the_circuit() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        open(&sluice).await;
        tokio::time::sleep(s(37)).await;
        let acting = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..50)
            .map(|caller| {
                let (sluice, acting) = (sluice.clone(), acting.clone());
                tokio::spawn(async move {
                    let effect = move |_: Ctx| {
                        acting.fetch_add(1, Ordering::SeqCst);
                        async {
                            tokio::time::sleep(s(1)).await;
                            Ok(1_u32)
                        }
                    };
                    sluice.run(spec(&format!("caller {caller}")), effect).await
                })
            })
            .collect();
        let mut refused = 0;
        for caller in callers {
            match caller.await.unwrap() {
                Ok(done) => assert!(done.ran_now()),
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.code(), Code::CircuitOpen);
                    assert!(error.details().safe_after.unwrap() > Duration::ZERO);
                }
            }
        }
        assert_eq!((acting.load(Ordering::SeqCst), refused), (1, 49));
        for caller in 0..50 {
            let key = format!("caller {caller}");
            assert!(matches!(record(&sluice, &key).await, None | Some(Status::Succeeded)), "{key}");
        }
        assert_eq!(ends(&sluice, "after", || Ok(1)).await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn b15_a_probe_that_fails_opens_it_for_twice_as_long_and_one_that_hangs_loses_its_slot() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        open(&sluice).await;
        tokio::time::sleep(s(37)).await;
        ends(&sluice, "probe 1", || Err(Failure::unknown("no answer"))).await.unwrap_err();
        let error = ends(&sluice, "k", || Ok(1)).await.unwrap_err();
        let after = error.details().safe_after.unwrap();
        assert!(after > s(47) && after <= s(72), "{after:?}");
        tokio::time::sleep(s(73)).await;
        let hangs = sluice.clone();
        let hanging = tokio::spawn(async move {
            hangs
                .run(spec("probe 2"), |_| async {
                    tokio::time::sleep(s(3600)).await;
                    Ok(1_u32)
                })
                .await
        });
        tokio::time::sleep(s(1)).await;
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
        tokio::time::sleep(s(600)).await;
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap(), Done::Executed(1));
        hanging.abort();
    });
}

#[test]
fn b15_a_probe_that_never_began_or_panicked_frees_its_slot() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        open(&sluice).await;
        tokio::time::sleep(s(37)).await;
        // The claim cannot be written, so that the probe is never sent.
        world.store.plan_next(Call::Apply, sluice_testkit::faults::Fault::Before);
        assert_eq!(ends(&sluice, "probe", || Ok(1)).await.unwrap_err().code(), Code::Store);
        tokio::time::sleep(s(1)).await;
        assert_eq!(ends(&sluice, "next", || Ok(1)).await.unwrap(), Done::Executed(1));
        open(&sluice).await;
        tokio::time::sleep(s(37)).await;
        let panics = sluice.run::<u32, _, _>(spec("panics"), |_| async { panic!("an effect broke") });
        assert_eq!(panics.await.unwrap_err().code(), Code::Indeterminate);
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
        tokio::time::sleep(s(80)).await;
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn b15_a_late_success_of_an_earlier_generation_changes_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let slow = sluice.clone();
        let late = tokio::spawn(async move {
            slow.run(spec("slow"), |_| async {
                tokio::time::sleep(s(10)).await;
                Ok(1_u32)
            })
            .await
        });
        tokio::task::yield_now().await;
        open(&sluice).await;
        assert_eq!(late.await.unwrap().unwrap(), Done::Executed(1));
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
    });
}

#[test]
fn what_one_process_sees_all_know_within_a_second_and_a_restart_forgets_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let (one, other) = (world.worker(), world.worker());
        assert_eq!(ends(&other, "before", || Ok(1)).await.unwrap(), Done::Executed(1));
        open(&one).await;
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(ends(&other, "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
        assert_eq!(ends(&world.worker(), "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
    });
}

#[test]
fn processes_that_live_for_one_call_open_a_circuit_together() {
    in_virtual_time(async {
        let world = World::new();
        for process in 0..5 {
            let sluice = world.worker();
            let told = ends(&sluice, &format!("call {process}"), || Err(Failure::unknown("no answer"))).await;
            assert_eq!(told.unwrap_err().code(), Code::Indeterminate, "process {process}");
            sluice.tidy(s(1)).await;
        }
        let told = ends(&world.worker(), "call 6", || Ok(1)).await;
        assert_eq!(told.unwrap_err().code(), Code::CircuitOpen);
    });
}

#[test]
fn a_thousand_calls_in_a_second_ask_the_ledger_once() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.builder().sweep_every(0).build();
        assert!(ends(&sluice, "first", || Ok(1)).await.unwrap().ran_now());
        let before = world.store.calls(Call::Upkeep);
        for call in 0..999 {
            assert!(ends(&sluice, &format!("call {call}"), || Ok(1)).await.unwrap().ran_now());
        }
        assert_eq!(world.store.calls(Call::Upkeep), before);
    });
}

#[test]
fn a_breaker_that_is_off_refuses_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.builder().breaker(None).build();
        open(&sluice).await;
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn a_circuit_that_opens_stops_the_attempts_of_a_claim_and_leaves_it_released() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let mut spec = spec("k");
        spec.retry.backoff.tries = 20;
        let attempts = Arc::new(AtomicUsize::new(0));
        let count = attempts.clone();
        let told = sluice.run(spec, move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Err::<u32, _>(Failure::transient("down")) }
        });
        let error = told.await.unwrap_err();
        assert_eq!((error.code(), attempts.load(Ordering::SeqCst)), (Code::CircuitOpen, 5));
        assert!(error.did_not_happen());
        assert_eq!(record(&sluice, "k").await, Some(Status::Released));
    });
}

#[test]
fn an_empty_budget_stops_retries_and_starves_no_other_circuit() {
    in_virtual_time(async {
        let world = World::new();
        let budget = Budget { per_call_milli: 0, per_second_milli: 0, reserve: 3, most: 3 };
        let sluice = world.builder().breaker(None).retry_budget(budget).build();
        let (mut attempts, mut codes) = (0, Vec::new());
        for call in 0..4 {
            let mut spec = spec(&format!("k {call}"));
            spec.retry.backoff.tries = 3;
            let count = Arc::new(AtomicUsize::new(0));
            let made = count.clone();
            let told = sluice.run(spec, move |_| {
                made.fetch_add(1, Ordering::SeqCst);
                async { Err::<u32, _>(Failure::transient("down")) }
            });
            let error = told.await.unwrap_err();
            assert!(error.did_not_happen());
            codes.push(error.code());
            attempts += count.load(Ordering::SeqCst);
        }
        assert_eq!(codes, [Code::Released, Code::RetryBudget, Code::RetryBudget, Code::RetryBudget]);
        assert_eq!(attempts, 4 + 3, "as many retries as there were tokens");
        let other = EffectSpec { circuit: Some("mail".into()), ..EffectSpec::new(Key::new("m").unwrap()) };
        let tried = Arc::new(AtomicUsize::new(0));
        let count = tried.clone();
        let told = sluice.run(other, move |_| {
            let first = count.fetch_add(1, Ordering::SeqCst) == 0;
            async move { if first { Err(Failure::transient("down")) } else { Ok(1_u32) } }
        });
        assert_eq!(told.await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn a_name_that_no_ledger_takes_is_refused() {
    in_virtual_time(async {
        let world = World::new();
        for name in [String::new(), "n".repeat(201)] {
            let spec = EffectSpec { circuit: Some(name), ..spec("k") };
            let told = world.worker().run(spec, |_| async { Ok(1_u32) }).await;
            assert_eq!(told.unwrap_err().code(), Code::Config);
        }
    });
}

#[test]
fn a_ledger_that_does_not_answer_about_circuits_keeps_nothing_from_being_run() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        for call in 1..=40 {
            world.store.plan(Call::Upkeep, call, sluice_testkit::faults::Fault::Before);
        }
        open(&sluice).await;
        // What this process saw itself still counts.
        assert_eq!(ends(&sluice, "k", || Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
        assert_eq!(ends(&world.worker(), "k", || Ok(1)).await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn circuits_are_listed_with_their_state_and_the_time_that_is_left() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        assert_eq!(sluice.circuits(None, 10).await.unwrap(), []);
        open(&sluice).await;
        let mail = EffectSpec { circuit: Some("mail".into()), ..spec("mail") };
        assert!(sluice.run(mail, |_| async { Ok(1) }).await.unwrap().ran_now());
        sluice.tidy(s(1)).await;
        let circuits = sluice.circuits(None, 10).await.unwrap();
        let names: Vec<_> = circuits.iter().map(|circuit| circuit.name.as_str()).collect();
        assert_eq!(names, ["mail", "psp"]);
        let (mail, psp) = (&circuits[0], &circuits[1]);
        assert_eq!((mail.state, mail.wait), (CircuitState::Closed, Duration::ZERO));
        assert_eq!((mail.failures, mail.outcomes), (0, 1));
        assert!(matches!(psp.state, CircuitState::Open { .. }) && psp.wait > s(23), "{psp:?}");
        assert_eq!((psp.failures, psp.outcomes), (0, 0), "of an earlier generation");
        assert_eq!(sluice.circuits(Some("mail"), 1).await.unwrap(), circuits[1..]);
        assert_eq!(sluice.circuits(None, 1).await.unwrap(), circuits[..1]);
    });
}
