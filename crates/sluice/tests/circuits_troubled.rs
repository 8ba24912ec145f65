//! Circuits when the ledger is away, loses an answer, or is written by others at the same moment; and callers that go away.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::breaker::{CircuitState, Seen};
use sluice::{Code, Ctx, Done, EffectSpec, Error, Failure, Key, Sluice};
use sluice_testkit::faults::{Call, Fault, Gate};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn on(circuit: &str, key: &str) -> EffectSpec {
    let mut spec = EffectSpec { circuit: Some(circuit.into()), ..EffectSpec::new(Key::new(key).unwrap()) };
    spec.retry.backoff.tries = 1;
    spec
}

async fn well(sluice: &Sluice, key: &str) -> Result<Done<u32>, Error> {
    sluice.run(on("psp", key), |_| async { Ok(1) }).await
}

async fn trouble(sluice: &Sluice, key: &str) -> Code {
    let told = sluice.run(on("psp", key), |_| async { Err::<u32, _>(Failure::transient("down")) });
    told.await.unwrap_err().code()
}

async fn troubles(sluice: &Sluice, who: &str, calls: u32) {
    for call in 0..calls {
        assert_eq!(trouble(sluice, &format!("{who} {call}")).await, Code::Released);
    }
}

async fn refuses(sluice: &Sluice, key: &str) {
    assert_eq!(well(sluice, key).await.unwrap_err().code(), Code::CircuitOpen);
}

async fn stored(world: &World) -> Seen {
    world.store.inner().circuit("psp".into(), None).await.unwrap()
}

fn handle(world: &World) -> Sluice {
    world.builder().sweep_every(0).build()
}

/// Lets what was begun beside the callers go on, without any time passing.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn an_opening_that_could_not_be_written_is_written_later_and_never_forgotten_here() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 4).await;
        world.store.plan_next(Call::Upkeep, Fault::Before);
        troubles(&sluice, "the last", 1).await;
        settle().await;
        assert!(stored(&world).await.shared.circuit.is_closed(), "the write failed");
        tokio::time::sleep(Duration::from_millis(1500)).await;
        refuses(&sluice, "k").await;
        refuses(&handle(&world), "other").await;
    });
}

#[test]
fn an_opening_whose_answer_was_lost_makes_one_generation() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 4).await;
        world.store.plan_next(Call::Upkeep, Fault::After);
        troubles(&sluice, "the last", 1).await;
        tokio::time::sleep(s(3)).await;
        assert_eq!(stored(&world).await.shared.circuit.generation.0, 1);
        refuses(&sluice, "k").await;
        tokio::time::sleep(s(34)).await;
        assert_eq!(well(&sluice, "probe").await.unwrap(), Done::Executed(1));
        settle().await;
        assert!(stored(&world).await.shared.circuit.is_closed());
    });
}

#[test]
fn an_opening_that_meets_the_outcomes_of_another_process_is_decided_again() {
    in_virtual_time(async {
        let world = World::new();
        let (one, other) = (handle(&world), handle(&world));
        troubles(&one, "trouble", 4).await;
        assert!(well(&other, "other").await.unwrap().ran_now());
        // The other's outcome is written, and this one has not seen it when it opens.
        let gate = Gate::new();
        world.store.plan_next(Call::Upkeep, Fault::HoldBefore(gate.clone()));
        troubles(&one, "the last", 1).await;
        other.tidy(s(1)).await;
        assert_eq!(stored(&world).await.shared.window.outcomes(), 1);
        gate.open();
        settle().await;
        refuses(&one, "k").await;
        let shared = stored(&world).await.shared;
        assert!(matches!(shared.circuit.state, CircuitState::Open { .. }), "{shared:?}");
    });
}

#[test]
fn outcomes_whose_write_lost_its_answer_count_once() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 3).await;
        world.store.plan_next(Call::Upkeep, Fault::After);
        tokio::time::sleep(s(3)).await;
        assert_eq!(stored(&world).await.shared.window.outcomes(), 3);
        assert_eq!(world.store.planned(), 0);
        assert!(well(&sluice, "k").await.unwrap().ran_now());
    });
}

/// Every call about circuits fails, and nothing else does.
fn without_circuits(world: &World) {
    for call in 1..=5000 {
        world.store.plan(Call::Upkeep, world.store.calls(Call::Upkeep) + call, Fault::Before);
    }
}

