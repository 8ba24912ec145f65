//! The protocol holds in every order of events within these bounds, and the model finds what is planted.
//!
//! `SLUICE_MODEL=large` explores larger bounds as well, which is for a release build: `scripts/model.sh`.

use sluice_testkit::protocol::{Bounds, Effect, Plant, Story, explore};

const PLAIN: Effect =
    Effect { marks: false, repeatable: false, overdue: false, second_attempt: false, again: false };
const MARKS: Effect = Effect { marks: true, ..PLAIN };
const REPEATABLE: Effect = Effect { repeatable: true, ..PLAIN };
const OVERDUE: Effect = Effect { overdue: true, second_attempt: true, again: true, ..PLAIN };
/// Everything at once but a second attempt after one that was overdue; see the known gap below.
const EVERYTHING: Effect = Effect { marks: true, repeatable: true, ..OVERDUE };

fn one(name: &'static str, effect: Effect) -> Bounds {
    Bounds { name, effects: vec![effect], ..Bounds::default() }
}

fn processes_and_network() -> Vec<Bounds> {
    vec![
        Bounds { crashes: 1, faults: 1, slow_operator: true, ..one("plain", PLAIN) },
        Bounds { crashes: 1, faults: 1, slow_operator: true, ..one("marked", MARKS) },
        Bounds { crashes: 1, effects: vec![PLAIN, MARKS], ..one("two namespaces", PLAIN) },
        Bounds { reboots: 1, faults: 1, ..one("reboot", PLAIN) },
    ]
}

fn repetitions_and_people() -> Vec<Bounds> {
    vec![
        Bounds { faults: 1, ..one("repeatable", REPEATABLE) },
        Bounds { faults: 1, ..one("overdue, reopened, rerun", OVERDUE) },
        Bounds { crashes: 1, ..one("marked, repeatable, overdue", EVERYTHING) },
        Bounds { lies: 1, crashes: 1, ..one("a false or forced verdict", OVERDUE) },
    ]
}

fn large() -> Vec<Bounds> {
    vec![
        Bounds { deliveries: 3, crashes: 1, faults: 1, ..one("plain, three deliveries", PLAIN) },
        Bounds { crashes: 2, faults: 2, slow_operator: true, ..one("plain, more goes wrong", PLAIN) },
        Bounds { deliveries: 3, crashes: 2, ..one("marked, three deliveries", MARKS) },
        Bounds { deliveries: 3, ..one("repeatable, three deliveries", REPEATABLE) },
        Bounds {
            crashes: 1,
            faults: 1,
            reboots: 1,
            ..one("marked, repeatable, overdue, reboot", EVERYTHING)
        },
        Bounds { lies: 2, crashes: 1, faults: 1, ..one("two false or forced verdicts", OVERDUE) },
        Bounds { faults: 1, effects: vec![REPEATABLE, OVERDUE], ..one("two namespaces, faults", PLAIN) },
    ]
}

/// Explores each of these, and holds the counts against the table in the documentation.
fn hold(all: &[Bounds]) {
    let documented = include_str!("../../../docs/model.md");
    let mut missing = vec![];
    for bounds in all {
        let explored = explore(bounds, None);
        println!("{}: {explored}", bounds.name);
        if let Some(story) = explored.broken {
            panic!("{}:\n{story}", bounds.name);
        }
        let (states, ways, depth) = (explored.states, explored.transitions, explored.depth);
        let row = format!("| {} | {states} | {ways} | {depth} |", bounds.name);
        if !documented.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "docs/model.md has to say:\n{}", missing.join("\n"));
}

#[test]
fn whatever_processes_and_the_network_do_the_promise_holds() {
    hold(&processes_and_network());
}

#[test]
fn whatever_repetitions_and_people_do_the_promise_holds() {
    hold(&repetitions_and_people());
}

#[test]
fn the_promise_holds_within_larger_bounds_where_they_are_asked_for() {
    if std::env::var("SLUICE_MODEL").is_ok_and(|size| size == "large") {
        hold(&large());
    }
}

/// The bounds in which a mistake shows.
fn where_it_shows(plant: Plant) -> Bounds {
    match plant {
        Plant::MarkNotNeeded | Plant::MarkAfterLease | Plant::MarkForgotten => one("marked", MARKS),
        Plant::UnknownDropped | Plant::VerdictSettlesAll => one("repeatable", REPEATABLE),
        Plant::TransientReleasesDoubt => one("overdue", OVERDUE),
        Plant::OneRowPerKey => Bounds { effects: vec![PLAIN, PLAIN], ..one("two namespaces", PLAIN) },
        Plant::LandingForgotten
        | Plant::GuardForgetsVersion
        | Plant::GuardForgetsEpoch
        | Plant::GuardForgetsGrant => Bounds { lies: 1, ..one("forced", OVERDUE) },
        _ => one("plain", PLAIN),
    }
}

#[test]
fn every_planted_mistake_is_found_by_a_shortest_story() {
    for plant in Plant::ALL {
        let bounds = where_it_shows(*plant);
        let story = explore(&bounds, Some(*plant)).broken;
        let Story { steps, broken } =
            story.unwrap_or_else(|| panic!("nothing shows that {}", plant.sentence()));
        assert!(!steps.is_empty(), "a story without steps: {broken}");
        println!("{}:\n{}\n", plant.sentence(), Story { steps, broken });
    }
}

#[test]
fn nothing_is_found_where_nothing_is_planted() {
    let mut all: Vec<_> = Plant::ALL.iter().map(|plant| where_it_shows(*plant)).collect();
    all.dedup_by_key(|bounds| bounds.name);
    for bounds in all {
        let broken = explore(&bounds, None).broken;
        assert_eq!(broken.map(|story| story.to_string()), None, "{}", bounds.name);
    }
}
