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

/// A dump of webhooks: 30 orders, each delivered once, four of them twice, and two equal orders of one customer.
fn dump() -> String {
    let line = |action: usize, message: usize| {
        format!(
            r#"{{"at":"2026-11-30T10:00:00Z","action":"order-{action}","event":{{"body":{{"order_id":"o-{action}","customer_id":"c-{}","amount":5}},"headers":{{"X-Message-Id":"m-{message}"}}}}}}"#,
            action / 2
        )
    };
    let mut lines: Vec<_> = (0..30).map(|at| line(at, at)).collect();
    lines.extend((0..4).map(|at| line(at, 100 + at)));
    lines.join("\n") + "\n"
}

fn check(place: &Place, identity: &str, flags: &[&str]) -> common::Answer {
    place.write("sluice.toml", format!("version = 1\n[effect.charge]\nidentity = {identity}\n"));
    place.write("dump.jsonl", dump());
    place.sluice(["key", "check", "dump.jsonl"].iter().chain(flags))
}

#[test]
fn a_check_ends_with_the_count_that_a_manager_understands() {
    let place = Place::new();
    let good = check(&place, "[\"body.order_id\"]", &[]);
    assert!(good.expect(0).stdout().ends_with(
        "with this key 0 of 34 deliveries would have run twice and 0 actions would never have run\n"
    ));
    let twice = check(&place, "[\"body.order_id\", \"headers.x-message-id\"]", &[]).expect(1).stdout();
    assert!(twice.contains("headers.x-message-id changed in 4 of 4"), "{twice}");
    assert!(
        twice.ends_with(
            "with this key 4 of 34 deliveries would have run twice and 0 actions would never have run\n"
        ),
        "{twice}"
    );
    let never = check(&place, "[\"body.customer_id\", \"body.amount\"]", &[]).expect(1).stdout();
    assert!(never.contains("body.order_id tells them apart in 15 of 15"), "{never}");
    assert!(
        never.ends_with(
            "with this key 0 of 34 deliveries would have run twice and 15 actions would never have run\n"
        ),
        "{never}"
    );
    let document = check(&place, "[\"body.order_id\"]", &["--json"]).stdout();
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["deliveries"], &document["ran_twice"]), (&34.into(), &0.into()));
}

#[test]
fn a_file_that_is_none_is_told_with_its_line_and_a_path_that_fits_nothing_with_its_name() {
    let place = Place::new();
    let nothing = check(&place, "[\"body.oder_id\"]", &[]);
    assert!(nothing.expect(65).stdout().contains("body.oder_id"));
    place.write("bad.jsonl", "{\"event\":{}}\n{\"event\":");
    let bad = place.sluice(["key", "check", "bad.jsonl"]);
    assert!(bad.expect(65).stderr().contains("bad.jsonl: line 2: not JSON"));
    assert_eq!(place.sluice(["key", "check", "none.jsonl"]).status(), 65);
    assert_eq!(place.sluice(["key", "check", "bad.jsonl", "--effect", "chrge"]).status(), 78);
}

#[test]
fn raw_events_are_labelled_by_a_pointer_and_pairs_by_their_file() {
    let place = Place::new();
    place.write("sluice.toml", "version = 1\n[effect.charge]\nidentity = [\"id\"]\n");
    place.write("raw.jsonl", "{\"id\":1,\"order\":\"a\"}\n{\"id\":2,\"order\":\"a\"}\n");
    let raw = place.sluice(["key", "check", "raw.jsonl", "--action", "/order"]);
    assert!(raw.expect(1).stdout().contains("1 of 2 deliveries would have run twice"));
    let same = "[{\"id\":1,\"n\":1},{\"id\":1,\"n\":2}]\n[{\"id\":1},{\"id\":2}]\n";
    place.write("same.jsonl", same);
    place.write("different.jsonl", "[{\"id\":1,\"n\":1},{\"id\":1,\"n\":2}]\n");
    let pairs = place.sluice(["key", "check", "--pairs", "same.jsonl", "different.jsonl"]).expect(1).stdout();
    assert!(pairs.contains("line 2 of the same: one action has two keys; what changed: id"), "{pairs}");
    assert!(pairs.contains("1 of 2 pairs of one action would have run twice, and 1 of 1"), "{pairs}");
}

