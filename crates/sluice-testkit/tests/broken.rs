//! The suite bites: every planted fault is caught, and every rule catches one.

mod common;

use common::SqliteSubject;
use sluice_testkit::broken::{BrokenSubject, Fault};
use sluice_testkit::conformance::{self, Subject};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};
use std::thread;

fn subject(fault: Fault) -> Box<dyn Subject> {
    if fault.needs_reboot() {
        Box::new(BrokenSubject::over(fault, Box::new(SqliteSubject::new())))
    } else {
        Box::new(BrokenSubject::memory(fault))
    }
}

/// Which rules caught which fault; found out once for all tests.
fn caught() -> &'static BTreeMap<Fault, Vec<&'static str>> {
    static CAUGHT: OnceLock<BTreeMap<Fault, Vec<&str>>> = OnceLock::new();
    CAUGHT.get_or_init(|| {
        let todo = Mutex::new(Fault::ALL.iter().copied());
        let done = Mutex::new(BTreeMap::new());
        let work = || {
            while let Some(fault) = { todo.lock().unwrap().next() } {
                let report = conformance::check(|| subject(fault));
                let rules = report.failures.iter().map(|failure| failure.rule).collect();
                done.lock().unwrap().insert(fault, rules);
            }
        };
        thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
        done.into_inner().unwrap()
    })
}

#[test]
fn every_planted_fault_is_caught_by_a_rule() {
    for (fault, rules) in caught() {
        println!("a store that {}:", fault.sentence());
        for rule in rules {
            println!("  - {rule}");
        }
    }
    let missed: Vec<_> =
        caught().iter().filter(|(_, rules)| rules.is_empty()).map(|(fault, _)| fault).collect();
    assert!(missed.is_empty(), "no rule catches {missed:?}");
}

#[test]
fn every_rule_catches_a_planted_fault() {
    // A store that denies all it does breaks nearly every rule, which says nothing about any one of them.
    let specific = caught().iter().filter(|(fault, _)| **fault != Fault::LiesAboutApplied);
    let idle: Vec<_> = conformance::rules()
        .iter()
        .map(|rule| rule.name)
        .filter(|name| !specific.clone().any(|(_, rules)| rules.contains(name)))
        .collect();
    assert!(idle.is_empty(), "no planted fault breaks {idle:#?}");
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<_> = conformance::rules().iter().map(|rule| rule.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
