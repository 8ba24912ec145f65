//! What a contract makes of events, and what is no contract.

use sluice_core::contract::{Contract, Contracts, Derived, IdentityKeys, Previous};
use sluice_core::key::{InputError, InputErrorKind, Json};
use sluice_core::record::LedgerTime;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn event(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn derive(contract: &Contract, text: &str) -> Result<Derived, InputError> {
    contract.derive(&event(text), &IdentityKeys::default(), LedgerTime(0))
}

fn one(text: &str) -> Contract {
    let contracts = Contracts::parse(&format!("version = 1\n{text}")).unwrap();
    contracts.iter().next().unwrap().clone()
}

fn refused(text: &str) -> (Option<usize>, String) {
    let error = Contracts::parse(text).unwrap_err();
    (error.line(), error.message().to_owned())
}

#[test]
fn the_key_is_that_of_effect_scope_and_identity_with_paths_as_written() {
    let contract =
        one("[effect.pay]\nidentity = [\"headers.X-Order\", \"event.args.n\"]\nscope = [\"tenant\"]\n");
    let derived = derive(
        &contract,
        r#"{"tenant": {"id": 1}, "headers": {"x-order": "o"}, "args": {"n": 1.0, "m": 2}}"#,
    );
    let parts =
        r#"{"effect":"pay","identity":{"event.args.n":1,"headers.X-Order":"o"},"scope":{"tenant":{"id":1}}}"#;
    let derived = derived.unwrap();
    assert_eq!(derived.parts.canonical(), parts);
    assert_eq!(derived.key, event(parts).key());
    let without = one("[effect.pay]\nidentity = [\"id\"]\n");
    assert_eq!(
        derive(&without, r#"{"id":1}"#).unwrap().parts.canonical(),
        r#"{"effect":"pay","identity":{"id":1},"scope":{}}"#
    );
}

#[test]
fn a_member_that_is_missing_or_empty_is_an_error_that_names_its_path() {
    let contract = one("[effect.pay]\nidentity = [\"args.id\"]\nscope = [\"tenant\"]\n");
    for (text, path) in [
        (r#"{"tenant": "t", "args": {}}"#, "args.id"),
        (r#"{"tenant": "t", "args": {"id": null}}"#, "args.id"),
        (r#"{"tenant": "t", "args": {"id": ""}}"#, "args.id"),
        (r#"{"tenant": "t", "args": "id"}"#, "args.id"),
        (r#"{"args": {"id": 1}}"#, "tenant"),
    ] {
        let error = derive(&contract, text).unwrap_err();
        assert_eq!((error.kind(), error.path()), (InputErrorKind::MissingMember, path), "{text}");
    }
    let falsy = derive(&contract, r#"{"tenant": false, "args": {"id": 0}}"#);
    assert!(falsy.is_ok(), "a value that is there is no missing one");
    assert_eq!(derive(&contract, "[1]").unwrap_err().kind(), InputErrorKind::NotAnObject);
}

#[test]
fn a_builder_and_a_file_mean_the_same() {
    let file = one(concat!(
        "[defaults]\nremember = \"30d\"\nscope = [\"t\"]\n[effect.pay]\none = \"charge\"\nfor_each = \"order\"\n",
        "identity = [\"id\"]\nfingerprint = [\"args\"]\non_duplicate = \"conflict\"\ndownstream = \"stripe\"\ntries = 2\n",
        "period = { every = \"day\", of = \"event.scheduled_for\", tz = \"Europe/Berlin\" }\n"
    ));
    let built = Contract::builder("pay")
        .one("charge")
        .for_each("order")
        .remember(std::time::Duration::from_hours(30 * 24))
        .scope(["t"])
        .identity(["id"])
        .fingerprint(["args"])
        .on_duplicate(sluice_core::policy::OnDuplicate::Conflict)
        .downstream_named("stripe")
        .tries(2)
        .period(
            sluice_core::contract::Period::new("day", "event.scheduled_for", Some("Europe/Berlin")).unwrap(),
        );
    assert_eq!(built.build().unwrap(), file);
    assert_eq!(file.to_string(), "There should be one charge for each order.");
}

#[test]
fn a_period_is_that_of_the_schedule_and_part_of_the_key() {
    let contract = one(
        "[effect.report]\nperiod = { every = \"day\", of = \"event.scheduled_for\", tz = \"Europe/Berlin\" }\n",
    );
    let at = |time: &str| derive(&contract, &format!(r#"{{"scheduled_for":"{time}"}}"#));
    assert_eq!(
        at("2026-11-30T23:30:00Z").unwrap().parts.canonical(),
        r#"{"effect":"report","identity":{},"period":"day:2026-12-01","scope":{}}"#
    );
    assert_eq!(at("2026-11-30T23:30:00Z").unwrap().key, at("2026-12-01T12:00:00+01:00").unwrap().key);
    assert_eq!(at("today").unwrap_err().path(), "event.scheduled_for");
}

#[test]
fn a_sensitive_member_enters_only_as_a_keyed_hash() {
    let contract = one(
        "[effect.mail]\nidentity = [\"args.email\"]\nsensitive = [\"args.email\"]\nactor = \"args.email\"\n",
    );
    let text = r#"{"args": {"email": "jo@example.org"}}"#;
    assert_eq!(contract.lacks_key(&IdentityKeys::default()), Some(""));
    assert!(derive(&contract, text).is_err());
    let keys = |text: &str| IdentityKeys::parse(text).unwrap();
    let with = |list: &str| contract.derive(&event(text), &keys(list), LedgerTime(0)).unwrap();
    let derived = with("k1:0123456789abcdef");
    assert!(!derived.parts.canonical().contains("example"));
    assert!(derived.parts.canonical().contains("hmac-sha256:k1:"));
    assert!(derived.labels.actor.unwrap().starts_with("hmac-sha256:k1:"));
    assert_ne!(derived.key, with("k1:0123456789abcdeX").key);
    assert_eq!(derived.key, with("k1:0123456789abcdef,k2:0123456789abcdeX").key);
}

#[test]
fn an_earlier_derivation_is_looked_up_until_what_it_named_is_forgotten() {
    let text = concat!(
        "[effect.pay]\nidentity = [\"order\"]\nscope = [\"tenant\"]\nremember = \"10d\"\n",
        "[[effect.pay.previous]]\neffect = \"charge\"\nscope = []\nreplaced_at = 1970-01-11\n",
        "[[effect.pay.previous]]\nidentity = [\"cart\"]\n"
    );
    let contract = one(text);
    let named = |day: i64, text: &str| {
        contract.derive(&event(text), &IdentityKeys::default(), LedgerTime(day * DAY)).unwrap().also_known_as
    };
    let both = r#"{"order": 1, "cart": 2, "tenant": "t"}"#;
    let charge = event(r#"{"effect":"charge","identity":{"order":1},"scope":{}}"#).key();
    let cart = event(r#"{"effect":"pay","identity":{"cart":2},"scope":{"tenant":"t"}}"#).key();
    assert_eq!(named(20, both), [charge.clone(), cart.clone()]);
    assert_eq!(
        named(22, both),
        std::slice::from_ref(&cart),
        "replaced on day 10, remembered for 10, and a day more"
    );
    assert_eq!(named(20, r#"{"order": 1, "tenant": "t"}"#), [charge], "it had no key without a cart");
    assert!(Contract::builder("a").identity(["b"]).previous(Previous::default()).build().is_err());
}

#[test]
fn what_is_compared_tells_an_absent_member_from_a_present_one() {
    let contract = one("[effect.pay]\nidentity = [\"id\"]\nfingerprint = [\"amount\", \"currency\"]\n");
    let request = |text: &str| derive(&contract, text).unwrap().request;
    assert_eq!(request(r#"{"id":1,"amount":5,"x":1}"#), request(r#"{"amount":5.0,"id":1}"#));
    assert_ne!(request(r#"{"id":1,"amount":5}"#), request(r#"{"id":1,"amount":5,"currency":"eur"}"#));
    assert_eq!(derive(&one("[effect.pay]\nidentity = [\"id\"]\n"), r#"{"id":1}"#).unwrap().request, None);
}

#[test]
fn a_wrong_file_is_told_with_its_line_and_what_may_be_meant() {
    for (text, line, said) in [
        ("", 1, "version = 1"),
        ("version = 2\n", 1, "version = 1"),
        ("version = 1\nverion = 1\n", 2, "version may be meant"),
        ("version = 1\n[efect.a]\nidentity=[\"a\"]\n", 2, "effect may be meant"),
        ("version = 1\n[effect.a]\nidentiy = [\"a\"]\n", 3, "identity may be meant"),
        ("version = 1\n[effect.a]\nidentity = \"a\"\n", 3, "takes a list of paths"),
        ("version = 1\n[effect.a]\nidentity = [\"a..b\"]\n", 3, "no path"),
        ("version = 1\n[effect.a]\none = \"a\"\n", 2, "identity names no member"),
        ("version = 1\n[effect.a]\nidentity = [\"a\", \"a\"]\n", 2, "twice"),
        ("version = 1\n\n[effect.a]\nidentity = [\"a\"]\nremember = \"90\"\n", 5, "a time"),
        ("version = 1\n[effect.a]\nidentity = [\"a\"]\ndownstream = \"stirpe\"\n", 4, "stripe may be meant"),
        ("version = 1\n[effect.a]\nidentity = [\"a\"]\ndownstream = { name = \"x\" }\n", 4, "downstream"),
        ("version = 1\n[effect.a]\nidentity = [\"a\"]\nperiod = { every = \"day\" }\n", 4, "of"),
        ("version = 1\n[effect.a]\nidentity = [\"a\"]\non_indeterminate = \"reclaim\"\n", 2, "repeatable"),
        ("version = 1\n[defaults]\nidentity = [\"a\"]\n", 3, "one effect alone"),
        (
            "version = 1\n[effect.a]\nidentity = [\"a\"]\n[[effect.a.previous]]\nidentitty = [\"b\"]\n",
            5,
            "identity may be meant",
        ),
        ("version = 1\n[effect.a\n", 2, "no TOML"),
        ("\u{feff}version = 1\n", 1, "byte order mark"),
        ("version = 1\r\n[effect.a]\r\nidentity = [\"a\"]\r\ntries = 0\r\n", 2, "tries"),
    ] {
        let text = if text.contains("[defaults]") {
            format!("{text}[effect.b]\nidentity=[\"b\"]\n")
        } else {
            text.to_owned()
        };
        let (found, message) = refused(&text);
        assert_eq!(found, Some(line), "{text}: {message}");
        assert!(message.contains(said), "{text}: {message}");
    }
}
