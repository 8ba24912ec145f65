//! Random worlds: any kind of scenario, with more going wrong than it asks for.

use crate::scenarios::{Scenario, any_mishap, weather};
use crate::world::{Dice, Plan};

/// The plan of a seed, of one kind of world or of any.
pub fn plan_of(scenario: Option<Scenario>, seed: u64) -> Plan {
    scenario.map_or_else(|| fuzz_plan(seed), |scenario| scenario.plan(seed))
}

/// A random world. Half of them are a scenario and something else besides; the other half has any weather too.
///
/// ```
/// use sluice_testkit::chaos::fuzz_plan;
/// assert_eq!(fuzz_plan(7), fuzz_plan(7));
/// assert_ne!(fuzz_plan(7), fuzz_plan(8));
/// ```
pub fn fuzz_plan(seed: u64) -> Plan {
    let mut dice = Dice::new(!seed);
    let scenario = *dice.pick(Scenario::ALL);
    let mut plan = scenario.plan(dice.bits());
    plan.seed = seed;
    if dice.percent(50) {
        weather(&mut plan, &mut dice);
    }
    for _ in 0..dice.below(4) {
        let mishap = any_mishap(&mut dice, plan.workers.len());
        plan.mishaps.push(mishap);
    }
    plan
}
