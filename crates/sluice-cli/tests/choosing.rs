//! The worked contracts, and the commands that look through contracts and try them.

mod common;

use common::Place;
use std::path::{Path, PathBuf};

fn worked() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands/key/worked");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    files
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn nothing_is_found_in_a_worked_contract_and_it_tells_every_case_apart() {
    let place = Place::new();
    assert_eq!(worked().len(), 8);
    for path in worked() {
        let lint = place.sluice(["key", "lint", text(&path), "--exit-code"]);
        assert_eq!(lint.status(), 0, "{}: {}", path.display(), lint.stdout());
        let sample = path.with_extension("json");
        let with_sample = place.sluice([
            "key",
            "lint",
            text(&path),
            "--exit-code",
            "--sample",
            &format!("@{}", text(&sample)),
        ]);
        assert_eq!(with_sample.status(), 0, "{}: {}", path.display(), with_sample.stdout());
        let test = place.sluice(["key", "test", "--contract", text(&path), "--sample", text(&sample)]);
        assert_eq!(test.status(), 0, "{}: {}{}", path.display(), test.stdout(), test.stderr());
        assert!(test.stdout().contains("ok    new action with the same values"), "{}", test.stdout());
    }
}

#[test]
fn init_writes_a_contract_once_and_leaves_what_is_there() {
    let place = Place::new();
    for source in ["github-webhook", "stripe-webhook", "cron", "queue", "mcp-tool"] {
        let shown = place.sluice(["key", "init", "--from", source, "--to", "-"]);
        assert!(shown.expect(0).stdout().contains("version = 1"));
    }
    place.sluice(["key", "init", "--from", "queue"]).expect(0);
    place.sluice(["key", "lint"]).expect(0);
    let again = place.sluice(["key", "init", "--from", "cron"]);
    assert!(again.expect(78).stderr().contains("left as it is"));
    assert!(place.sluice(["key", "lint"]).stdout().contains("one shipment for each order"));
}

#[test]
fn a_bad_key_exits_1_and_says_what_to_write_instead() {
    let place = Place::new();
    let parts = place.sluice([
        "key",
        "lint",
        "--parts",
        r#"{"tool":"charge_card","customerId":"c","amountCents":5}"#,
    ]);
    let said = parts.expect(1).stdout();
    assert!(said.contains("two equal orders of one customer") && said.contains("instead:"), "{said}");
    place.write(
        "sluice.toml",
        "version = 1\n[effect.pay]\nidentity = [\"event_id\"]\nfingerprint = [\"x\"]\n",
    );
    place.sluice(["key", "lint"]).expect(0);
    place.sluice(["key", "lint", "--exit-code"]).expect(1);
    let document = place.sluice(["key", "lint", "--json"]).stdout();
    assert!(document.contains(r#""id":"event-id""#) && document.contains(r#""v":1"#), "{document}");
    place.write("old.toml", "version = 1\n[effect.pay]\nidentity = [\"order_id\"]\n");
    let changed = place.sluice(["key", "lint", "--previous", "old.toml"]);
    assert!(changed.expect(1).stdout().contains("derivation-changed"));
}

#[test]
fn the_cases_show_what_a_bad_contract_would_do() {
    let place = Place::new();
    let test = |identity: &str, event: &str| {
        place.write("sluice.toml", format!("version = 1\n[effect.pay]\nidentity = {identity}\n"));
        place.sluice(["key", "test", "--sample", event])
    };
    let by_message = test("[\"message_id\"]", r#"{"message_id":"m-1","order_id":"o-1"}"#);
    assert!(by_message.expect(1).stdout().contains("wrong repeated event"));
    let by_amount =
        test("[\"customer_id\", \"amount\"]", r#"{"customer_id":"c","amount":5,"order_id":"o-1"}"#);
    assert!(by_amount.expect(1).stdout().contains("wrong new action with the same values"));
    let whole = test("[\"body\"]", r#"{"body":{"order_id":"o-1","sent_at":"2026-11-30T10:00:00Z"}}"#);
    assert!(whole.expect(1).stdout().contains("wrong second event for the same action"));
    let missing = test("[\"order\"]", r#"{"order_id":"o-1"}"#);
    assert!(missing.expect(65).stderr().contains("order"));
}

#[test]
fn the_schema_names_every_member_and_no_other() {
    let schema = Place::new().sluice(["contract", "schema"]).expect(0).stdout();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let effect = &schema["properties"]["effect"]["additionalProperties"]["properties"];
    let names: Vec<_> = effect.as_object().unwrap().keys().cloned().collect();
    let mut known: Vec<_> =
        sluice::core::contract::FIELDS.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.sort();
    assert_eq!(names, known);
}
