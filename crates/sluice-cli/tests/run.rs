//! What `sluice run` says and does on a first run and on a replay.

mod common;

use common::{Place, words};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn a_webhook_delivered_twice_acts_once_and_answers_with_the_same_bytes() {
    let place = Place::new();
    let payload = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/github_marketplace_purchase.json");
    let args = format!("@{payload}");
    let deliver = || {
        place.sluice([
            "run",
            "--tool",
            "provision",
            "--args",
            &args,
            "--",
            "sh",
            "-c",
            "echo hit >> $WITNESS; printf 'plan\\0on'",
        ])
    };
    let first = deliver();
    let second = deliver();
    assert_eq!(
        (first.expect(0).0.stdout.as_slice(), second.expect(0).0.stdout.as_slice()),
        (&b"plan\0on"[..], &b"plan\0on"[..])
    );
    assert!(second.stderr().contains("replayed"), "{}", second.stderr());
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn reordered_members_are_the_same_intent_and_another_amount_is_another() {
    let place = Place::new();
    let run = |args: &str| {
        place.sluice(["run", "--tool", "charge", "--args", args, "--", "sh", "-c", "echo hit >> $WITNESS"])
    };
    run(r#"{"order":"o-1","cents":1999}"#).expect(0);
    run(r#" { "cents" : 1.999e3, "order" : "o-1" } "#).expect(0);
    assert_eq!(place.witnessed(), 1);
    run(r#"{"order":"o-1","cents":2000}"#).expect(0);
    assert_eq!(place.witnessed(), 2);
}

#[test]
fn two_tools_with_the_same_arguments_are_two_intents() {
    let place = Place::new();
    place.sluice(["run", "--args", "[1]", "--", "sh", "-c", "echo one"]).expect(0);
    let other = place.sluice(["run", "--args", "[1]", "--", "echo", "two"]);
    assert_eq!(other.expect(0).stdout(), "two\n");
}

#[test]
fn odd_bytes_and_both_streams_come_back_as_they_were() {
    let place = Place::new();
    let script = r"printf '\377\376\000x'; printf 'warn\r\n' >&2";
    let first = place.run("k", script);
    let second = place.run_with("k", &["--quiet-replay"], script);
    assert_eq!(first.expect(0).0.stdout, second.expect(0).0.stdout);
    assert_eq!(second.0.stdout, b"\xff\xfe\0x");
    assert_eq!(second.0.stderr, b"warn\r\n");
}

#[test]
fn a_status_that_nobody_named_is_in_doubt_and_says_what_to_type() {
    let place = Place::new();
    let first = place.run("k", "echo hit >> $WITNESS; exit 3");
    let said = first.expect(3).stderr();
    for line in [
        "E_INDETERMINATE",
        "effects resolve k --landed",
        "effects resolve k --did-not-land",
        "--exit 3=released",
        "--marked",
    ] {
        assert!(said.contains(line), "{line} is missing in {said}");
    }
    place.run("k", "echo hit >> $WITNESS; exit 3").expect(90);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_named_status_means_what_it_was_named() {
    let place = Place::new();
    let flags = ["--exit", "4,10-12=failed", "--exit", "5=released"];
    place.run_with("failed", &flags, "echo no; echo hit >> $WITNESS; exit 11").expect(11);
    let replay = place.run_with("failed", &flags, "echo no; echo hit >> $WITNESS; exit 11");
    assert_eq!((replay.expect(11).stdout().as_str(), place.witnessed()), ("no\n", 1));
    place.run_with("released", &flags, "echo hit >> $WITNESS; exit 5").expect(5);
    assert_eq!(place.status("released"), "released");
    place.run_with("released", &flags, "echo hit >> $WITNESS; exit 5").expect(5);
    assert_eq!(place.witnessed(), 3, "a released intent runs again");
}

#[test]
fn a_command_that_cannot_start_provably_did_nothing() {
    let place = Place::new();
    place.sluice(["run", "--key", "missing", "--", "no-such-command"]).expect(127);
    assert_eq!(place.status("missing"), "released");
    let file = place.write("not-executable", "#!/bin/sh\n");
    place.sluice(["run", "--key", "forbidden", "--", file.to_str().unwrap()]).expect(126);
    assert_eq!(place.status("forbidden"), "released");
}

#[test]
fn a_signal_that_ends_the_command_shows_in_the_status() {
    let place = Place::new();
    place.run("k", "kill -TERM $$").expect(128 + 15);
    assert_eq!(place.status("k"), "indeterminate");
}

#[test]
fn a_key_used_for_another_request_is_refused_and_the_first_record_is_untouched() {
    let place = Place::new();
    place.sluice(["run", "--key", "k", "--", "echo", "secret-one"]).expect(0);
    let before = place.sluice(["effects", "show", "k", "--json"]).stdout();
    let other = place.sluice(["run", "--key", "k", "--", "echo", "two"]);
    assert!(other.expect(91).stderr().contains("E_KEY_CONFLICT"));
    assert!(!other.stderr().contains("secret-one") && other.stdout().is_empty());
    assert_eq!(place.sluice(["effects", "show", "k", "--json"]).stdout(), before);
}

#[test]
fn a_fingerprint_on_one_side_only_is_a_conflict_of_its_own() {
    let place = Place::new();
    place.run_with("k", &["--fingerprint", "none"], "echo one").expect(0);
    let other = place.run("k", "echo one");
    assert!(other.expect(91).stderr().contains("without a fingerprint"), "{}", other.stderr());
    place.run_with("k", &["--fingerprint", "none"], "echo other").expect(0);
}

#[test]
fn stdin_is_part_of_the_request_where_it_is_handed_on() {
    let place = Place::new();
    let run = |text: &[u8]| {
        let mut command =
            place.command(words("k", &["--stdin", "--quiet-replay"], "cat; echo hit >> $WITNESS"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text).unwrap();
        common::Answer(child.wait_with_output().unwrap())
    };
    assert_eq!(run(b"\0one").expect(0).0.stdout, b"\0one");
    assert_eq!(run(b"\0one").expect(0).0.stdout, b"\0one");
    run(b"two").expect(91);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn output_over_a_mebibyte_streams_whole_and_a_replay_says_that_it_is_not_kept() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; head -c 3000000 /dev/zero | tr '\\0' a; echo tail";
    let first = place.run("k", script);
    assert_eq!(first.expect(0).0.stdout.len(), 3_000_005);
    let replay = place.run("k", script);
    assert!(replay.expect(94).stdout().is_empty());
    assert!(replay.stderr().contains("effects show k --output"), "{}", replay.stderr());
    let tail = place.run_with("k", &["--keep-output", "tail"], script);
    let tail = tail.expect(0).stdout();
    assert!(tail.len() == 1024 * 1024 && tail.ends_with("atail\n"));
    let shown = place.sluice(["effects", "show", "k", "--output"]);
    assert_eq!(shown.expect(94).stdout(), tail);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn output_that_is_not_recorded_is_never_replayed_as_empty() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; echo seen";
    assert_eq!(place.run_with("k", &["--keep-output", "none"], script).expect(0).stdout(), "seen\n");
    place.run("k", script).expect(94);
    place.run_with("k", &["--keep-output", "none"], script).expect(0);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_command() {
    let place = Place::new();
    let script = "i=0; while [ $i -lt 200 ]; do echo a line of output that fills a pipe; i=$((i+1)); done; echo hit >> $WITNESS";
    let mut child =
        place.command(words("k", &[], script)).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!((place.witnessed(), place.status("k").as_str()), (1, "succeeded"));
}

#[test]
fn something_that_holds_the_output_open_does_not_hold_the_answer() {
    let place = Place::new();
    let started = std::time::Instant::now();
    let answer = place.run("k", "echo out; sleep 30 & exit 0");
    assert_eq!(answer.expect(0).stdout(), "out\n");
    assert!(started.elapsed().as_secs() < 15, "the background process was waited for");
    assert_eq!(place.run("k", "echo out; sleep 30 & exit 0").expect(0).stdout(), "out\n");
}

#[test]
fn on_duplicate_decides_what_a_repeat_hears() {
    let place = Place::new();
    place.run("k", "echo out").expect(0);
    let told = place.run_with("k", &["--on-duplicate", "already_processed"], "echo out");
    assert_eq!((told.expect(0).stdout().as_str(), told.stderr().lines().count()), ("", 1));
    place.run_with("k", &["--on-duplicate", "conflict"], "echo out").expect(91);
    assert_eq!(place.run("k", "echo out").expect(0).stdout(), "out\n");
}

#[test]
fn json_is_one_document_with_the_streams_inside() {
    let place = Place::new();
    let script = r"printf '\377'; echo aside >&2";
    let first = place.run_with("k", &["--json"], script);
    let document = first.expect(0).json();
    assert_eq!(
        (&document["v"], &document["answer"], &document["status"]),
        (&1.into(), &"executed".into(), &"succeeded".into())
    );
    assert_eq!(document["child"]["stdout"]["base64"], "/w==");
    assert_eq!(document["child"]["stderr"]["text"], "aside\n");
    let replay = place.run_with("k", &["--json", "--quiet-replay"], script);
    let document = replay.expect(0).json();
    assert_eq!((&document["answer"], &document["child"]["ran_now"]), (&"replayed".into(), &false.into()));
    assert_eq!(document["child"]["stdout"]["base64"], "/w==");
    assert!(replay.stderr().is_empty());
    let refused = place.run_with("k", &["--json"], "echo other");
    let document = refused.expect(91).json();
    assert_eq!(
        (&document["answer"], &document["error"]["code"]),
        (&"error".into(), &"E_KEY_CONFLICT".into())
    );
}

#[test]
fn an_outcome_file_says_the_same_and_a_childs_own_90_is_told_apart() {
    let place = Place::new();
    let run = || place.run_with("k", &["--outcome", "out.json", "--exit", "90=failed"], "exit 90");
    run().expect(90);
    let read = || {
        serde_json::from_slice::<serde_json::Value>(&std::fs::read(place.path("out.json")).unwrap()).unwrap()
    };
    assert_eq!((&read()["status"], &read()["exit_status"]), (&"failed".into(), &90.into()));
    run().expect(90);
    assert_eq!(read()["error"]["code"], "E_EFFECT_FAILED");
}

#[test]
fn the_object_that_came_out_is_found_by_pointer() {
    let place = Place::new();
    let flags = ["--object-id", "/invoice/id"];
    place.run_with("k", &flags, r#"echo '{"invoice":{"id":"in_17"}}'"#).expect(0);
    assert_eq!(place.sluice(["effects", "show", "k", "--json"]).json()["object_id"], "in_17");
}

#[test]
fn the_command_gets_its_names_and_one_key_for_the_target() {
    let place = Place::new();
    let script = r#"echo "$SLUICE_KEY|$SLUICE_NAMESPACE|$SLUICE_EPOCH|$SLUICE_ATTEMPT"; echo "$SLUICE_DOWNSTREAM_KEY" >> $WITNESS; exit 5"#;
    let flags = ["--exit", "5=released", "--namespace", "shop"];
    assert_eq!(place.run_with("k", &flags, script).expect(5).stdout(), "k|shop|1|1\n");
    assert_eq!(place.run_with("k", &flags, script).expect(5).stdout(), "k|shop|2|1\n");
    place.run_with("other", &flags, script).expect(5);
    let sent = std::fs::read_to_string(place.path("witness")).unwrap();
    let sent: Vec<_> = sent.lines().collect();
    assert!(sent[0].len() == 64 && sent[0] == sent[1] && sent[0] != sent[2], "{sent:?}");
}

#[test]
fn namespaces_never_see_each_other() {
    let place = Place::new();
    place.run_with("k", &["--namespace", "a"], "echo a").expect(0);
    let other = place.run_with("k", &["--namespace", "b"], "echo b");
    assert_eq!(other.expect(0).stdout(), "b\n");
}

#[test]
fn the_ledger_is_readable_only_by_its_owner() {
    let place = Place::new();
    place.run("k", "echo secret").expect(0);
    for name in ["ledger.db", "ledger.db-wal"] {
        if let Ok(meta) = std::fs::metadata(place.path(name)) {
            assert_eq!(meta.permissions().mode() & 0o077, 0, "{name}");
        }
    }
}

#[test]
fn arguments_are_bytes_and_are_not_stored() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let odd = std::ffi::OsStr::from_bytes(b"pass-\xffword-1234567");
    let words: Vec<&std::ffi::OsStr> =
        ["run", "--key", "k", "--", "true"].iter().map(std::ffi::OsStr::new).chain([odd]).collect();
    place.sluice(&words).expect(0);
    place.sluice(&words).expect(0);
    let stored = [
        std::fs::read(place.path("ledger.db")).unwrap(),
        std::fs::read(place.path("ledger.db-wal")).unwrap_or_default(),
    ]
    .concat();
    assert!(!stored.windows(12).any(|bytes| bytes == b"word-1234567"), "an argument is in the ledger");
}

#[test]
fn usage_that_names_no_intent_is_refused_before_anything_happens() {
    let place = Place::new();
    for flags in [
        &["run", "--", "true"][..],
        &["run", "--tool", "charge", "--", "true"],
        &["run", "--intent", "{}", "--tool", "x", "--", "true"],
        &["run", "--key", "k", "--args", "1", "--", "true"],
        &["run", "--key", "k"],
        &["run", "--key", "k", "--lease", "10ms", "--", "true"],
        &["run", "--key", "k", "--exit", "0=failed", "--", "true"],
        &["run", "--args", "-", "--stdin", "--run-id", "r", "--", "true"],
    ] {
        place.sluice(flags).expect(2);
    }
    assert!(!place.path("ledger.db").exists());
}

#[test]
fn bad_input_is_refused_before_anything_is_claimed() {
    let place = Place::new();
    let long = "k".repeat(201);
    for flags in [
        &["run", "--intent", "[1]", "--", "true"][..],
        &["run", "--intent", "{}", "--", "true"],
        &["run", "--args", r#"{"a":1,"\u0061":2}"#, "--", "true"],
        &["run", "--args", "9007199254740993", "--", "true"],
        &["run", "--args", "@missing.json", "--", "true"],
        &["run", "--key", "", "--", "true"],
        &["run", "--key", &long, "--", "true"],
        &["run", "--key", "a\nb", "--", "true"],
        &["run", "--key", "k", "--namespace", "", "--", "true"],
        &["run", "--key", "k", "--object-id", "no-slash", "--", "true"],
    ] {
        let answer = place.sluice(flags);
        assert!(
            answer.expect(65).stderr().starts_with("sluice: E_INVALID")
                || answer.stderr().contains("cannot be read"),
            "{}",
            answer.stderr()
        );
    }
    assert!(!place.path("ledger.db").exists() || place.sluice(["effects", "list"]).stdout().is_empty());
}

#[test]
fn a_slow_reader_loses_nothing_and_neither_does_the_record() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; seq 1 60000";
    let mut child =
        place.command(words("k", &["--quiet-replay"], script)).stdout(Stdio::piped()).spawn().unwrap();
    let mut from = child.stdout.take().unwrap();
    // The command ends long before its words are read, and what was not read by then must not be lost.
    common::until("the outcome is recorded", || place.status("k") == "succeeded");
    let mut first = Vec::new();
    std::io::Read::read_to_end(&mut from, &mut first).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(first.ends_with(b"59999\n60000\n"), "{} bytes", first.len());
    let replay = place.run_with("k", &["--quiet-replay"], script);
    assert_eq!(replay.expect(0).0.stdout, first);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn json_and_outcome_say_something_even_where_the_ledger_cannot() {
    let place = Place::new();
    let missing = format!("sqlite:{}", place.path("no/ledger.db").display());
    let flags = ["run", "--store", &missing, "--key", "k", "--json", "--outcome", "out.json", "--", "true"];
    let answer = place.sluice(flags);
    let document = answer.expect(78).json();
    assert_eq!((&document["answer"], &document["exit_status"]), (&"error".into(), &78.into()));
    let file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("out.json")).unwrap()).unwrap();
    assert_eq!(file, document);
    let nowhere = place.run_with("k", &["--outcome", "no/out.json"], "echo hit >> $WITNESS");
    assert!(nowhere.expect(65).stderr().contains("--outcome"), "{}", nowhere.stderr());
    assert_eq!(place.witnessed(), 0, "an outcome that cannot be written is found out before anything runs");
    place.run_with("k", &["--json", "--keep-output", "none"], "true").expect(2);
}

#[test]
fn the_commands_that_a_message_suggests_lead_to_the_same_record() {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("other ledger.db").display());
    let run = || {
        place.sluice([
            "run",
            "--store",
            &store,
            "--namespace",
            "n",
            "--key",
            "k 1",
            "--",
            "sh",
            "-c",
            "exit 3",
        ])
    };
    let said = run().expect(3).stderr();
    let line = said.lines().find_map(|line| line.trim().strip_prefix("look: ")).expect("a command to type");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_sluice")).parent().unwrap().to_owned();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let told = std::process::Command::new("sh")
        .args(["-c", line])
        .env("PATH", path)
        .env_remove("SLUICE_STORE")
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("nobody knows whether it happened"), "{line}");
}

#[test]
fn limits_beyond_every_clock_are_no_panic() {
    let place = Place::new();
    let flags =
        ["--timeout", "18446744073709551615s", "--wait", "18446744073709551615s", "--lease", "31000000s"];
    place.run_with("k", &flags, "echo out").expect(0);
    assert_eq!(place.run_with("k", &flags, "echo out").expect(0).stdout(), "out\n");
}
