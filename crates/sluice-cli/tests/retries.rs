//! Tries, deadlines, targets and probes, by the command.

mod common;

use common::{Place, until, words};
use std::time::{Duration, Instant};

/// Counts its runs, and does not happen the first two times.
const THIRD_TIME: &str = "echo run >> \"$WITNESS\"; echo \"try $SLUICE_ATTEMPT\"; \
                          [ $(wc -l < \"$WITNESS\") -ge 3 ] || exit 75";
const COUNTED: &str = "echo run >> \"$WITNESS\"; echo \"$SLUICE_DOWNSTREAM_KEY\"; exit 9";

#[test]
fn a_command_that_did_not_happen_is_tried_again_as_often_as_it_may_be() {
    let place = Place::new();
    let flags = ["--exit", "75=released"];
    place.run_with("once", &flags, "echo run >> \"$WITNESS\"; exit 75").expect(75);
    assert_eq!(place.witnessed(), 1, "one try is the default");
    let place = Place::new();
    let told = place.run_with("k", &[&flags[..], &["--tries", "5"]].concat(), THIRD_TIME);
    assert_eq!(told.expect(0).stdout(), "try 1\ntry 2\ntry 3\n");
    assert_eq!(
        place.run_with("k", &flags, THIRD_TIME).expect(0).stdout(),
        "try 3\n",
        "the last try's output is kept"
    );
    assert_eq!(place.witnessed(), 3);
    place.sluice(["run", "--key", "x", "--tries", "0", "--", "true"]).expect(2);
}

/// Passes its mark, acts, and ends in some other way than by a success.
fn past_its_mark(flags: &[&str], end: &str) -> (Place, String) {
    let place = Place::new();
    let script = format!("$SLUICE mark || exit 75; echo run >> \"$WITNESS\"; {end}");
    place.run_with("k", &[&["--marked", "--tries", "3"], flags].concat(), &script);
    let status = place.status("k");
    (place, status)
}

#[test]
fn no_try_follows_one_that_passed_its_mark_and_cannot_say_what_became_of_it() {
    for (flags, end) in [
        (&[][..], "exit 1"),
        (&[], "kill -9 $$"),
        (&[], "exit 75"),
        (&["--timeout", "300ms"], "sleep 30"),
        (&["--deadline", "300ms"], "sleep 30"),
        (&["--exit", "75=released"], "exit 9"),
        (&["--exit", "9=unknown"], "exit 9"),
    ] {
        let (place, status) = past_its_mark(flags, end);
        assert_eq!((place.witnessed(), status.as_str()), (1, "indeterminate"), "{flags:?} {end}");
    }
}

#[test]
fn a_try_follows_one_that_did_not_reach_its_mark_and_left_nothing_behind() {
    let place = Place::new();
    let second = "[ \"$SLUICE_ATTEMPT\" = 2 ] || exit 1; $SLUICE mark || exit 75; echo run >> \"$WITNESS\"";
    place.run_with("k", &["--marked", "--tries", "3"], second).expect(0);
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "succeeded"));
    // By its own word, which is believed; but the next try is the next delivery's.
    let (place, status) = past_its_mark(&["--exit", "75=released"], "exit 75");
    assert_eq!((place.witnessed(), status.as_str()), (1, "released"));
    // What a try left running could pass the mark beside the next one.
    let place = Place::new();
    let leaves = "echo run >> \"$WITNESS\"; sleep 30 > /dev/null 2>&1 & exit 1";
    place.run_with("k", &["--marked", "--tries", "3"], leaves).expect(1);
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "released"));
    // Also in a group of its own, as by timeout(1), where it still holds the lock that it inherited.
    let place = Place::new();
    let leaves = "setsid sh -c 'sleep 1; $SLUICE mark && echo run >> \"$WITNESS\"' > /dev/null 2>&1 & sleep 0.2; \
                  [ \"$SLUICE_ATTEMPT\" = 1 ] && exit 75; sleep 2; $SLUICE mark && echo run >> \"$WITNESS\"";
    place.run_with("k", &["--marked", "--tries", "2"], leaves).expect(75);
    until("what was left ends", || place.is_idle());
    assert!(place.witnessed() <= 1, "{}", place.witnessed());
}

