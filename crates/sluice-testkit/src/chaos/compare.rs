//! Naive retry beside sluice, on the same plans.

use crate::scenarios::Scenario;
use crate::world::{Plan, World};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How deliveries are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By sluice.
    Sluice,
    /// By a handler that acts, and acts again up to twice where it hears nothing good.
    Naive,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// How many intents.
    pub intents: u64,
    /// How many took hold at least once.
    pub landed: u64,
    /// How many took hold more than once.
    pub doubled: u64,
    /// How many landings were one too many.
    pub superfluous: u64,
    /// How many waited for a person when all was quiet.
    pub parked: u64,
    /// How many requests were sent to the target.
    pub attempts: u64,
}

/// Plays the fault-ridden kinds of worlds with so many seeds each.
pub fn compare(way: Way, honours_keys: bool, seeds: u64) -> Compared {
    let mut all = Compared::default();
    for scenario in Scenario::ALL.iter().filter(|scenario| is_comparable(**scenario)) {
        for seed in 0..seeds {
            let mut plan = scenario.plan(seed);
            plan.target.honours_keys = honours_keys.then_some(Duration::from_hours(24));
            // Whatever sluice may do with a target that honours keys: run again what nobody knows.
            plan.intents.iter_mut().for_each(|intent| intent.repeatable = honours_keys);
            add(&mut all, plan, way);
        }
    }
    all
}

/// Without operators that lie, keys that are used for something else, and records that are forgotten.
fn is_comparable(scenario: Scenario) -> bool {
    !matches!(scenario, Scenario::WrongVerdict | Scenario::KeyReuse | Scenario::RetentionBoundary)
}

fn add(all: &mut Compared, plan: Plan, way: Way) {
    let intents = plan.intents.len() as u64;
    let world = World::new(plan);
    let told = if way == Way::Naive { world.naively() } else { world }.until_people_look().run();
    all.intents += intents;
    all.attempts += told.executions as u64;
    all.parked += told.parked as u64;
    for landings in told.landings_each.iter().map(|landings| *landings as u64) {
        all.landed += u64::from(landings > 0);
        all.doubled += u64::from(landings > 1);
        all.superfluous += landings.saturating_sub(1);
    }
}
