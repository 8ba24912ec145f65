//! What ARCHITECTURE.md says is absent is absent.

use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every source file below a folder, with its text less the comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            found.push((path, code.join("\n")));
        }
    }
    found
}

/// Fails for each file of a crate that contains one of the words, a few files aside.
fn without(name: &str, words: &[&str], except: &[&str]) {
    let files = sources(&crates().join(name).join("src"));
    assert!(files.len() > 5, "{name} has hardly any source: is the path right?");
    for (path, code) in files {
        if except.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        for word in words {
            assert!(!code.contains(word), "{} contains {word:?}", path.display());
        }
    }
}

const WORLD: [&str; 7] =
    ["std::fs", "std::net", "std::env", "std::thread", "std::process", "SystemTime", "Instant::now"];
const CHANCE: [&str; 5] = ["getrandom", "rand::", "RandomState", "HashMap", "HashSet"];

#[test]
fn core_knows_neither_runtime_nor_world_nor_chance() {
    without("sluice-core", &["tokio", "async fn", "rusqlite", "rustix"], &[]);
    without("sluice-core", &WORLD, &[]);
    without("sluice-core", &CHANCE, &[]);
    let manifest = std::fs::read_to_string(crates().join("sluice-core/Cargo.toml")).unwrap();
    assert!(!manifest.split("[dev-dependencies]").next().unwrap().contains("tokio"));
}

#[test]
fn the_runtime_touches_clock_chance_and_tasks_in_one_file() {
    without("sluice", &WORLD, &["system.rs"]);
    // Their hashes are keyed with what the chance port drew (`seed.rs`), and their order never shows.
    without(
        "sluice",
        &CHANCE,
        &["system.rs", "memory/table.rs", "recall.rs", "notes.rs", "circuits/board.rs"],
    );
    without("sluice", &CHANCE[..3], &["system.rs"]);
    without(
        "sluice",
        &["tokio::time", "tokio::spawn", "tokio::task", "spawn_blocking", "select!"],
        &["system.rs"],
    );
    without("sluice", &["rusqlite", "sluice_sqlite"], &[]);
}

#[test]
fn the_sqlite_store_reads_clocks_in_one_file_and_knows_the_rules_only_through_core() {
    without("sluice-sqlite", &["SystemTime", "clock_gettime"], &["clock.rs"]);
    without("sluice-sqlite", &["tokio", "sluice::", "decide::"], &[]);
}

#[test]
fn the_command_reads_no_clock_of_its_own() {
    without("sluice-cli", &["SystemTime::now", "Instant::now", "clock_gettime"], &[]);
}

#[test]
fn unsafe_is_forbidden_everywhere() {
    let root = std::fs::read_to_string(crates().join("../Cargo.toml")).unwrap();
    assert!(root.contains("unsafe_code = \"forbid\""));
    for entry in std::fs::read_dir(crates()).unwrap() {
        let manifest = entry.unwrap().path().join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("[lints]\nworkspace = true"), "{} does not take the lints", manifest.display());
    }
}

#[test]
fn selects_are_biased() {
    for name in ["sluice-core", "sluice", "sluice-cli"] {
        for (path, code) in sources(&crates().join(name).join("src")) {
            for (at, _) in code.match_indices("select! {") {
                let rest = code[at + "select! {".len()..].trim_start();
                assert!(rest.starts_with("biased;"), "{}", path.display());
            }
        }
    }
}
