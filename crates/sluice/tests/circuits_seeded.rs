//! What circuits do depends on chance and time as they are given, and on nothing else.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::ports::{Chance, Ports};
use sluice::{Code, EffectSpec, Failure, Key, Sluice};
use sluice_testkit::faults::Call;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Numbers that are written down here, so that a trace depends on nothing else.
#[derive(Debug)]
struct Drawn(AtomicU64);

impl Chance for Drawn {
    fn bits(&self) -> [u8; 16] {
        let n = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst);
        let half = |n: u64| {
            let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (n ^ (n >> 31)).to_le_bytes()
        };
        let mut bits = [0; 16];
        bits[..8].copy_from_slice(&half(n));
        bits[8..].copy_from_slice(&half(!n));
        bits
    }
}

async fn ends(sluice: &Sluice, circuit: &str, key: &str, end: Result<u32, Failure>) -> String {
    let mut spec = EffectSpec { circuit: Some(circuit.into()), ..EffectSpec::new(Key::new(key).unwrap()) };
    spec.retry.backoff.tries = 1;
    let mut end = Some(end);
    let done = sluice.run(spec, move |_| std::future::ready(end.take().expect("one attempt"))).await;
    match done {
        Ok(done) => format!("{:?}", done.value()),
        Err(error) => format!("{:?} {:?}", error.code(), error.details().safe_after),
    }
}

/// Three processes, two circuits, an outage that ends after four minutes, and a moment at which the ledger is away.
fn trace(seed: u64) -> Vec<String> {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let told = trace.clone();
    in_virtual_time(async move {
        let world = World::new();
        let chance = Arc::new(Drawn(AtomicU64::new(seed)));
        let ports = Ports { chance, ..world.ports.clone() };
        let handles: Vec<_> =
            (0..3).map(|_| world.builder().ports(ports.clone()).sweep_every(0).build()).collect();
        for second in 0..400_u64 {
            tokio::time::sleep(s(1)).await;
            world.store.set_away((100..105).contains(&second));
            for (number, handle) in handles.iter().enumerate() {
                let circuit = ["psp", "mail"][usize::from(second % 3 == 0)];
                let is_down = (10..240).contains(&second) && circuit == "psp";
                let end = if is_down { Err(Failure::transient("down")) } else { Ok(1) };
                let answer = ends(handle, circuit, &format!("{second} {number}"), end).await;
                let calls = world.store.calls(Call::Upkeep);
                told.lock().unwrap().push(format!("{second} {number} {circuit}: {answer}, {calls} calls"));
            }
        }
    });
    Arc::try_unwrap(trace).unwrap().into_inner().unwrap()
}

#[test]
fn the_same_seed_gives_the_same_trace_and_another_seed_another() {
    let one = trace(1);
    for (first, again) in one.iter().zip(trace(1)) {
        assert_eq!(*first, again);
    }
    assert!(one.iter().any(|line| line.contains("CircuitOpen Some")), "it opened");
    assert!(one.last().unwrap().contains("Some(1)"), "it closed again: {:?}", one.last());
    assert_ne!(one, trace(2));
}

#[test]
fn hundreds_of_refusals_and_of_passes_within_a_second_ask_the_ledger_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.builder().sweep_every(0).build();
        for call in 0..5 {
            ends(&sluice, "psp", &format!("trouble {call}"), Err(Failure::transient("down"))).await;
        }
        ends(&sluice, "mail", "first", Ok(1)).await;
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let before = world.store.calls(Call::Upkeep);
        for call in 0..500 {
            let refused = ends(&sluice, "psp", &format!("refused {call}"), Ok(1)).await;
            assert!(refused.starts_with(&format!("{:?}", Code::CircuitOpen)), "{refused}");
            assert_eq!(ends(&sluice, "mail", &format!("passes {call}"), Ok(1)).await, "Some(1)");
        }
        assert_eq!(world.store.calls(Call::Upkeep), before);
    });
}
