//! The figures that the documentation shows, as data and as text. Virtual time is called virtual.

use super::compare::{Compared, Way, compare};
use super::summary::{Summary, play};
use crate::invariants::Invariant;
use crate::plants::{Caught, PLANTS, catch};
use crate::scenarios::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Everything that is generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this document.
    pub v: u32,
    /// How many seeds each kind of world was played on.
    pub seeds: u64,
    /// What came of each kind.
    pub scenarios: BTreeMap<String, Summary>,
    /// Which invariant caught which planted bug first, where, and on which seed.
    pub plants: BTreeMap<String, Vec<String>>,
    /// Naive retry beside sluice, with and without a target that honours keys.
    pub compared: BTreeMap<String, Compared>,
}

impl Report {
    /// Plays everything with so many seeds of each kind.
    pub fn make(seeds: u64) -> Self {
        let scenarios = Scenario::ALL
            .iter()
            .map(|scenario| (scenario.as_str().to_owned(), play(Some(*scenario), 0..seeds, |_| true)));
        let plants = PLANTS.iter().map(|plant| {
            let caught = catch(plant, seeds).map_or_else(Vec::new, |caught| row(&caught));
            (plant.name.to_owned(), caught)
        });
        let ways = [("sluice", Way::Sluice), ("naive", Way::Naive)];
        let compared = ways.iter().flat_map(|(name, way)| {
            [true, false].map(|honours| {
                let target = if honours { "target honours keys" } else { "target knows no keys" };
                (format!("{name}, {target}"), compare(*way, honours, seeds))
            })
        });
        Self {
            v: 1,
            seeds,
            scenarios: scenarios.collect(),
            plants: plants.collect(),
            compared: compared.collect(),
        }
    }
}

fn row(caught: &Caught) -> Vec<String> {
    let by: Vec<_> = caught.by.iter().map(ToString::to_string).collect();
    vec![by.join(", "), caught.scenario.as_str().to_owned(), caught.seed.to_string()]
}

/// Naive retry beside sluice, as Markdown.
///
/// # Panics
/// Never: writing to a text cannot fail.
pub fn comparison(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |said: String| writeln!(text, "{said}").unwrap_or_default();
    line("| on the same plans | intents | landed | more than once | waited for a person | requests |".into());
    line("|---|---|---|---|---|---|".into());
    for (name, told) in &report.compared {
        let Compared { intents, landed, doubled, parked, attempts, .. } = told;
        line(format!("| {name} | {intents} | {landed} | {doubled} | {parked} | {attempts} |"));
    }
    text
}

/// The same as Markdown.
///
/// # Panics
/// Never: writing to a text cannot fail.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |said: String| writeln!(text, "{said}").unwrap_or_default();
    line(format!("Each kind of world below was played on {} seeds.\n", report.seeds));
    line(
        "| scenario | intents | executions | landings | waited for a person | virtual hours | violations |"
            .into(),
    );
    line("|---|---|---|---|---|---|---|".into());
    for (name, told) in &report.scenarios {
        let Summary { intents, executions, landings, parked, virtual_seconds, broken, .. } = told;
        let hours = virtual_seconds / 3600;
        line(format!("| {name} | {intents} | {executions} | {landings} | {parked} | {hours} | {broken} |"));
    }
    line(format!("\n{}", comparison(report).trim_end()));
    line("\n| planted bug | what is wrong | caught by | in | seed |".into());
    line("|---|---|---|---|---|".into());
    for plant in PLANTS {
        let caught = report.plants.get(plant.name).map(|caught| caught.join(" | ")).unwrap_or_default();
        line(format!("| {} | {} | {caught} |", plant.name, plant.sentence));
    }
    line("\nChecked in every world:\n".into());
    for invariant in Invariant::ALL {
        let missing = if invariant.is_checked() { "" } else { " *(arrives with its rule)*" };
        line(format!("- **{invariant}** {}{missing}", invariant.sentence()));
    }
    line(format!("\nKinds of worlds that arrive with their rules: {}.", Scenario::MISSING.join(", ")));
    text
}