#[test]
fn b15_of_fifty_callers_one_probes_while_the_ledger_says_nothing_of_circuits() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        without_circuits(&world);
        troubles(&sluice, "trouble", 5).await;
        refuses(&sluice, "k").await;
        tokio::time::sleep(s(37)).await;
        let acting = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..50)
            .map(|caller| {
                let (sluice, acting) = (sluice.clone(), acting.clone());
                let effect = move |_: Ctx| {
                    acting.fetch_add(1, Ordering::SeqCst);
                    async {
                        tokio::time::sleep(s(1)).await;
                        Ok(1_u32)
                    }
                };
                tokio::spawn(async move { sluice.run(on("psp", &format!("caller {caller}")), effect).await })
            })
            .collect();
        let mut refused = 0;
        for caller in callers {
            if let Err(error) = caller.await.unwrap() {
                assert_eq!(error.code(), Code::CircuitOpen);
                assert!(error.details().safe_after.unwrap() > Duration::ZERO);
                refused += 1;
            }
        }
        assert_eq!((acting.load(Ordering::SeqCst), refused), (1, 49));
        assert_eq!(
            well(&sluice, "after").await.unwrap(),
            Done::Executed(1),
            "its success closed the circuit"
        );
    });
}

#[test]
fn what_changed_while_the_ledger_was_away_is_written_once_it_is_back() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        assert!(well(&sluice, "first").await.unwrap().ran_now());
        tokio::time::sleep(s(2)).await;
        let calls = world.store.calls(Call::Upkeep);
        for call in 1..=4 {
            world.store.plan(Call::Upkeep, calls + call, Fault::Before);
        }
        troubles(&sluice, "trouble", 4).await;
        tokio::time::sleep(s(6)).await;
        assert_eq!(world.store.planned(), 0);
        refuses(&handle(&world), "other").await;
    });
}

#[test]
fn a_process_that_ends_waits_until_its_opening_is_written() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 4).await;
        let gate = Gate::new();
        world.store.plan_next(Call::Upkeep, Fault::HoldBefore(gate.clone()));
        troubles(&sluice, "the last", 1).await;
        let tidies = sluice.clone();
        let tidy = tokio::spawn(async move { tidies.tidy(s(5)).await });
        settle().await;
        assert!(!tidy.is_finished(), "the opening would be lost with the process");
        gate.open();
        tidy.await.unwrap();
        refuses(&handle(&world), "other").await;
    });
}

