//! The README's commands do what it says.

mod common;

use common::{Answer, Place};
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The shell blocks of the README, in order.
fn blocks() -> Vec<&'static str> {
    README.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_first_success_takes_at_most_five_commands_after_the_build() {
    let blocks = blocks();
    assert!(blocks[0].starts_with("cargo build --release\n"));
    let commands: Vec<_> = blocks[1].lines().collect();
    assert!(commands.len() <= 5, "{commands:?}");
    let place = Place::new();
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_sluice")).parent().unwrap().to_owned();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let script = format!("set -eu\n{}", blocks[1]);
    let told = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .env("PATH", path)
        .env("SLUICE_STORE", place.store())
        .output()
        .unwrap();
    let told = Answer(told);
    let said = told.expect(0).stdout();
    assert_eq!(said.matches("receipt 1\n").count(), 2, "{said}");
    assert_eq!(std::fs::read_to_string(place.path("charges")).unwrap(), "charged\n");
    for part in ["what happened", "charges in the end: 1", "it happened. Delivering it again runs nothing"] {
        assert!(said.contains(part), "{part:?} is missing in\n{said}");
    }
}

#[test]
fn every_link_of_the_readme_leads_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for link in README.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(root.join(link).exists(), "{link}");
    }
}