#[test]
fn a_suggestion_can_be_written_linted_and_checked() {
    let place = Place::new();
    place.write("dump.jsonl", dump());
    let told =
        place.sluice(["key", "suggest", "dump.jsonl", "--write", "--effect", "charge"]).expect(0).stdout();
    assert!(told.starts_with(" 1. body.order_id\n"), "{told}");
    assert!(told.contains("left out, since they change within an action: headers.X-Message-Id"), "{told}");
    place.sluice(["key", "lint"]).expect(0);
    place.sluice(["key", "check", "dump.jsonl"]).expect(0);
    let again = place.sluice(["key", "suggest", "dump.jsonl", "--write"]);
    assert!(again.expect(78).stderr().contains("identity = ['body.order_id']"));
    place.write("same.jsonl", "{\"action\":1,\"event\":{\"a\":1}}\n{\"action\":2,\"event\":{\"a\":1}}\n");
    let none = place.sluice(["key", "suggest", "same.jsonl"]);
    assert!(none.expect(1).stdout().contains("lines 1 and 2 are different actions"));
    place.write("one.jsonl", "{\"action\":1,\"event\":{\"a\":1}}\n");
    place.sluice(["key", "suggest", "one.jsonl"]).expect(65);
}

#[test]
fn nothing_is_found_in_a_contract_of_the_guide() {
    let guide = include_str!("../../../docs/choosing-a-key.md");
    let blocks: Vec<_> =
        guide.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 4);
    let place = Place::new();
    for block in blocks {
        place.write("sluice.toml", block);
        let lint = place.sluice(["key", "lint", "--exit-code"]);
        assert_eq!(lint.status(), 0, "{block}{}{}", lint.stdout(), lint.stderr());
    }
}

/// Real payloads, each sent to two hooks, and by one of them twice, as Redeliver does it.
fn webhooks() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sluice-core/tests/data/webhooks");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut lines = String::new();
    for (at, path) in files.iter().enumerate() {
        let body: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for (hook, arrival) in [(1, 0), (1, 1), (2, 0)] {
            let headers = serde_json::json!({
                "x-github-delivery": format!("72d3162e-cc78-11e3-81ab-{at:012}"), "x-github-hook-id": hook.to_string(),
                "x-github-event": "any", "x-request-id": format!("r-{at}-{hook}-{arrival}"),
            });
            let event = serde_json::json!({"headers": headers, "body": body});
            let line = serde_json::json!({"at": 1_764_493_200_000_u64 + arrival, "action": format!("{at} {hook}"), "event": event});
            lines.extend([line.to_string(), "\n".to_owned()]);
        }
    }
    lines
}

#[test]
fn the_worked_contract_of_webhooks_fits_real_payloads_and_bad_ones_are_told_why_not() {
    let place = Place::new();
    place.write("dump.jsonl", webhooks());
    place.sluice(["key", "init", "--from", "github-webhook"]).expect(0);
    let good = place.sluice(["key", "check", "dump.jsonl"]);
    assert!(
        good.expect(0)
            .stdout()
            .contains("deliveries would have run twice and 0 actions would never have run")
    );
    let bad = |identity: &str| {
        place.write("bad.toml", format!("version = 1\n[effect.a]\nidentity = [\"{identity}\"]\n"));
        place.sluice(["key", "check", "dump.jsonl", "--contract", "bad.toml"]).expect(1).stdout()
    };
    let one_hook = bad("headers.X-GitHub-Delivery");
    assert!(one_hook.contains("headers.x-github-hook-id tells them apart"), "{one_hook}");
    assert!(bad("headers.X-Request-Id").contains("headers.X-Request-Id changed"));
    assert!(bad("body.sender.login").contains("actions would never have run"));
}