#[test]
fn b15_a_caller_that_goes_away_while_its_probe_is_written_leaves_the_slot_free() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 5).await;
        tokio::time::sleep(s(36)).await;
        // First the ledger is asked, then the slot is taken; that is done, and its answer is held back.
        let gate = Gate::new();
        world.store.plan(Call::Upkeep, world.store.calls(Call::Upkeep) + 2, Fault::HoldAfter(gate.clone()));
        let goes = sluice.clone();
        let caller = tokio::spawn(async move { well(&goes, "goes").await });
        settle().await;
        assert!(matches!(stored(&world).await.shared.circuit.state, CircuitState::HalfOpen { .. }));
        caller.abort();
        gate.open();
        settle().await;
        tokio::time::sleep(s(1)).await;
        assert_eq!(well(&sluice, "next").await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn processes_that_live_for_one_call_at_the_same_time_open_a_circuit_together() {
    in_virtual_time(async {
        let world = World::new();
        let processes: Vec<_> = (0..5).map(|_| handle(&world)).collect();
        // All of them ask before any of them has anything to tell.
        let callers: Vec<_> = processes
            .iter()
            .enumerate()
            .map(|(call, process)| {
                let process = process.clone();
                tokio::spawn(async move {
                    let told = process.run(on("psp", &format!("call {call}")), |_| async {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        Err::<u32, _>(Failure::unknown("no answer"))
                    });
                    assert_eq!(told.await.unwrap_err().code(), Code::Indeterminate);
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
        for process in &processes {
            process.tidy(s(1)).await;
        }
        refuses(&handle(&world), "sixth").await;
    });
}

#[test]
fn two_thousand_other_circuits_make_nobody_forget_an_open_one() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        without_circuits(&world);
        troubles(&sluice, "trouble", 5).await;
        for other in 0..2000 {
            // Nothing is kept of them, so that the ledger has room for all.
            let told = sluice.run(on(&format!("circuit {other}"), "k"), |_| async {
                Err::<u32, _>(Failure::not_started("nothing to do"))
            });
            assert_eq!(told.await.unwrap_err().code(), Code::Released);
        }
        refuses(&sluice, "k").await;
    });
}

#[test]
fn sixteen_processes_that_open_at_once_make_one_generation() {
    in_virtual_time(async {
        let world = World::new();
        let processes: Vec<_> = (0..16).map(|_| handle(&world)).collect();
        let callers: Vec<_> = processes
            .iter()
            .enumerate()
            .map(|(number, process)| {
                let process = process.clone();
                tokio::spawn(async move { troubles(&process, &format!("process {number}"), 5).await })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
        tokio::time::sleep(s(2)).await;
        assert_eq!(stored(&world).await.shared.circuit.generation.0, 1);
        for (number, process) in processes.iter().enumerate() {
            refuses(process, &format!("k {number}")).await;
        }
    });
}

#[test]
fn a_circuit_that_is_no_longer_used_is_no_longer_looked_after() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        without_circuits(&world);
        troubles(&sluice, "trouble", 5).await;
        tokio::time::sleep(s(120)).await;
        let calls = world.store.calls(Call::Upkeep);
        tokio::time::sleep(s(120)).await;
        assert_eq!(world.store.calls(Call::Upkeep), calls);
    });
}

/// What three handles on a ledger that fails now and then are told, and when, and what is stored in the end.
async fn story() -> String {
    let world = World::new();
    let begun = tokio::time::Instant::now();
    let handles: Vec<_> = (0..3).map(|_| handle(&world)).collect();
    for (call, fault) in [(3, Fault::Before), (5, Fault::After), (8, Fault::Lost), (11, Fault::After)] {
        world.store.plan(Call::Upkeep, call, fault);
    }
    let mut told = String::new();
    for round in 0..150_u32 {
        for (number, handle) in handles.iter().enumerate() {
            let key = format!("{round} {number}");
            let heard = if round < 12 || (70..90).contains(&round) {
                trouble(handle, &key).await.to_string()
            } else {
                well(handle, &key).await.map_or_else(|error| error.code().to_string(), |_| "done".to_owned())
            };
            writeln!(told, "{:?} {key} {heard}", begun.elapsed()).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(1700)).await;
    }
    writeln!(told, "{:?}", stored(&world).await).unwrap();
    told
}

#[test]
fn the_same_seed_gives_the_same_story() {
    in_virtual_time(async {
        let (one, other) = (story().await, story().await);
        assert_eq!(one, other);
        for heard in ["E_CIRCUIT_OPEN", "E_RELEASED", "done"] {
            assert!(one.contains(heard), "{heard} never comes up in\n{one}");
        }
    });
}

#[test]
fn a_restart_while_it_is_open_finds_it_open_and_one_process_probes_in_time() {
    in_virtual_time(async {
        let world = World::new();
        {
            let before = handle(&world);
            troubles(&before, "trouble", 5).await;
            before.tidy(s(1)).await;
        }
        let after: Vec<_> = (0..4).map(|_| handle(&world)).collect();
        for (number, process) in after.iter().enumerate() {
            refuses(process, &format!("early {number}")).await;
        }
        tokio::time::sleep(s(37)).await;
        let acting = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..4)
            .map(|number| {
                let (process, acting) = (after[number].clone(), acting.clone());
                let effect = move |_: Ctx| {
                    acting.fetch_add(1, Ordering::SeqCst);
                    async {
                        tokio::time::sleep(s(1)).await;
                        Ok(1_u32)
                    }
                };
                tokio::spawn(async move { process.run(on("psp", &format!("late {number}")), effect).await })
            })
            .collect();
        for caller in callers {
            drop(caller.await.unwrap());
        }
        assert_eq!(acting.load(Ordering::SeqCst), 1, "of four processes one probes");
    });
}

#[test]
fn b15_a_probe_that_succeeds_after_its_slot_went_to_another_that_failed_changes_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 5).await;
        tokio::time::sleep(s(37)).await;
        let slow = sluice.clone();
        let late = tokio::spawn(async move {
            slow.run(on("psp", "slow"), |_| async {
                tokio::time::sleep(s(90)).await;
                Ok(1_u32)
            })
            .await
        });
        // A probe has a minute; then its slot is another caller's, and that one opens the circuit again.
        tokio::time::sleep(s(62)).await;
        assert_eq!(trouble(&sluice, "second probe").await, Code::Released);
        refuses(&sluice, "before").await;
        assert_eq!(late.await.unwrap().unwrap(), Done::Executed(1));
        refuses(&sluice, "after").await;
    });
}

#[test]
fn b15_a_probe_that_is_declined_closes_the_circuit() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = handle(&world);
        troubles(&sluice, "trouble", 5).await;
        tokio::time::sleep(s(37)).await;
        let declined =
            sluice.run(on("psp", "card"), |_| async { Err::<u32, _>(Failure::permanent("declined")) });
        assert_eq!(declined.await.unwrap_err().code(), Code::EffectFailed);
        assert_eq!(well(&sluice, "next").await.unwrap(), Done::Executed(1));
    });
}
