//! One bad contract for each rule, and good ones of which nothing is said.

use sluice_core::contract::Contracts;
use sluice_core::key::Json;
use sluice_core::lint::{Lint, Question, Severity, Verdict, changed, contract, contracts, parts};

fn file(text: &str) -> Contracts {
    Contracts::parse(&format!("version = 1\n{text}")).unwrap()
}

fn lint(members: &str) -> Lint {
    let contracts = file(&format!("[effect.pay]\nfingerprint = [\"args.amount\"]\n{members}"));
    contract(contracts.iter().next().unwrap(), None)
}

fn found(lint: &Lint) -> Vec<(&'static str, Severity)> {
    lint.findings.iter().map(|finding| (finding.id, finding.severity)).collect()
}

#[test]
fn every_rule_finds_its_bad_contract() {
    let identity = |path: &str| format!("identity = [\"args.order_id\", '{path}']\n");
    let by_member = [
        ("headers.X-Amzn-Trace-Id", "delivery-id", Severity::Error),
        ("message_id", "delivery-id", Severity::Error),
        ("ReceiptHandle", "delivery-id", Severity::Error),
        ("headers.x-request-id", "delivery-id", Severity::Error),
        ("trace_id", "delivery-id", Severity::Error),
        ("span_id", "delivery-id", Severity::Error),
        ("tool_call_id", "delivery-id", Severity::Error),
        ("attempt", "attempt-counter", Severity::Error),
        ("retry_count", "attempt-counter", Severity::Error),
        ("ApproximateReceiveCount", "attempt-counter", Severity::Error),
        ("created_at", "clock", Severity::Error),
        ("timestamp", "clock", Severity::Error),
        ("nonce", "delivery-id", Severity::Error),
        ("random", "random-value", Severity::Error),
        ("hostname", "hostname", Severity::Error),
        ("worker_id", "hostname", Severity::Error),
        ("event_id", "event-id", Severity::Warning),
        ("headers.X-GitHub-Delivery", "event-id", Severity::Warning),
        ("run_id", "run-id-beside-business-id", Severity::Warning),
        ("body", "whole-payload", Severity::Error),
        ("args", "whole-arguments", Severity::Warning),
        ("args.prompt", "free-text", Severity::Error),
        ("args.email", "personal-data", Severity::Error),
        ("customer.phone", "personal-data", Severity::Error),
    ];
    for (path, id, severity) in by_member {
        let lint = lint(&identity(path));
        assert!(found(&lint).contains(&(id, severity)), "{path}: {:?}", found(&lint));
        let finding = lint.findings.iter().find(|finding| finding.id == id).unwrap();
        assert_eq!(finding.members, [path]);
        assert!(!finding.reason.is_empty() && !finding.instead.is_empty());
    }
    let by_contract = [
        ("identity = [\"customer_id\", \"amount\"]\n", "only-shared-values", Severity::Error),
        ("identity = [\"status\"]\n", "only-shared-values", Severity::Error),
        ("identity = [\"customer_id\"]\n", "party-id-alone", Severity::Warning),
        ("identity = [\"id\"]\nids_unique_in = \"tenant\"\n", "scope-missing", Severity::Error),
        (
            "identity = [\"id\"]\nduplicates_arrive_within = \"14d\"\nremember = \"1d\"\n",
            "remember-too-short",
            Severity::Error,
        ),
        (
            "identity = [\"id\"]\nduplicates_arrive_within = \"30d\"\n",
            "result-kept-too-short",
            Severity::Warning,
        ),
        (
            "identity = [\"id\"]\nduplicates_arrive_within = \"3d\"\ndownstream = \"stripe\"\non_indeterminate = \"reclaim\"\n",
            "target-forgets-first",
            Severity::Warning,
        ),
        (
            "identity = [\"id\"]\ndownstream = \"stripe\"\nalso_writes = [\"crm\"]\n",
            "also-writes",
            Severity::Warning,
        ),
        ("identity = [\"args.amount\", \"x_id\"]\n", "", Severity::Info),
    ];
    for (members, id, severity) in by_contract {
        let lint = lint(members);
        if id.is_empty() {
            assert!(!lint.has_warnings(), "{members}: {:?}", found(&lint));
        } else {
            assert!(found(&lint).contains(&(id, severity)), "{members}: {:?}", found(&lint));
        }
    }
}

#[test]
fn what_is_compared_is_looked_at_too() {
    let one = |text: &str| contract(file(text).iter().next().unwrap(), None);
    assert!(
        found(&one("[effect.a]\nidentity = [\"id\"]\n")).contains(&("no-fingerprint", Severity::Warning))
    );
    let same = one("[effect.a]\nidentity = [\"x.id\", \"y.id\"]\nfingerprint = [\"y.id\", \"x.id\"]\n");
    assert_eq!(found(&same), [("fingerprint-is-identity", Severity::Info)]);
    let unstable = one("[effect.a]\nidentity = [\"id\"]\nfingerprint = [\"args\", \"message_id\"]\n");
    assert_eq!(found(&unstable), [("fingerprint-unstable", Severity::Warning)]);
}

