//! Which invariant catches which plant, on which seed.

use super::{PLANTS, Plant};
use crate::invariants::Invariant;
use crate::scenarios::Scenario;
use crate::world::World;

/// The first world in which a plant shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// Which plant.
    pub plant: &'static str,
    /// In which kind of world.
    pub scenario: Scenario,
    /// On which seed.
    pub seed: u64,
    /// By which invariants.
    pub by: Vec<Invariant>,
}

/// Looks for a world in which the plant shows: every kind of world on each of so many seeds.
pub fn catch(plant: &'static Plant, seeds: u64) -> Option<Caught> {
    let worlds = (0..seeds).flat_map(|seed| Scenario::ALL.iter().map(move |scenario| (*scenario, seed)));
    worlds.into_iter().find_map(|(scenario, seed)| {
        let told = World::with(scenario.plan(seed), plant.how).run();
        let mut by: Vec<_> = told.violations.iter().map(|violation| violation.invariant).collect();
        by.sort_unstable();
        by.dedup();
        (!by.is_empty()).then_some(Caught { plant: plant.name, scenario, seed, by })
    })
}

/// The whole table, as Markdown.
pub fn table(seeds: u64) -> String {
    let rows = PLANTS.iter().map(|plant| match catch(plant, seeds) {
        None => format!("| {} | {} | not caught | | |", plant.name, plant.sentence),
        Some(caught) => {
            let by: Vec<_> = caught.by.iter().map(ToString::to_string).collect();
            let Caught { scenario, seed, .. } = caught;
            format!(
                "| {} | {} | {} | {} | {seed} |",
                plant.name,
                plant.sentence,
                by.join(", "),
                scenario.as_str()
            )
        }
    });
    let rows: Vec<_> = rows.collect();
    format!("| plant | what is wrong | caught by | in | seed |\n|---|---|---|---|---|\n{}\n", rows.join("\n"))
}
