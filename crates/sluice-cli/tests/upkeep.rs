//! What keeps a ledger useful for long: todo, sweep, doctor, ways on, and the count of deliveries.

mod common;

use common::{Place, until, words};
use serde_json::Value;

const NOW: &str = "echo ran >> \"$WITNESS\"; echo out";

fn todo(place: &Place) -> Value {
    place.sluice(["todo", "--json"]).expect(0).json()
}

fn kinds(place: &Place) -> Vec<String> {
    let todo = todo(place);
    todo["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn todo_lists_what_needs_a_person_and_is_a_check_for_monitoring() {
    let place = Place::new();
    place.run("done", "true").expect(0);
    assert!(place.sluice(["todo", "--exit-code"]).expect(0).stderr().contains("nothing needs a person"));
    place.run("doubt", "exit 3").expect(3);
    assert_eq!(kinds(&place), ["indeterminate"]);
    let told = place.sluice(["todo", "--exit-code"]);
    assert!(told.expect(1).stdout().contains("sluice effects resolve doubt --landed"), "{}", told.stdout());
    place.sluice(["effects", "resolve", "doubt", "--landed", "--reason", "looked"]).expect(0);
    assert_eq!(kinds(&place), [""; 0]);
}

#[test]
fn todo_finds_what_was_killed_although_nobody_delivered_it_again() {
    let place = Place::new();
    let mut running = place.command(words("k", &[], "echo > \"$WITNESS\"; sleep 60")).spawn().unwrap();
    until("the command runs", || place.witnessed() > 0);
    assert_eq!(kinds(&place), [""; 0], "what runs needs nobody");
    let group = common::group_of_child(&running).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    common::kill("KILL", -group);
    until("it is seen to be gone", || kinds(&place) == ["stuck"]);
    assert_eq!(place.status("k"), "in_flight", "looking changes nothing");
}

#[test]
fn a_failure_runs_again_when_a_person_or_the_delivery_itself_says_so() {
    let place = Place::new();
    let fails = |flags: &[&str], script: &str| {
        let flags = [&["--exit", "3=failed", "--fingerprint", "none"], flags].concat();
        place.run_with("k", &flags, script)
    };
    fails(&[], "exit 3").expect(3);
    fails(&[], NOW).expect(3);
    assert_eq!(place.witnessed(), 0, "a mere delivery replays the failure");
    place.sluice(["effects", "reopen", "k"]).expect(2);
    let reopened = place.sluice(["effects", "reopen", "k", "--by", "ada", "--reason", "mended"]);
    assert_eq!(reopened.expect(0).stdout(), "k: failed → released by ada; the next delivery runs it\n");
    assert!(place.sluice(["effects", "reopen", "k", "--reason", "x"]).expect(0).stdout().contains("already"));
    fails(&[], "exit 3").expect(3);
    fails(&["--on-failed", "rerun"], NOW).expect(0);
    assert_eq!(place.witnessed(), 1);
    fails(&["--on-failed", "rerun"], NOW).expect(0);
    assert_eq!(place.witnessed(), 1, "what succeeded is never run again");
    place.sluice(["effects", "reopen", "k", "--reason", "x"]).expect(91);
    place.sluice(["effects", "reopen", "none", "--reason", "x"]).expect(65);
}

#[test]
fn what_nobody_knows_runs_again_only_where_that_does_no_harm() {
    let place = Place::new();
    let run = |flags: &[&str], script: &str| {
        place.run_with("k", &[&["--fingerprint", "none"], flags].concat(), script)
    };
    run(&[], "exit 3").expect(3);
    run(&[], NOW).expect(90);
    run(&["--on-indeterminate", "reclaim"], NOW).expect(2);
    run(&["--repeatable", "--on-indeterminate", "refuse"], NOW).expect(90);
    assert_eq!(place.witnessed(), 0);
    run(&["--repeatable"], NOW).expect(0);
    run(&[], NOW).expect(0);
    assert_eq!(place.witnessed(), 1);
    let story = place.sluice(["explain", "k"]).expect(0).stdout();
    assert!(story.contains("claimed again, although nobody knows"), "{story}");
}

#[test]
fn a_repeatable_command_is_not_run_beside_an_orphan_of_the_last_one() {
    let place = Place::new();
    let run = |flags: &[&str], script: &str| {
        place.run_with("k", &[&["--fingerprint", "none"], flags].concat(), script)
    };
    let script = "echo > \"$WITNESS\"; sleep 60";
    let mut running = place
        .command(words("k", &["--repeatable", "--lease", "1s", "--fingerprint", "none"], script))
        .spawn()
        .unwrap();
    until("the command runs", || place.witnessed() > 0);
    let group = common::group_of_child(&running).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    let again = run(&["--repeatable", "--wait", "3s"], NOW);
    assert_eq!((again.expect(90).status(), place.witnessed()), (90, 1), "the orphan may still act");
    common::kill("KILL", -group);
    run(&["--repeatable", "--wait", "30s"], NOW).expect(0);
    assert_eq!(place.witnessed(), 2);
}

#[test]
fn later_deliveries_are_counted_with_the_reason_and_what_tells_them_apart() {
    let place = Place::new();
    place.run_with("k", &["--delivery", "msg-1"], NOW).expect(0);
    place.run_with("k", &["--delivery", r#"{"id":"msg-2","attempt":2}"#], NOW).expect(0);
    place.run("k", NOW).expect(0);
    place.run_with("k", &["--on-duplicate", "conflict"], NOW).expect(91);
    place.sluice(["run", "--key", "k", "--delivery", "msg-5", "--", "other"]).expect(91);
    let story = place.sluice(["explain", "k", "--json"]).expect(0).json();
    let heard: Vec<_> =
        story["deliveries"]["recent"].as_array().unwrap().iter().map(|seen| seen["heard"].clone()).collect();
    assert_eq!(heard, ["executed", "replayed", "replayed", "duplicate", "conflict"]);
    assert_eq!(story["deliveries"]["count"], 5);
    assert_eq!(story["deliveries"]["recent"][1]["delivery"]["attempt"], 2);
    let long = "x".repeat(1025);
    place.run_with("k", &["--delivery", &long], NOW).expect(65);
    place.run_with("k", &["--delivery", "{\"a\":1,\"a\":2}"], NOW).expect(65);
}

#[test]
fn keys_that_were_used_for_something_else_are_listed() {
    let place = Place::new();
    place.run("fine", "true").expect(0);
    place.run("k", "true").expect(0);
    place.run("k", "false").expect(91);
    let listed = place.sluice(["effects", "list", "--conflicts", "--json"]).expect(0).json();
    let keys: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| item["key"].clone()).collect();
    assert_eq!(keys, ["k"]);
}

#[test]
fn what_would_run_is_refused_for_its_age_and_what_is_recorded_answers() {
    let place = Place::new();
    let sent = |key: &str, when: &str| place.run_with(key, &["--first-sent", when], NOW);
    let told = sent("old", "2020-01-01T00:00:00+02:00");
    assert!(told.expect(77).stderr().contains("longer ago than the ledger remembers"), "{}", told.stderr());
    sent("future", "2100-01-01T00:00:00Z").expect(77);
    assert_eq!(place.witnessed(), 0);
    place.run("k", NOW).expect(0);
    sent("k", "2020-01-01T00:00:00Z").expect(0);
    assert_eq!(place.witnessed(), 1);
    sent("bad", "yesterday").expect(2);
}

#[test]
fn a_sweep_forgets_what_is_due_and_says_how_much() {
    let place = Place::new();
    place.run_with("short", &["--remember", "1s"], NOW).expect(0);
    place.run_with("result", &["--keep-result", "0s"], NOW).expect(0);
    place.run("long", NOW).expect(0);
    until("the second is over", || {
        let swept = place.sluice(["sweep", "--json"]).expect(0).json();
        let gone = place.status("short") == "none";
        assert!(!gone || swept["is_halted"] == false);
        gone
    });
    place.run("long", NOW).expect(0);
    place.run("result", NOW).expect(94);
    assert_eq!(place.witnessed(), 3);
    place.run("short", NOW).expect(0);
    assert_eq!(place.witnessed(), 4, "a key that was forgotten is new again");
    place.run_with("k", &["--remember", "0s"], NOW).expect(2);
}

#[test]
fn doctor_looks_at_everything_and_finds_nothing_wrong_with_a_new_ledger() {
    let place = Place::new();
    place.run("k", "true").expect(0);
    let told = place.sluice(["doctor", "--deep", "--json"]).expect(0).json();
    let items = told["items"].as_array().unwrap();
    let level = |what: &str| {
        let found = items.iter().find(|item| item["what"] == what);
        found.unwrap_or_else(|| panic!("nothing of {what}"))["level"].as_str().unwrap().to_owned()
    };
    for what in
        ["ledger", "access", "durability", "damage", "clock", "retention", "claims", "doubts", "locks"]
    {
        assert_eq!(level(what), "ok", "{what}: {told}");
    }
    assert!(place.sluice(["doctor"]).expect(0).stdout().contains("a flush takes"));
    place.sluice(["doctor", "--accept-clock"]).expect(2);
    place.sluice(["doctor", "--accept-clock", "--reason", " "]).expect(2);
    let accepted = place.sluice(["doctor", "--accept-clock", "--by", "ada", "--reason", "right again"]);
    assert!(accepted.expect(0).stderr().contains("accepted by ada"), "{}", accepted.stderr());
    let left: Vec<_> = std::fs::read_dir(place.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".sluice"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn doctor_says_what_is_wrong_and_what_to_do() {
    let place = Place::new();
    place.sluice(["doctor"]).expect(69);
    place.run("k", "exit 3").expect(3);
    let told = place.sluice(["doctor"]).expect(0).stdout();
    assert!(told.contains("warning  doubts") && told.contains("sluice todo"), "{told}");
    std::fs::write(place.path("ledger.db"), "not a ledger at all, but long enough to be taken for one")
        .unwrap();
    let told = place.sluice(["doctor"]);
    assert!(told.expect(69).stdout().contains("file system"), "{}", told.stdout());
}
