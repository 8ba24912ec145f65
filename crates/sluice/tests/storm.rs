//! A storm: ten thousand intents at a target of whose requests thirty in a hundred fail, half of them in silence after they
//! took hold. The breaker is off; the figures are those of the budget alone.

mod common;

use common::world::{World, in_virtual_time};
use sluice::core::downstream::Profile;
use sluice::core::ports::Chance;
use sluice::core::retry::Budget;
use sluice::{Ctx, EffectSpec, Failure, Key, Sluice};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const INTENTS: usize = 10_000;
const AT_ONCE: usize = 200;

/// A target with books of its own.
#[derive(Debug, Default)]
struct Target {
    honours_keys: bool,
    requests: usize,
    draws: u64,
    // How often each intent took hold, and under which key.
    landings: HashMap<String, usize>,
    keys: HashMap<String, String>,
}

enum Reply {
    Receipt,
    Down,
    Silence,
}

impl Target {
    fn ask(&mut self, intent: &str, key: &str) -> Reply {
        self.requests += 1;
        self.draws =
            self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let roll = (self.draws >> 33) % 100;
        if roll < 15 {
            return Reply::Down;
        }
        let is_known = self.honours_keys && self.keys.contains_key(key);
        if !is_known {
            *self.landings.entry(intent.to_owned()).or_default() += 1;
            self.keys.insert(key.to_owned(), intent.to_owned());
        }
        if roll < 30 { Reply::Silence } else { Reply::Receipt }
    }

    fn duplicates(&self) -> usize {
        self.landings.values().filter(|landings| **landings > 1).count()
    }
}

#[derive(Debug, PartialEq)]
struct Figures {
    succeeded: f64,
    attempts: f64,
    duplicates: usize,
    parked: f64,
    refused: f64,
}

fn share(count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "there are ten thousand of them")]
    let share = count as f64 / INTENTS as f64;
    share
}

fn profile() -> Profile {
    Profile::parse(r#"{"name":"psp","header":"Idempotency-Key","remembers_ms":86400000}"#).unwrap()
}

async fn storm(budget: Budget, honours_keys: bool) -> Figures {
    let world = World::new();
    let sluice = Sluice::open(sluice::MemoryStore::in_world(
        world.ports.clock.clone(),
        world.ports.chance.as_ref() as &dyn Chance,
        INTENTS,
    ))
    .ports(world.ports.clone())
    .breaker(None)
    .retry_budget(budget)
    .sweep_every(0)
    .build();
    let target = Arc::new(Mutex::new(Target { honours_keys, draws: 7, ..Target::default() }));
    let numbers = Arc::new(Mutex::new(0..INTENTS));
    let callers: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (sluice, target, numbers) = (sluice.clone(), target.clone(), numbers.clone());
            tokio::spawn(async move {
                let mut told = [0_usize; 3];
                loop {
                    let Some(number) = numbers.lock().unwrap().next() else { return told };
                    let name = format!("order {number}");
                    let mut spec = EffectSpec {
                        circuit: Some("psp".into()),
                        ..EffectSpec::new(Key::new(&name).unwrap())
                    };
                    spec.downstream = honours_keys.then(profile);
                    let target = target.clone();
                    let charge = move |ctx: Ctx| {
                        let (name, target) = (name.clone(), target.clone());
                        async move {
                            tokio::time::sleep(Duration::from_millis(5)).await;
                            match target.lock().unwrap().ask(&name, ctx.downstream_key()) {
                                Reply::Receipt => Ok(()),
                                Reply::Down => Err(Failure::transient("down")),
                                Reply::Silence => Err(Failure::unknown("no answer")),
                            }
                        }
                    };
                    match sluice.run(spec, charge).await {
                        Ok(_) => told[0] += 1,
                        Err(error) if error.is_indeterminate() => told[1] += 1,
                        Err(error) => {
                            assert!(error.did_not_happen(), "{error}");
                            told[2] += 1;
                        }
                    }
                }
            })
        })
        .collect();
    let mut all = [0; 3];
    for caller in callers {
        let told = caller.await.unwrap();
        all.iter_mut().zip(told).for_each(|(sum, told)| *sum += told);
    }
    let target = target.lock().unwrap();
    Figures {
        succeeded: share(all[0]),
        attempts: share(target.requests),
        duplicates: target.duplicates(),
        parked: share(all[1]),
        refused: share(all[2]),
    }
}

/// Three tries, a new key for each, and silence is taken for a failure: what many loops around a client do.
fn naive(honours_keys: bool) -> Figures {
    let mut target = Target { honours_keys, draws: 7, ..Target::default() };
    let mut succeeded = 0;
    for number in 0..INTENTS {
        let name = format!("order {number}");
        let answered =
            (0..3).any(|tried| matches!(target.ask(&name, &format!("{name}/{tried}")), Reply::Receipt));
        succeeded += usize::from(answered);
    }
    let (attempts, duplicates) = (share(target.requests), target.duplicates());
    Figures {
        succeeded: share(succeeded),
        attempts,
        duplicates,
        parked: 0.0,
        refused: 1.0 - share(succeeded),
    }
}

#[test]
fn a_storm_costs_a_tenth_more_requests_and_no_duplicate() {
    in_virtual_time(async {
        // A quarter and nothing besides: the floor for quiet circuits would come on top.
        let quarter = Budget { per_call_milli: 250, per_second_milli: 0, reserve: 0, ..Budget::default() };
        let figures = [
            ("naive", naive(true)),
            ("budget of 10 %, target honours keys", storm(Budget::default(), true).await),
            ("budget of 25 %, target honours keys", storm(quarter, true).await),
            ("budget of 10 %, target knows no keys", storm(Budget::default(), false).await),
        ];
        for (what, figures) in &figures {
            println!("{what}: {figures:?}");
        }
        let [(_, naive), (_, tenth), (_, quarter), (_, no_keys)] = &figures;
        assert!(naive.duplicates > INTENTS / 10, "{naive:?}");
        assert!(tenth.duplicates == 0 && tenth.succeeded >= 0.76 && tenth.attempts <= 1.11, "{tenth:?}");
        assert!(
            quarter.duplicates == 0 && quarter.succeeded >= 0.84 && quarter.attempts <= 1.25,
            "{quarter:?}"
        );
        assert!(no_keys.duplicates == 0 && no_keys.parked > 0.14 && no_keys.attempts <= 1.11, "{no_keys:?}");
    });
}
