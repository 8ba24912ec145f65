//! What came of many worlds.

use super::fuzz::plan_of;
use super::shrink::{as_test, shrink};
use crate::scenarios::Scenario;
use crate::world::{Told, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many broken worlds are kept.
const KEPT: usize = 5;

/// What came of many worlds. Sums of parts are the sum of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How many worlds.
    pub worlds: u64,
    /// How many of them broke an invariant.
    pub broken: u64,
    /// How often each invariant broke.
    pub violations: BTreeMap<String, u64>,
    /// How many intents there were.
    pub intents: u64,
    /// How many executions acted on the target.
    pub executions: u64,
    /// How many took hold.
    pub landings: u64,
    /// How many answers said: done.
    pub told_done: u64,
    /// How many answers said: it did not happen.
    pub told_not: u64,
    /// How many answers said anything else.
    pub told_other: u64,
    /// How many records waited for a person when all was quiet.
    pub parked: u64,
    /// In which states the records ended.
    pub ended: BTreeMap<String, u64>,
    /// Virtual time that passed, in seconds.
    pub virtual_seconds: u64,
    /// The first broken worlds, made small: a test to paste for each.
    pub tests: Vec<String>,
}

impl Summary {
    fn add_told(&mut self, told: &Told, intents: usize) {
        self.worlds += 1;
        self.broken += u64::from(!told.violations.is_empty());
        for violation in &told.violations {
            *self.violations.entry(violation.invariant.to_string()).or_default() += 1;
        }
        let [done, not, other] = told.answers.map(|count| count as u64);
        self.intents += intents as u64;
        self.executions += told.executions as u64;
        self.landings += told.landings as u64;
        self.told_done += done;
        self.told_not += not;
        self.told_other += other;
        self.parked += told.parked as u64;
        for (status, count) in &told.ended {
            *self.ended.entry((*status).to_owned()).or_default() += *count as u64;
        }
        self.virtual_seconds += told.virtual_time.as_secs();
    }

    /// Adds another part.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.worlds += other.worlds;
        self.broken += other.broken;
        self.intents += other.intents;
        self.executions += other.executions;
        self.landings += other.landings;
        self.told_done += other.told_done;
        self.told_not += other.told_not;
        self.told_other += other.told_other;
        self.parked += other.parked;
        self.virtual_seconds += other.virtual_seconds;
        for (map, more) in [(&mut self.violations, other.violations), (&mut self.ended, other.ended)] {
            for (name, count) in more {
                *map.entry(name).or_default() += count;
            }
        }
        self.tests.extend(other.tests);
        self.tests.truncate(KEPT);
        self
    }
}

/// Plays one world of each seed, of one kind or of any. `each` is told after every world; false ends it.
pub fn play(scenario: Option<Scenario>, seeds: Range<u64>, mut each: impl FnMut(&Told) -> bool) -> Summary {
    let mut summary = Summary::default();
    for seed in seeds {
        let plan = plan_of(scenario, seed);
        let told = World::new(plan.clone()).run();
        summary.add_told(&told, plan.intents.len());
        if !told.violations.is_empty() && summary.tests.len() < KEPT {
            let broken: Vec<_> = told.violations.iter().map(|violation| violation.invariant).collect();
            let small = shrink(&plan, None, &broken);
            summary.tests.push(as_test(&format!("seed_{seed}"), &small));
        }
        if !each(&told) {
            break;
        }
    }
    summary
}
