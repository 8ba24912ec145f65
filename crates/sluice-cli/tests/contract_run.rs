//! `sluice run --event`: everything follows from the contract.

mod common;

use common::{Answer, Place};

const CONTRACT: &str = r#"version = 1

[effect.create_invoice]
one         = "standard invoice"
for_each    = "approved order"
identity    = ["args.order_id", "args.invoice_type"]
scope       = ["tenant_id"]
fingerprint = ["args.total"]
object_id   = "result.invoice_id"
delivery    = "headers.x-delivery"
tries       = 2
"#;

/// Says which invoice it made, and leaves a trace.
const SCRIPT: &str = r#"echo made >> "$WITNESS"; echo '{"invoice_id":"in-1"}'"#;

fn event(delivery: &str, order: &str, total: u32) -> String {
    format!(
        r#"{{"headers":{{"X-Delivery":"{delivery}"}},"tenant_id":"t1","args":{{"order_id":"{order}","invoice_type":"standard","total":{total}}}}}"#
    )
}

fn with_contract() -> Place {
    let place = Place::new();
    place.write("sluice.toml", CONTRACT);
    place
}

fn run(place: &Place, flags: &[&str], event: &str) -> Answer {
    let words = ["run", "--event", event].into_iter().chain(flags.iter().copied());
    place.sluice(words.chain(["--", "sh", "-c", SCRIPT]))
}

#[test]
fn two_deliveries_of_one_action_run_it_once_and_two_equal_orders_stay_two() {
    let place = with_contract();
    run(&place, &[], &event("d1", "o-17", 500)).expect(0);
    let second = run(&place, &[], &event("d2", "o-17", 500));
    assert!(second.expect(0).stdout().contains("in-1"));
    assert_eq!(place.witnessed(), 1);
    run(&place, &["--effect", "create_invoice"], &event("d3", "o-18", 500)).expect(0);
    assert_eq!(place.witnessed(), 2);
    let told = run(&place, &["--json"], &event("d4", "o-17", 500)).stdout();
    assert!(told.contains(r#""object_id":"in-1""#), "{told}");
    let changed = run(&place, &[], &event("d5", "o-17", 501));
    assert!(changed.expect(91).stderr().contains("E_KEY_CONFLICT"));
}

#[test]
fn a_contract_is_found_in_the_folder_above_and_may_be_named() {
    let place = with_contract();
    std::fs::create_dir_all(place.path("a/b")).unwrap();
    let below = |words: &[&str]| {
        let mut command = place.command(words);
        Answer(command.current_dir(place.path("a/b")).output().unwrap())
    };
    let event = event("d1", "o-17", 1);
    below(&["run", "--event", &event, "--", "sh", "-c", SCRIPT]).expect(0);
    run(&place, &["--contract", "sluice.toml"], &event).expect(0);
    assert_eq!(place.witnessed(), 1);
    let none = run(&Place::new(), &[], &event);
    assert!(none.expect(78).stderr().contains("sluice key init"));
}

#[test]
fn an_event_or_a_contract_that_does_not_fit_runs_nothing_and_says_why() {
    let place = with_contract();
    let missing = run(&place, &[], r#"{"tenant_id":"t1","args":{"order_id":"o-17"}}"#);
    assert!(missing.expect(65).stderr().contains("args.invoice_type"));
    let unknown = run(&place, &["--effect", "create_invoce"], &event("d", "o", 1));
    assert!(unknown.expect(78).stderr().contains("create_invoice may be meant"));
    assert_eq!(run(&place, &["--effect", "create_invoice", "--key", "k"], &event("d", "o", 1)).status(), 2);
    place.write("sluice.toml", CONTRACT.replace("scope ", "scpe "));
    let wrong = run(&place, &[], &event("d", "o", 1));
    assert!(
        wrong
            .expect(78)
            .stderr()
            .contains("sluice.toml:7: [effect.create_invoice] has no member scpe: scope")
    );
    assert_eq!(place.witnessed(), 0);
}

#[test]
fn what_is_sensitive_needs_a_key_from_the_environment_and_is_written_nowhere() {
    let place = Place::new();
    let contract =
        "version = 1\n[effect.mail]\nidentity = [\"email\"]\nactor = \"email\"\nsensitive = [\"email\"]\n";
    place.write("sluice.toml", contract);
    let event = r#"{"email":"jo@example.org"}"#;
    let refused = run(&place, &[], event);
    assert!(refused.expect(78).stderr().contains("SLUICE_IDENTITY_KEY"));
    let words = ["run", "--json", "--event", event, "--", "sh", "-c", SCRIPT];
    let file = place.write("keys", "k1:a-secret-of-the-application\n");
    let by_text =
        place.command(words).env("SLUICE_IDENTITY_KEY", "k1:a-secret-of-the-application").output().unwrap();
    let by_file = place.command(words).env("SLUICE_IDENTITY_KEY_FILE", file).output().unwrap();
    assert_eq!((Answer(by_text).status(), Answer(by_file).status(), place.witnessed()), (0, 0, 1));
    let ledger = std::fs::read(place.path("ledger.db")).unwrap();
    let journal = std::fs::read(place.path("ledger.db-wal")).unwrap_or_default();
    for bytes in [ledger, journal] {
        assert!(!bytes.windows(14).any(|found| found == b"jo@example.org"));
    }
}

#[test]
fn a_flag_goes_before_the_contract() {
    let place = with_contract();
    place.write("sluice.toml", format!("{CONTRACT}on_duplicate = \"conflict\"\n"));
    run(&place, &[], &event("d1", "o-17", 1)).expect(0);
    run(&place, &[], &event("d2", "o-17", 1)).expect(91);
    run(&place, &["--on-duplicate", "replay"], &event("d3", "o-17", 1)).expect(0);
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn an_event_that_had_another_key_is_refused_for_as_long_as_the_ledger_does_not_look_it_up() {
    let place = with_contract();
    let previous = "[[effect.create_invoice.previous]]\nidentity = [\"args.order_id\"]\n";
    place.write("sluice.toml", format!("{CONTRACT}{previous}"));
    let refused = run(&place, &[], &event("d1", "o-17", 500));
    assert!(refused.expect(78).stderr().contains("nothing was run"));
    assert_eq!(place.witnessed(), 0);
}
