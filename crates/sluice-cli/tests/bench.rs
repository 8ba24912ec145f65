//! What `sluice bench` prints, refuses, and leaves behind: nothing.

mod common;

use common::{Place, kill, until};
use serde_json::Value;
use std::process::Stdio;

const SHORT: [&str; 4] = ["--seconds", "0.2", "--callers", "1,3"];

fn bench(place: &Place, words: &[&str]) -> common::Answer {
    place.sluice([&["bench"], &SHORT[..], words].concat())
}

/// The folder, without what the command may have left in it.
fn listing(place: &Place) -> Vec<std::ffi::OsString> {
    std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[track_caller]
fn is_positive(figure: &Value) {
    assert!(figure.as_f64().is_some_and(|figure| figure > 0.0), "{figure}");
}

#[track_caller]
fn is_rate_beside_its_floor(figure: &Value) {
    for name in ["per_second", "floor_per_second", "times_floor", "p50_ms", "p99_ms"] {
        is_positive(&figure[name]);
    }
    let rounds = figure["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 5);
    for round in rounds {
        let members: Vec<_> = round.as_object().unwrap().keys().collect();
        assert_eq!(members, ["floor_per_second", "per_second", "times_floor"]);
    }
}

#[test]
fn a_measurement_on_disk_says_where_it_was_and_leaves_the_ledger_alone() {
    let place = Place::new();
    place.run("k", "true").expect(0);
    let before = std::fs::read(place.path("ledger.db")).unwrap();
    let names = listing(&place);
    let answer = bench(&place, &["--json", "--records", "2000"]);
    let document = answer.expect(0).json();
    assert!(answer.stderr().is_empty(), "nobody watches: {}", answer.stderr());
    assert_eq!((&document["v"], &document["store"]), (&Value::from(1), &Value::from("sqlite")));
    let real = std::fs::canonicalize(place.path("")).unwrap();
    let folder = std::fs::canonicalize(document["folder"].as_str().unwrap()).unwrap();
    assert_eq!(folder, real);
    assert!(document["file_system"].is_string() && document["notes"].as_array().unwrap().len() >= 2);
    for name in ["p50_ms", "p99_ms", "bytes", "count"] {
        is_positive(&document["flush"][name]);
    }
    assert_eq!(document["keys"]["bytes"], 338);
    is_positive(&document["keys"]["per_second"]);
    assert_eq!(document["filled"]["records"], 2000);
    for name in ["claim_p50_ms", "claim_p50_ms_empty", "times_empty"] {
        is_positive(&document["filled"][name]);
    }
    is_positive(&document["filled"]["peak_memory_kib"]["at_the_end"]);
    let measurements = document["measurements"].as_array().unwrap();
    assert_eq!(measurements.iter().map(|of| &of["callers"]).collect::<Vec<_>>(), [1, 3]);
    for measured in measurements {
        is_rate_beside_its_floor(&measured["fresh"]);
        is_rate_beside_its_floor(&measured["replay"]);
        is_rate_beside_its_floor(&measured["lookup"]);
        is_positive(&measured["fresh"]["claim"]["p50_ms"]);
        assert!(measured["replay"].get("claim").is_none());
    }
    assert_eq!(listing(&place), names);
    assert_eq!(std::fs::read(place.path("ledger.db")).unwrap(), before);
}

#[test]
fn a_measurement_in_memory_needs_no_place_and_is_a_table_for_people() {
    let place = Place::new();
    let answer = bench(&place, &["--store", "memory:"]);
    let said = answer.expect(0).stdout();
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("in memory, "), "{said}");
    let header = lines.iter().position(|line| line.starts_with("callers")).unwrap();
    let widths: Vec<_> = lines[header..=header + 4].iter().map(|line| line.len()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{said}");
    assert!(said.contains("nothing is durable in memory"), "{said}");
    assert!(listing(&place).is_empty());
    bench(&place, &["--store", "memory:", "--records", "5"]).expect(2);
}

#[test]
fn figures_that_make_no_sense_are_usage_errors() {
    let place = Place::new();
    for words in [
        ["--callers", "0"],
        ["--callers", "100000"],
        ["--callers", "many"],
        ["--callers", "1,,2"],
        ["--seconds", "0"],
        ["--seconds", "-1"],
        ["--seconds", "NaN"],
        ["--seconds", "1e9"],
        ["--records", "-1"],
        ["--records", "99999999999"],
    ] {
        let answer = place.sluice([&["bench"], &words[..]].concat());
        answer.expect(2);
    }
    assert!(listing(&place).is_empty());
}

#[test]
fn a_place_that_is_not_there_or_not_writable_is_a_setting() {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("mount/ledger.db").display());
    let answer = bench(&place, &["--store", &store]);
    assert!(answer.expect(78).stderr().contains("does not exist"), "{}", answer.stderr());
    assert!(!place.path("mount").exists());
    // Everything may be written by root, but not this.
    let answer = bench(&place, &["--store", "sqlite:/proc/ledger.db"]);
    assert!(answer.expect(78).stderr().contains("on the same disk"), "{}", answer.stderr());
    place.write("file", "x");
    let store = format!("sqlite:{}", place.path("file/ledger.db").display());
    bench(&place, &["--store", &store]).expect(78);
    bench(&place, &["--store", "postgres://u:secret@h/db"]).expect(78);
    assert_eq!(listing(&place), ["file"]);
}

#[test]
fn a_measurement_that_is_interrupted_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        let place = Place::new();
        let mut command = place.command(["bench", "--seconds", "60", "--callers", "2"]);
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("it measures", || !listing(&place).is_empty());
        kill(signal, running.id().into());
        let answer = common::Answer(running.wait_with_output().unwrap());
        assert!(answer.expect(75).stderr().contains("ended by a signal"), "{}", answer.stderr());
        assert!(listing(&place).is_empty(), "{:?}", listing(&place));
    }
}
