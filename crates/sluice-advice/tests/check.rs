//! What a check counts, beside a ledger that is played step by step.

use proptest::prelude::*;
use sluice_advice::check::{Options, Report, check};
use sluice_core::contract::{Contract, IdentityKeys};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::Cursor;
use std::time::Duration;

fn contract(identity: &[&str]) -> Contract {
    let remember = Duration::from_secs(1);
    Contract::builder("pay").identity(identity).fingerprint(["amount"]).remember(remember).build().unwrap()
}

fn checked(text: &str, contract: &Contract, in_memory: usize) -> Report {
    let options = Options { in_memory, ..Options::default() };
    check(&mut Cursor::new(text), contract, &IdentityKeys::default(), &options, |_| {}).unwrap()
}

fn refused(text: &str) -> (u64, String) {
    let keys = IdentityKeys::default();
    let error =
        check(&mut Cursor::new(text), &contract(&["id"]), &keys, &Options::default(), |_| {}).unwrap_err();
    (error.line, error.said)
}

/// One delivery: action, id, amount, and the time.
type Row = (u8, u8, u8, u32);

fn lines(rows: &[Row]) -> String {
    let mut text = String::new();
    for (action, id, amount, at) in rows {
        writeln!(text, r#"{{"at":{at},"action":"a{action}","event":{{"id":{id},"amount":{amount}}}}}"#)
            .unwrap();
    }
    text
}

/// Runs twice, never run, refused: by a ledger with one map.
fn played(rows: &[Row]) -> (u64, u64, u64) {
    let mut ledger: BTreeMap<u8, (u32, u8)> = BTreeMap::new();
    let mut runs: BTreeMap<u8, u64> = BTreeMap::new();
    let mut conflicts = BTreeSet::new();
    for (action, id, amount, at) in rows {
        let count = runs.entry(*action).or_default();
        match ledger.get(id) {
            Some((ran_at, asked)) if at.saturating_sub(*ran_at) <= 1000 => {
                if asked != amount {
                    conflicts.insert(*action);
                }
            }
            _ => {
                ledger.insert(*id, (*at, *amount));
                *count += 1;
            }
        }
    }
    let twice = runs.values().map(|count| count.saturating_sub(1)).sum();
    let never: Vec<_> = runs.iter().filter(|(_, count)| **count == 0).map(|(action, _)| action).collect();
    let refused = never.iter().filter(|action| conflicts.contains(action)).count();
    (twice, never.len() as u64, refused as u64)
}

proptest! {
    #[test]
    fn the_counts_are_those_of_a_ledger_whether_or_not_memory_suffices(
        rows in proptest::collection::vec((0..6_u8, 0..6_u8, 0..2_u8, 0..3000_u32), 1..60),
        in_memory in 1..70_usize,
    ) {
        let report = checked(&lines(&rows), &contract(&["id"]), in_memory);
        prop_assert_eq!((report.ran_twice, report.never_ran, report.refused), played(&rows));
        prop_assert_eq!(report.deliveries, rows.len() as u64);
        let actions: BTreeSet<_> = rows.iter().map(|row| row.0).collect();
        prop_assert_eq!(report.actions, actions.len() as u64);
        let whole = checked(&lines(&rows), &contract(&["id"]), 1000);
        prop_assert_eq!(whole, report);
    }
}

#[test]
fn an_unstable_key_names_the_member_that_changed() {
    let text = "{\"action\":1,\"event\":{\"id\":1,\"message\":\"a\"}}\r\n{\"action\":1,\"event\":{\"id\":1,\"message\":\"b\"}}\r\n\r\n";
    let report = checked(text, &contract(&["id", "message"]), 10);
    assert_eq!((report.ran_twice, report.actions_twice, report.never_ran), (1, 1, 0));
    assert_eq!(report.unstable.members, BTreeMap::from([("message".to_owned(), 1)]));
    assert_eq!(report.unstable.examples[0].lines, [1, 2]);
}

#[test]
fn a_collision_names_what_tells_the_actions_apart_and_a_tenant_belongs_to_the_scope() {
    let event = |action: &str, tenant: &str, order: u8, at: u8| {
        format!(
            r#"{{"action":"{action}","event":{{"id":1,"tenant_id":"{tenant}","order":{{"id":{order}}},"sent_at":"2026-11-30T10:00:0{at}Z"}}}}"#
        )
    };
    let text = [event("a", "t1", 7, 1), event("b", "t1", 8, 2), event("c", "t2", 7, 3)].join("\n");
    let report = checked(&text, &contract(&["id"]), 10);
    assert_eq!((report.never_ran, report.refused, report.collisions.count), (2, 0, 1));
    assert_eq!(report.collisions.examples[0].members, ["order.id"]);
    let text = [event("a", "t1", 7, 1), event("c", "t2", 7, 3)].join("\n");
    let report = checked(&text, &contract(&["id"]), 10);
    assert_eq!(report.collisions.examples[0].members, ["tenant_id"]);
    assert_eq!(report.collisions.boundaries, ["tenant_id"]);
}

#[test]
fn unlabelled_deliveries_show_what_looks_like_retries_under_different_keys() {
    let event = |message: u8, order: u8| {
        format!(r#"{{"message_id":"m-{message}","attempt":{message},"order":{order}}}"#)
    };
    let text = [event(1, 1), event(2, 1), event(3, 2)].join("\n");
    let report = checked(&text, &contract(&["message_id"]), 10);
    assert_eq!((report.labelled, report.retries.count, report.varying.count), (0, 1, 0));
    assert_eq!(report.retries.members, BTreeMap::from([("message_id".to_owned(), 1)]));
    let report = checked(&text, &contract(&["order"]), 10);
    assert_eq!((report.retries.count, report.varying.count), (0, 0));
}

#[test]
fn an_event_without_a_key_is_counted_by_its_reason() {
    let text = "{\"event\":{\"id\":1}}\n{\"event\":{\"no\":1}}\n{\"event\":{\"id\":null}}\n{\"event\":{}}\n";
    let report = checked(text, &contract(&["id"]), 10);
    let told: Vec<_> = report.keyless.values().map(|keyless| (keyless.count, keyless.first_line)).collect();
    assert_eq!(told, [(1, 3), (2, 2)]);
}

#[test]
fn a_wrong_file_is_told_with_its_line() {
    for (text, line, said) in [
        ("", 0, "empty"),
        ("\n\n", 0, "empty"),
        ("{\"event\":{}}\n{\"event\":{}\n", 2, "not JSON"),
        ("\u{feff}{\"event\":{}}\n", 1, "byte order mark"),
        ("{\"event\":{}}\n[1]\n", 2, "an object"),
        ("{\"event\":{}}\n{\"id\":1}\n", 2, "this one is not"),
        ("{\"id\":1}\n{\"event\":{}}\n", 2, "raw events"),
        ("{\"event\":{}}\n\n{\"event\":{}}\n", 2, "blank"),
        ("{\"event\":{},\"at\":\"today\"}\n", 1, "point in time"),
        ("{\"event\":{},\"action\":[1]}\n", 1, "action"),
        ("{\"event\":{\"a\":1,\"a\":2}}\n", 1, "duplicate"),
    ] {
        let (found, message) = refused(text);
        assert_eq!(found, line, "{text:?}: {message}");
        assert!(message.contains(said), "{text:?}: {message}");
    }
}