#[test]
fn the_input_is_there_for_every_try() {
    let place = Place::new();
    let input = place.write("in", "hello");
    let mut command = place.command(words(
        "k",
        &["--stdin", "--exit", "75=released", "--tries", "3"],
        "cat; echo; exit 75",
    ));
    let output = command.stdin(std::fs::File::open(input).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "hello\nhello\nhello\n");
}

#[test]
fn what_nobody_knows_is_tried_again_only_where_the_target_recognises_the_key() {
    let place = Place::new();
    place.run_with("k", &["--tries", "3"], COUNTED).expect(9);
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "indeterminate"));
    let place = Place::new();
    let told = place.run_with("k", &["--tries", "3", "--downstream", "stripe"], COUNTED);
    let keys: Vec<_> = told.expect(9).stdout().lines().map(str::to_owned).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0] && key.len() == 64), "{keys:?}");
    assert_eq!(place.status("k"), "indeterminate");
    // The window of the target is open, so that another delivery may send the same key again.
    let again = ["--downstream", "stripe", "--on-indeterminate", "reclaim"];
    let told = place.run_with("k", &again, COUNTED);
    assert_eq!(told.expect(9).stdout().trim(), keys[0]);
    assert_eq!(place.witnessed(), 4);
    place.run_with("k", &["--on-indeterminate", "reclaim"], COUNTED).expect(2);
    assert_eq!(place.witnessed(), 4);
}

#[test]
fn a_target_is_named_or_described_and_what_is_wrong_with_it_is_said() {
    let place = Place::new();
    let described = "name = \"psp\"\nheader = \"Idempotency-Key\"\nremembers_ms = 86400000\nmax_key_len = 40";
    let told = place.run_with("k", &["--downstream", described], "printf %s \"$SLUICE_DOWNSTREAM_KEY\"");
    assert_eq!(told.expect(0).stdout().len(), 40);
    let file = place.write("psp.toml", described);
    let file = format!("@{}", file.display());
    place.run_with("k2", &["--downstream", &file], "true").expect(0);
    for (wrong, said) in [
        ("stirpe", "it knows stripe"),
        ("name = ", "neither a known name nor a table"),
        ("name = \"psp\"\nheadr = \"x\"", "\"header\" may be meant"),
    ] {
        let told = place.run_with("k3", &["--downstream", wrong], "true");
        assert!(told.expect(2).stderr().contains(said), "{}", told.stderr());
    }
    place.run_with("k3", &["--downstream", "@/nowhere"], "true").expect(65);
}

#[test]
fn a_probe_is_asked_about_what_nobody_knows() {
    let place = Place::new();
    let probing = |key: &str, probe: &str, script: &str| {
        place.sluice(["run", "--key", key, "--probe", probe, "--", "sh", "-c", script])
    };
    for key in ["a", "b", "c", "d"] {
        place.sluice(["run", "--key", key, "--", "sh", "-c", "exit 9"]).expect(9);
    }
    assert_eq!(probing("a", "echo receipt $SLUICE_EPOCH", "exit 9").expect(0).stdout(), "receipt 1\n");
    assert_eq!(probing("a", "exit 10", "exit 9").expect(0).stdout(), "receipt 1\n", "it is known now");
    probing("b", "exit 10", "exit 9").expect(9);
    assert_eq!(place.sluice(["effects", "show", "b", "--json"]).expect(0).json()["epoch"], 2);
    probing("c", "exit 3", "exit 9").expect(90);
    probing("d", "kill -9 $$", "exit 9").expect(90);
    // The delivery's time is over for the probe too.
    let began = Instant::now();
    let hangs =
        ["run", "--key", "d", "--probe", "sleep 60", "--deadline", "300ms", "--", "sh", "-c", "exit 9"];
    place.sluice(hangs).expect(90);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let mistyped = ["recover", "--probe", "no-such-probe --at-all"];
    let told = place.sluice(mistyped);
    assert!(told.expect(127).stderr().contains("the probe is no command"), "{}", told.stderr());
    place.sluice(["run", "--key", "x", "--on-indeterminate", "probe", "--", "true"]).expect(2);
}

