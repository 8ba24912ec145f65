//! What people type: resolve, list, show, explain, key derive, demo.

mod common;

use common::{Answer, Place};
use std::io::Write;
use std::process::Stdio;

fn in_doubt(place: &Place, key: &str) {
    place.run(key, "exit 3").expect(3);
    assert_eq!(place.status(key), "indeterminate");
}

#[test]
fn a_verdict_says_what_it_did_and_the_same_again_is_fine() {
    let place = Place::new();
    in_doubt(&place, "k");
    let resolve =
        || place.sluice(["effects", "resolve", "k", "--did-not-land", "--by", "ada", "--reason", "looked"]);
    assert_eq!(resolve().expect(0).stdout(), "k epoch 1: indeterminate → released (did not land) by ada\n");
    assert!(resolve().expect(0).stdout().contains("already"));
    place.sluice(["effects", "resolve", "k", "--landed", "--reason", "no"]).expect(91);
    assert_eq!(place.run("k", "exit 3").expect(3).status(), 3, "a released intent runs again");
}

#[test]
fn a_result_given_with_a_verdict_is_what_a_replay_prints() {
    let place = Place::new();
    in_doubt(&place, "k");
    place
        .sluice([
            "effects",
            "resolve",
            "k",
            "--landed",
            "--result",
            r#"{"b":1, "a":"x"}"#,
            "--reason",
            "looked",
        ])
        .expect(0);
    assert_eq!(
        place.run_with("k", &["--quiet-replay"], "exit 3").expect(0).stdout(),
        "{\"a\":\"x\",\"b\":1}\n"
    );
    in_doubt(&place, "without");
    place.sluice(["effects", "resolve", "without", "--landed", "--reason", "looked"]).expect(0);
    place.run("without", "exit 3").expect(94);
}

#[test]
fn a_verdict_needs_a_reason_a_judgement_and_a_record_in_doubt() {
    let place = Place::new();
    in_doubt(&place, "k");
    place.sluice(["effects", "resolve", "k", "--landed"]).expect(2);
    place.sluice(["effects", "resolve", "k", "--landed", "--reason", " "]).expect(2);
    place.sluice(["effects", "resolve", "k", "--reason", "x"]).expect(2);
    place.sluice(["effects", "resolve", "k", "--did-not-land", "--epoch", "7", "--reason", "x"]).expect(91);
    place.sluice(["effects", "resolve", "k", "--landed", "--result", "{", "--reason", "x"]).expect(65);
    place.run("done", "true").expect(0);
    place.sluice(["effects", "resolve", "done", "--did-not-land", "--reason", "x"]).expect(91);
    place.sluice(["effects", "resolve", "do", "--landed", "--reason", "x"]).expect(2);
    place.sluice(["effects", "resolve", "nobody", "--landed", "--reason", "x"]).expect(65);
}

#[test]
fn keys_may_be_given_by_a_unique_beginning_for_reading() {
    let place = Place::new();
    place.run("alpha-1", "true").expect(0);
    place.run("alpha-2", "true").expect(0);
    place.run("beta", "true").expect(0);
    assert!(place.sluice(["effects", "show", "bet"]).expect(0).stdout().contains("beta"));
    place.sluice(["effects", "show", "alpha"]).expect(65);
    place.run("alpha", "true").expect(0);
    assert_eq!(
        place.sluice(["effects", "show", "alpha", "--json"]).expect(0).json()["key"],
        "alpha",
        "an exact match wins"
    );
    assert_eq!(place.sluice(["effects", "show", "--last", "--json"]).expect(0).json()["key"], "alpha");
}

