//! Time limits, signals, and waiting.

mod common;

use common::{Place, kill, until, words};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_command_over_its_time_is_ended_and_in_doubt() {
    let place = Place::new();
    let answer = place.run_with("k", &["--timeout", "300ms"], "echo hit >> $WITNESS; sleep 60");
    assert!(answer.expect(90).stderr().contains("time limit"), "{}", answer.stderr());
    assert_eq!(place.status("k"), "indeterminate");
    place.run_with("k", &["--timeout", "300ms"], "echo hit >> $WITNESS; sleep 60").expect(90);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_command_that_ignores_the_request_to_end_is_killed_with_its_whole_group() {
    let place = Place::new();
    let script = "trap '' TERM; (trap '' TERM; sleep 40; echo late >> $WITNESS) & echo $! > helper; sleep 40; sleep 40";
    let started = Instant::now();
    place.run_with("k", &["--timeout", "200ms"], script).expect(90);
    assert!(started.elapsed() < Duration::from_secs(30));
    let helper = std::fs::read_to_string(place.path("helper")).unwrap();
    until("the helper is gone", || {
        !std::path::Path::new(&format!("/proc/{}/fd", helper.trim())).exists() || is_zombie(helper.trim())
    });
    place.sluice(["effects", "resolve", "k", "--did-not-land", "--reason", "looked"]).expect(0);
}

fn is_zombie(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn a_marked_command_that_runs_out_of_time_before_its_mark_is_released() {
    let place = Place::new();
    place.run_with("k", &["--marked", "--timeout", "200ms"], "sleep 60").expect(75);
    assert_eq!(place.status("k"), "released");
}

#[test]
fn the_first_signal_goes_to_the_command_which_may_finish() {
    let place = Place::new();
    let script = "trap 'echo hit >> $WITNESS; exit 0' TERM; echo up > up; while :; do sleep 0.05; done";
    let mut child = place.command(words("k", &[], script)).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || place.path("up").exists());
    kill("TERM", i64::from(child.id()));
    assert!(child.wait().unwrap().success());
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "succeeded"));
}

#[test]
fn the_second_signal_kills() {
    let place = Place::new();
    let script = "trap '' TERM; echo up > up; while :; do sleep 0.05; done";
    let mut child = place.command(words("k", &[], script)).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || place.path("up").exists());
    kill("TERM", i64::from(child.id()));
    until("the second signal ends it", || {
        kill("TERM", i64::from(child.id()));
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
    assert_eq!(place.status("k"), "indeterminate");
}

#[test]
fn a_signal_ends_the_waiting_of_a_duplicate_and_leaves_the_first_alone() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; while [ ! -e go ]; do sleep 0.02; done; echo done";
    let mut first = place.command(words("k", &[], script)).stderr(Stdio::null()).spawn().unwrap();
    until("the first runs", || place.witnessed() == 1);
    let second = place.command(words("k", &[], script)).stderr(Stdio::piped()).spawn().unwrap();
    until("the second listens", || handles(second.id(), 15));
    kill("TERM", i64::from(second.id()));
    let answer = common::Answer(second.wait_with_output().unwrap());
    assert!(answer.expect(75).stderr().contains("ended by a signal while waiting"));
    place.write("go", "");
    assert!(first.wait().unwrap().success());
    assert_eq!(place.run_with("k", &["--quiet-replay"], script).expect(0).stdout(), "done\n");
    assert_eq!(place.witnessed(), 1);
}

/// Whether a process catches a signal.
fn handles(pid: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught =
        status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim().to_owned();
    u64::from_str_radix(&caught, 16).unwrap_or(0) & (1 << (signal - 1)) != 0
}

#[test]
fn a_duplicate_does_not_wait_where_it_was_told_not_to() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; while [ ! -e go ]; do sleep 0.02; done";
    let mut first = place.command(words("k", &[], script)).stderr(Stdio::null()).spawn().unwrap();
    until("the first runs", || place.witnessed() == 1);
    assert!(place.run_with("k", &["--no-wait"], script).expect(75).stderr().contains("E_IN_FLIGHT"));
    assert!(place.run_with("k", &["--wait", "100ms"], script).expect(75).stderr().contains("E_WAIT_TIMEOUT"));
    place.run_with("k", &["--on-duplicate", "conflict"], script).expect(91);
    place.sluice(["run", "--key", "k", "--", "echo", "other"]).expect(91);
    place.write("go", "");
    assert!(first.wait().unwrap().success());
}

#[test]
fn a_holder_that_was_stopped_past_its_lease_reports_late_and_is_believed() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; while [ ! -e go ]; do sleep 0.02; done; echo done";
    let flags = ["--lease", "1s"];
    let mut first = place
        .command(words("k", &flags, script))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the first runs", || place.witnessed() == 1);
    kill("STOP", i64::from(first.id()));
    // The second waits until the lease ends, and then nobody knows.
    place.run_with("k", &flags, script).expect(90);
    let refused = place.sluice(["effects", "resolve", "k", "--did-not-land", "--reason", "looked"]);
    refused.expect(75);
    place.write("go", "");
    kill("CONT", i64::from(first.id()));
    assert!(first.wait().unwrap().success());
    assert_eq!(place.status("k"), "succeeded");
    assert_eq!(place.run_with("k", &["--quiet-replay"], script).expect(0).stdout(), "done\n");
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_command_that_runs_longer_than_its_lease_keeps_it() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; sleep 2.5; echo done";
    let flags = ["--lease", "1s"];
    let mut first = place.command(words("k", &flags, script)).stderr(Stdio::null()).spawn().unwrap();
    until("the first runs", || place.witnessed() == 1);
    assert_eq!(place.run_with("k", &flags, script).expect(0).stdout(), "done\n");
    assert!(first.wait().unwrap().success());
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_command_that_exits_0_because_its_time_was_over_has_not_succeeded() {
    let place = Place::new();
    let script = "trap 'exit 0' TERM; echo hit >> $WITNESS; while :; do sleep 0.05; done";
    place.run_with("k", &["--timeout", "300ms"], script).expect(90);
    assert_eq!(place.status("k"), "indeterminate");
    place.run_with("k", &["--timeout", "300ms"], script).expect(90);
    assert_eq!(place.witnessed(), 1);
}