#[test]
fn recovery_settles_what_ended_without_a_word_and_runs_nothing() {
    let place = Place::new();
    let mut running = place.command(words("k", &[], "echo > \"$WITNESS\"; sleep 60")).spawn().unwrap();
    until("the command runs", || place.witnessed() > 0);
    let group = common::group_of_child(&running).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    common::kill("KILL", -group);
    let round = |flags: &[&str]| place.sluice([&["recover", "--json"], flags].concat()).expect(0).json();
    until("it is seen to be gone", || round(&[])["in_doubt"] == 1);
    assert_eq!(place.status("k"), "indeterminate");
    assert_eq!(round(&["--probe", "exit 3"])["probed"], 0);
    let settled = round(&["--probe", "exit 10"]);
    assert_eq!((&settled["probed"], &settled["in_doubt"]), (&1.into(), &0.into()));
    assert_eq!((place.status("k").as_str(), place.witnessed()), ("released", 1));
    place.sluice(["recover", "--every", "1s"]).expect(2);
}

#[test]
fn a_watching_recovery_goes_on_until_it_is_ended() {
    let place = Place::new();
    place.run("k", "exit 9").expect(9);
    let mut command = place.command(["recover", "--watch", "--every", "50ms", "--probe", "exit 10"]);
    let mut watching = command.spawn().unwrap();
    until("the watcher has asked", || place.status("k") == "released");
    common::kill("TERM", i64::from(watching.id()));
    assert!(watching.wait().unwrap().success());
}

#[test]
fn a_deadline_ends_the_command_and_the_waiting() {
    let place = Place::new();
    let began = Instant::now();
    // Nobody knows what a command did that was ended in the middle; whoever says so by its status is not believed.
    place
        .run_with("k", &["--deadline", "1s", "--tries", "3"], "trap 'exit 0' TERM; sleep 30 & wait")
        .expect(90);
    assert_eq!(place.status("k"), "indeterminate");
    let mut running = place.command(words("held", &[], "echo > \"$WITNESS\"; sleep 30")).spawn().unwrap();
    until("the command runs", || place.witnessed() > 0);
    let told = place.run_with("held", &["--deadline", "1s"], "echo > \"$WITNESS\"; sleep 30");
    assert!(told.expect(75).stderr().contains("E_DEADLINE"), "{}", told.stderr());
    common::kill("TERM", i64::from(running.id()));
    running.wait().unwrap();
    assert!(began.elapsed() < Duration::from_secs(25));
}

#[test]
fn somebody_who_ends_the_command_does_not_want_it_tried_again() {
    let place = Place::new();
    let script = "echo > \"$WITNESS\"; trap 'exit 75' TERM; sleep 30 & wait";
    let mut running =
        place.command(words("k", &["--exit", "75=released", "--tries", "5"], script)).spawn().unwrap();
    until("the command runs", || place.witnessed() > 0);
    common::kill("TERM", i64::from(running.id()));
    assert_eq!(running.wait().unwrap().code(), Some(75));
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "released"));
}

#[test]
fn a_run_that_is_killed_between_two_tries_leaves_no_doubt_that_it_is_gone() {
    let place = Place::new();
    let flags = ["--exit", "75=released", "--tries", "9"];
    let mut running = place.command(words("k", &flags, "echo run >> \"$WITNESS\"; exit 75")).spawn().unwrap();
    until("two tries were made", || place.witnessed() >= 2);
    running.kill().unwrap();
    running.wait().unwrap();
    until("it is seen to be gone", || {
        place.sluice(["recover", "--json"]).expect(0).json();
        place.status("k") == "indeterminate"
    });
}

#[test]
fn commands_that_name_one_circuit_spare_its_target_together() {
    let place = Place::new();
    for call in 0..5 {
        place.run_with(&format!("call {call}"), &["--circuit", "psp"], "exit 9").expect(9);
    }
    let refused = place.run_with("next", &["--circuit", "psp"], "echo run >> \"$WITNESS\"");
    let said = refused.expect(69).stderr();
    assert!(said.contains("E_CIRCUIT_OPEN") && said.contains("not before"), "{said}");
    assert_eq!(place.witnessed(), 0);
    place.sluice(["effects", "show", "next"]).expect(65);
    place.run_with("next", &["--circuit", "mail"], "echo run >> \"$WITNESS\"").expect(0);
    place.run_with("other", &[], "true").expect(0);
    assert_eq!(
        place.run_with("call 0", &["--circuit", "psp"], "exit 9").expect(90).status(),
        90,
        "what is known is told"
    );
}