#[test]
fn a_declaration_silences_what_it_answers() {
    assert!(!lint("identity = [\"event_id\"]\none_per_event = true\n").has_warnings());
    assert!(
        !lint("identity = [\"account_id\"]\ndefinition = \"one welcome for each account\"\n").has_warnings()
    );
    assert!(
        !lint("identity = [\"args.email\", \"args.order_id\"]\nsensitive = [\"args.email\"]\n")
            .has_warnings()
    );
    assert!(
        !lint("identity = [\"id\"]\nids_unique_in = \"tenant\"\nscope = [\"tenant_id\"]\n").has_warnings()
    );
    assert!(
        !lint("identity = [\"run_id\"]\n").has_warnings(),
        "the run alone is what there is without a business id"
    );
}

#[test]
fn each_question_has_a_verdict_or_says_what_to_declare() {
    let bare = lint("identity = [\"order_id\"]\n");
    for question in [Question::Uniqueness, Question::Scope, Question::Lifetime, Question::Downstream] {
        assert!(matches!(bare.verdict(question), Verdict::Declare(_)), "{question:?}");
    }
    assert_eq!(
        (bare.verdict(Question::Stability), bare.verdict(Question::Privacy)),
        (Verdict::Ok, Verdict::Ok)
    );
    let whole = lint(concat!(
        "identity = [\"order_id\"]\none = \"charge\"\nfor_each = \"order\"\nids_unique_in = \"global\"\n",
        "duplicates_arrive_within = \"3d\"\ndownstream = \"stripe_v2\"\n"
    ));
    assert!(
        Question::ALL.iter().all(|question| whole.verdict(*question) == Verdict::Ok),
        "{:?}",
        whole.findings
    );
    assert_eq!(
        lint("identity = [\"order_id\", \"attempt\"]\n").verdict(Question::Stability),
        Verdict::Problem
    );
}

#[test]
fn a_sample_tells_what_a_name_does_not() {
    let contracts = file("[effect.a]\nidentity = [\"id\", \"from\", \"what\"]\nfingerprint = [\"x\"]\n");
    let of = |text: &str| {
        let sample = Json::parse(text.as_bytes()).unwrap();
        contract(contracts.iter().next().unwrap(), Some(&sample))
    };
    let plain = of(r#"{"id": "o-1", "from": "a-17", "what": "standard"}"#);
    assert!(!plain.has_warnings(), "{:?}", plain.findings);
    let ids = |text: &str| found(&of(text)).iter().map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(
        ids(r#"{"id": "evt_1abc", "from": "worker-5d4f8c7b6-x2k4q", "what": "please send the invoice"}"#),
        ["hostname", "free-text", "event-id"]
    );
    assert_eq!(
        ids(r#"{"id": "2026-11-30T10:00:00.123Z", "from": "jo@example.org", "what": "x"}"#),
        ["clock", "personal-data"]
    );
}

#[test]
fn a_key_of_parts_is_told_why_two_equal_orders_share_it() {
    let lint =
        parts(&Json::parse(br#"{"tool": "charge_card", "customerId": "c-1", "amountCents": 500}"#).unwrap());
    assert_eq!(found(&lint), [("only-shared-values", Severity::Error)]);
    assert!(lint.findings[0].reason.contains("amountCents and customerId"), "{}", lint.findings[0].reason);
    let good = parts(&Json::parse(br#"{"tool": "charge_card", "order": "o-1"}"#).unwrap());
    assert!(!good.has_warnings(), "{:?}", good.findings);
}

#[test]
fn a_silent_change_of_derivation_is_an_error_and_a_declared_one_is_none() {
    let old = file("[effect.pay]\nidentity = [\"order\", \"kind\"]\nscope = [\"t\"]\n");
    let ids = |new: &str| {
        changed(&old, &file(new)).iter().flat_map(|l| l.findings.iter().map(|f| f.id)).collect::<Vec<_>>()
    };
    assert_eq!(
        ids("[effect.pay]\nidentity = [\"kind\", \"order\"]\nscope = [\"t\"]\nremember = \"5d\"\n"),
        Vec::<&str>::new()
    );
    assert_eq!(ids("[effect.pay]\nidentity = [\"order\"]\nscope = [\"t\"]\n"), ["derivation-changed"]);
    assert_eq!(ids("[effect.pay]\nidentity = [\"order\", \"kind\"]\n"), ["derivation-changed"]);
    assert_eq!(
        ids("[effect.pay]\nidentity = [\"order\", \"kind\"]\nscope = [\"t\"]\nsensitive = [\"kind\"]\n"),
        ["derivation-changed"]
    );
    assert_eq!(ids("[effect.charge]\nidentity = [\"order\", \"kind\"]\nscope = [\"t\"]\n"), ["effect-gone"]);
    let renamed = "[effect.charge]\nidentity = [\"order\"]\nscope = [\"t\"]\n[[effect.charge.previous]]\neffect = \"pay\"\nidentity = [\"order\", \"kind\"]\n";
    assert_eq!(ids(renamed), Vec::<&str>::new());
}

#[test]
fn two_effects_that_can_meet_in_one_key_are_an_error() {
    let both = file(concat!(
        "[effect.pay]\nidentity = [\"order\"]\nfingerprint = [\"x\"]\n",
        "[effect.charge]\nidentity = [\"order\"]\nfingerprint = [\"x\"]\n[[effect.charge.previous]]\neffect = \"pay\"\n"
    ));
    let ids: Vec<_> = contracts(&both).iter().flat_map(|lint| found(lint)).collect();
    assert_eq!(ids, [("two-effects-one-key", Severity::Error)]);
}
