//! The checker: it knows the witness file and what the ledger says, and nothing of how either came about.

use super::common::Place;
use super::intents::Intent;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One line that a command left: which intent, at which epoch.
pub type Line = (String, u64);

/// Everything that happened, in order.
pub fn witness(place: &Place) -> Vec<Line> {
    let text = std::fs::read_to_string(place.path("witness")).unwrap_or_default();
    text.lines().map(|line| line_of(line).unwrap_or_else(|| panic!("a broken line: {line:?}"))).collect()
}

fn line_of(line: &str) -> Option<Line> {
    let mut words = line.split(' ');
    let found = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    words.next()?.parse::<u32>().ok()?;
    words.next().is_none().then_some(found)
}

/// How often an intent happened.
pub fn lines_of(place: &Place, key: &str) -> usize {
    witness(place).iter().filter(|line| line.0 == key).count()
}

/// At which epochs it happened.
pub fn epochs_of(place: &Place, key: &str) -> BTreeSet<u64> {
    witness(place).into_iter().filter(|line| line.0 == key).map(|line| line.1).collect()
}

/// The ledger and the witness say the same.
pub fn agree(records: &BTreeMap<String, Value>, witness: &[Line]) {
    let distinct: BTreeSet<_> = witness.iter().collect();
    assert_eq!(distinct.len(), witness.len(), "an epoch happened twice");
    for (key, _) in witness {
        assert!(records.contains_key(key), "{key} happened, and the ledger does not know it");
    }
    for (key, record) in records {
        let epochs: Vec<_> = witness.iter().filter(|line| line.0 == *key).map(|line| line.1).collect();
        if let Err(broken) = agrees(&Intent::of_key(key), record, &epochs) {
            panic!("{key} happened at {epochs:?}: {broken}\n{record:#}");
        }
    }
}

fn agrees(intent: &Intent, record: &Value, epochs: &[u64]) -> Result<(), &'static str> {
    let all = |name: &str| -> BTreeSet<u64> {
        record[name].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
    };
    let (landed, unresolved) = (all("landed"), all("unresolved"));
    let newest = record["epoch"].as_u64().unwrap_or_default();
    let forgotten = |epoch: &u64| !landed.contains(epoch) && !unresolved.contains(epoch);
    let rules = [
        (epochs.len() < 2 || intent.is_repeatable(), "it happened twice"),
        (epochs.iter().all(|epoch| *epoch <= newest), "at an epoch that was never granted"),
        (landed.iter().all(|epoch| epochs.contains(epoch)), "and the ledger says that another epoch did"),
    ];
    if let Some((_, broken)) = rules.into_iter().find(|(holds, _)| !holds) {
        return Err(broken);
    }
    let holds = match record["status"].as_str().unwrap_or_default() {
        "succeeded" => !epochs.is_empty() && !landed.is_empty(),
        "failed" | "released" => epochs.is_empty(),
        "indeterminate" => !unresolved.is_empty() && !epochs.iter().any(forgotten),
        "in_flight" => !epochs.iter().any(|epoch| *epoch != newest && forgotten(epoch)),
        _ => false,
    };
    if holds { Ok(()) } else { Err("and that is not what the ledger says") }
}

#[test]
fn the_checker_sees_what_must_not_be() {
    let record = |status: &str, landed: &[u64], unresolved: &[u64]| serde_json::json!({"status": status, "epoch": 2, "landed": landed, "unresolved": unresolved});
    let plain = Intent::new(0);
    let wrong = [
        (record("succeeded", &[1], &[]), vec![1, 2]),
        (record("succeeded", &[], &[]), vec![]),
        (record("succeeded", &[2], &[]), vec![1]),
        (record("released", &[], &[]), vec![1]),
        (record("failed", &[], &[]), vec![2]),
        (record("indeterminate", &[], &[]), vec![]),
        (record("indeterminate", &[], &[2]), vec![1]),
        (record("in_flight", &[], &[]), vec![1]),
        (record("in_flight", &[], &[]), vec![3]),
    ];
    for (record, epochs) in wrong {
        assert!(agrees(&plain, &record, &epochs).is_err(), "{epochs:?} and {record}");
    }
    assert_eq!(agrees(&plain, &record("indeterminate", &[], &[1]), &[1]), Ok(()));
    assert_eq!(agrees(&plain, &record("in_flight", &[], &[]), &[2]), Ok(()));
    assert_eq!(agrees(&Intent::new(5), &record("succeeded", &[2], &[]), &[1, 2]), Ok(()));
}
