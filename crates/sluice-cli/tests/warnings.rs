//! What is said about keys that should not be keys, and what that leaves untouched.

mod common;

use common::{Answer, Place};
use std::io::Write;
use std::process::Stdio;

const README: &str = include_str!("../../../README.md");

const INTENT: &str = r#"{"tool":"charge","args":{"order":"o-17","created_at":1764493200,"updated_at":"2026-11-30T10:00:00Z","sentAt":1764493200123},"message_id":"m-secret"}"#;

fn derive_lines(place: &Place, flags: &[&str], text: &str) -> Answer {
    let mut command = place.command(["key", "derive", "--jsonl"].iter().chain(flags));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Answer(child.wait_with_output().unwrap())
}

#[test]
fn a_derived_key_is_printed_as_ever_and_a_line_for_each_kind_says_what_to_do() {
    let place = Place::new();
    let answer = place.sluice(["key", "derive", INTENT]);
    assert_eq!(answer.expect(0).stdout().len(), 65, "the key alone is on stdout");
    let said = answer.stderr();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(
        lines[0].starts_with("sluice: warning: /message_id looks like the id of one delivery: a redelivery")
    );
    assert!(lines[1].starts_with(
        "sluice: warning: 3 members look like a clock (/args/created_at, /args/sentAt and 1 more): a retry"
    ));
    assert_eq!(lines[2], "  where it is meant so: --no-warn");
    assert!(!said.contains("secret") && !said.contains("1764493200"), "no value is shown: {said}");
    assert_eq!(place.sluice(["key", "derive", "--no-warn", INTENT]).expect(0).stderr(), "");
    let canonical = place.sluice(["key", "derive", "--canonical", INTENT]);
    assert_eq!(canonical.expect(0).stderr(), said);
    assert_eq!(place.sluice(["key", "derive", r#""jo@example.org""#]).stderr().lines().count(), 2);
}

#[test]
fn many_lines_are_told_of_together() {
    let place = Place::new();
    let text = format!("{INTENT}\n{{\"order\":7}}\n{{\n{INTENT}\n{{\"to\":[\"a@example.org\"]}}");
    let answer = derive_lines(&place, &[], &text);
    assert_eq!(answer.expect(65).stdout().lines().count(), 5);
    let said = answer.stderr();
    assert_eq!(said.lines().count(), 4, "{said}");
    for part in [
        "2 of 4 lines hold what looks like the id of one delivery (/message_id): ",
        "2 of 4 lines hold what looks like a clock (/args/created_at, /args/sentAt and more): ",
        "1 of 4 lines hold what looks like an e-mail address (/to/0): ",
    ] {
        assert!(said.contains(part), "{part:?} is missing in\n{said}");
    }
    assert_eq!(derive_lines(&place, &["--no-warn"], &text).expect(65).stderr(), "");
    assert_eq!(derive_lines(&place, &[], "{\"order\":7}\n").expect(0).stderr(), "");
}

#[test]
fn a_run_warns_about_its_intent_and_its_key_and_runs_all_the_same() {
    let place = Place::new();
    let run = |flags: &[&str]| place.sluice(["run"].iter().chain(flags).chain(&["--", "echo", "done"]));
    let answer = run(&["--intent", INTENT]);
    assert_eq!(answer.expect(0).stdout(), "done\n");
    assert!(answer.stderr().contains("warning: /message_id looks like the id of one delivery"));
    let args = run(&["--args", r#"{"order":"o-17","attempt":2}"#, "--actor", "jo@example.org"]).stderr();
    assert!(args.contains("/args/attempt looks like an attempt counter"), "{args}");
    assert!(args.contains("/actor looks like an e-mail address"), "{args}");
    let key = "charge:jo@example.org:2026-11-30T10:00:00Z";
    let made = run(&["--key", key]).stderr();
    assert!(made.contains("the key holds what looks like a clock: "), "{made}");
    assert!(made.contains("the key holds what looks like an e-mail address: "), "{made}");
    assert!(run(&["--key", key]).stderr().contains("warning"), "a replay has the same key");
    assert!(!run(&["--key", key, "--no-warn"]).stderr().contains("warning"));
}

#[test]
fn what_is_only_compared_or_only_executed_is_not_in_the_key() {
    let place = Place::new();
    let fingerprint = ["run", "--key", "k", "--fingerprint", INTENT, "--", "echo", "2026-11-30T10:00:00Z"];
    assert!(!place.sluice(fingerprint).expect(0).stderr().contains("warning"));
    let tool = ["run", "--key", "o-17", "--tool", "mail jo@example.org", "--", "true"];
    assert!(!place.sluice(tool).expect(0).stderr().contains("warning"));
}

#[test]
fn the_document_holds_the_warnings_and_stdout_nothing_else() {
    let place = Place::new();
    let run = |flags: &[&str]| {
        place.sluice(["run", "--json", "--intent", INTENT].iter().chain(flags).chain(&["--", "true"]))
    };
    let document = run(&[]).expect(0).json();
    let warnings = document["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 4);
    assert_eq!(warnings[3]["kind"], "delivery_id");
    assert_eq!(warnings[3]["path"], "/message_id");
    assert!(warnings[3]["advice"].as_str().unwrap().contains("leave it out"));
    assert_eq!(run(&["--no-warn"]).expect(0).json()["warnings"], serde_json::json!([]));
}

#[test]
fn nothing_that_the_readme_shows_is_suspected() {
    let place = Place::new();
    let shown: Vec<&str> =
        README.split("'{").skip(1).filter_map(|rest| rest.split_once("}'")).map(|(json, _)| json).collect();
    assert!(shown.len() >= 4, "{shown:?}");
    for json in shown {
        assert_eq!(place.sluice(["key", "derive", &format!("{{{json}}}")]).expect(0).stderr(), "", "{json}");
    }
    let keys = README.split("--key ").skip(1).filter_map(|rest| rest.split([' ', '`', ',', '\n']).next());
    for key in keys {
        assert!(!place.run(key, "true").expect(0).stderr().contains("warning"), "{key}");
    }
}