#[test]
fn lists_are_newest_first_and_filter() {
    let place = Place::new();
    place.run("one", "true").expect(0);
    in_doubt(&place, "two");
    let keys = |answer: Answer| -> Vec<String> {
        let items = answer.expect(0).json()["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(place.sluice(["effects", "list", "--json"])), ["two", "one"]);
    assert_eq!(keys(place.sluice(["effects", "list", "--json", "--status", "indeterminate"])), ["two"]);
    assert_eq!(keys(place.sluice(["effects", "list", "--json", "--limit", "1"])), ["two"]);
    assert_eq!(keys(place.sluice(["effects", "list", "--json", "--tool", "nothing"])), Vec::<String>::new());
    assert_eq!(keys(place.sluice(["effects", "list", "--json", "--since", "1h"])).len(), 2);
    assert_eq!(place.sluice(["effects", "list"]).expect(0).stdout().lines().count(), 2);
}

#[test]
fn an_explanation_tells_the_story_and_what_to_type() {
    let place = Place::new();
    in_doubt(&place, "k");
    let told = place.sluice(["explain", "k"]).expect(0).stdout();
    for part in [
        "epoch 1: claimed",
        "does not know whether it happened",
        "nobody knows whether it happened",
        "sluice effects resolve k --landed",
    ] {
        assert!(told.contains(part), "{part:?} is missing in\n{told}");
    }
    let document = place.sluice(["explain", "k", "--json"]).expect(0).json();
    assert_eq!((&document["v"], &document["events"][0]["event"]), (&1.into(), &"effect.claimed".into()));
}

#[test]
fn hostile_text_never_reaches_the_terminal_as_control_characters() {
    let place = Place::new();
    place.sluice(["run", "--key", "k", "--tool", "\u{1b}[31mred", "--", "true"]).expect(0);
    let told =
        place.sluice(["explain", "k"]).expect(0).stdout() + &place.sluice(["effects", "list"]).stdout();
    assert!(!told.contains('\u{1b}') && told.contains("\\u{1b}[31mred"));
}

fn derive(place: &Place, flags: &[&str], text: &[u8]) -> Answer {
    let mut command = place.command(["key", "derive"].iter().chain(flags));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A refusal may come before everything is read.
    let _ = child.stdin.take().unwrap().write_all(text);
    Answer(child.wait_with_output().unwrap())
}

const SEED: &str = r#"{"tool":"send_email","actor":"agent-42","runId":"run_8f21","args":{"to":"customer@example.com","template":"receipt"}}"#;

#[test]
fn the_seed_intent_has_its_known_key_on_every_way_in() {
    let place = Place::new();
    let key = "aafba8bf689d13477a5e9d3e16577d328cea7e75964a4c1d71fcfe444222f57a\n";
    let file = place.write("intent.json", SEED);
    assert_eq!(place.sluice(["key", "derive", SEED]).expect(0).stdout(), key);
    assert_eq!(place.sluice(["key", "derive", &format!("@{}", file.display())]).expect(0).stdout(), key);
    assert_eq!(derive(&place, &[], SEED.as_bytes()).expect(0).stdout(), key);
    assert_eq!(derive(&place, &["-"], format!(" \n{SEED}\r\n").as_bytes()).expect(0).stdout(), key);
    let canonical = derive(&place, &["--canonical"], SEED.as_bytes()).expect(0).stdout();
    assert!(canonical.starts_with(r#"{"actor":"agent-42","args":{"template""#), "{canonical}");
}

#[test]
fn what_is_no_single_json_text_is_refused() {
    let place = Place::new();
    for text in [&b"\xef\xbb\xbf1"[..], b"\xff", b"1 2", b"", b"{\"a\":1,\"a\":2}", b"1e400", b"\"\\ud800\""]
    {
        assert!(derive(&place, &[], text).expect(65).stderr().contains("E_INVALID_INPUT"), "{text:?}");
    }
    assert!(derive(&place, &[], &vec![b'['; 10_000]).expect(65).stderr().contains("E_INVALID_INPUT"));
    assert!(derive(&place, &[], &vec![b' '; 17 * 1024 * 1024]).expect(65).stderr().contains("16 MiB"));
}

#[test]
fn lines_are_answered_in_order_and_one_bad_line_spoils_no_other() {
    let place = Place::new();
    let answer = derive(&place, &["--jsonl"], b"1\n\n{\"a\":}\n[]\n");
    let lines: Vec<serde_json::Value> =
        answer.expect(65).stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["canonical"], &lines[3]["canonical"]), (&"1".into(), &"[]".into()));
    assert!(lines[1]["error"]["code"] == "E_INVALID_INPUT" && lines[2]["error"]["code"] == "E_INVALID_INPUT");
    assert_eq!(derive(&place, &["--jsonl"], b"1\n2").expect(0).stdout().lines().count(), 2);
}

#[test]
fn the_crash_demo_shows_one_charge() {
    let place = Place::new();
    let told = place.sluice(["demo", "crash"]).expect(0).stdout();
    assert!(told.contains("charges in the end: 1") && told.contains("exit status 90"), "{told}");
}

#[test]
fn the_unstable_key_demo_shows_two_charges_and_one() {
    let place = Place::new();
    let answer = place.sluice(["demo", "unstable-key"]);
    let told = answer.expect(0).stdout();
    let counts: Vec<_> = told.lines().filter(|line| line.starts_with("charges: ")).collect();
    assert_eq!(counts, ["charges: 1", "charges: 2", "charges: 1", "charges: 1"], "{told}");
    assert_eq!(told.matches("receipt 1\n").count(), 3, "the last one is a replay: {told}");
    assert!(told.trim_end().ends_with("the order does, the message id does not."), "{told}");
    assert!(answer.stderr().contains("/args/message_id looks like the id of one delivery"));
}

#[test]
fn completions_and_manual_pages_come_from_the_command_itself() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.sluice(["completions", shell]).expect(0).stdout().contains("resolve"), "{shell}");
    }
    assert!(place.sluice(["man"]).expect(0).stdout().contains(".TH sluice 1"));
    place.sluice(["man", "--out", "."]).expect(0);
    assert!(place.path("sluice-run.1").exists() && !place.path("sluice-__launch.1").exists());
    place.sluice(["man", "--out", "nowhere"]).expect(65);
}
