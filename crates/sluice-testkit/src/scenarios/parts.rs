//! What worlds are put together from.

use crate::world::{Care, Delivered, Dice, Intended, Mishap, Operator, Plan, TargetPlan, Weather, Worker};
use sluice_core::policy::OnDuplicate;
use std::time::Duration;

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// A plan with so many workers and intents, and nothing that happens in it.
pub(super) fn quiet(seed: u64, workers: usize, intents: usize) -> Plan {
    Plan {
        seed,
        workers: (0..workers).map(|host| Worker { host, drift_ppm: 0, has_locks: true }).collect(),
        intents: (0..intents).map(intended).collect(),
        deliveries: Vec::new(),
        mishaps: Vec::new(),
        weather: Weather::default(),
        target: TargetPlan::default(),
        operators: Vec::new(),
        storm: Duration::from_mins(1),
        reserve: None,
    }
}

/// Every second one lives in another namespace, under the key of the one before.
pub(super) fn intended(number: usize) -> Intended {
    let namespace = if number.is_multiple_of(2) { "live" } else { "test" };
    Intended {
        namespace: namespace.to_owned(),
        key: format!("order-{}", number / 2),
        marks: false,
        marks_outside: false,
        repeatable: false,
        lease: Duration::from_secs(6),
        timeout: None,
        think_ms: (1, 200),
        remember: sluice_core::retention::REMEMBER,
        tries: 3,
        by_key: false,
        probes: false,
    }
}

/// One delivery, of the request that the intent stands for.
pub(super) fn delivered(at: Duration, worker: usize, intent: usize) -> Delivered {
    let patience = Duration::from_secs(30);
    Delivered { at, worker, intent, request: 0, patience, reruns: false, on_duplicate: OnDuplicate::Replay }
}

/// So many deliveries of every intent, at any time in the first half, to any worker.
pub(super) fn deliver(plan: &mut Plan, dice: &mut Dice, each: u64) {
    for intent in 0..plan.intents.len() {
        for _ in 0..each {
            let worker = usize::try_from(dice.below(plan.workers.len() as u64)).unwrap_or_default();
            plan.deliveries.push(delivered(dice.ms(0, 30_000), worker, intent));
        }
    }
}

/// Sets something of every intent.
pub(super) fn each_intent(plan: &mut Plan, mut edit: impl FnMut(&mut Intended)) {
    plan.intents.iter_mut().for_each(&mut edit);
}

/// An honest person looks at that time.
pub(super) fn honest(at: u64) -> Operator {
    Operator { at: Duration::from_secs(at), care: Care::Honest }
}

/// A process dies at any time in the first half, and another one starts a little later.
pub(super) fn dies(dice: &mut Dice, workers: usize) -> Mishap {
    let worker = usize::try_from(dice.below(workers as u64)).unwrap_or_default();
    Mishap::Dies(worker, dice.ms(0, 30_000), dice.ms(0, 20_000))
}
