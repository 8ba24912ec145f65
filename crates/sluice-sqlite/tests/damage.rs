//! Nothing that a file may hold makes the store panic, and nothing that fails changes anything.

mod common;

use common::*;
use sluice_core::store::{Query, Store, StoreErrorKind};
use sluice_sqlite::Options;
use std::path::Path;
use std::process::Command;

#[test]
fn a_damaged_column_is_named_whatever_stands_in_it() {
    let columns = [
        ("version", "-1"),
        ("incarnation", "-1"),
        ("status", "'done'"),
        ("epoch", "-5"),
        ("claim_id", "x'00'"),
        ("holder_pid", "99999999999"),
        ("holder_pid_start", "-1"),
        ("lease_ms", "-1"),
        ("marked", "'secret'"),
        ("fingerprint_mac", "x'01'"),
        ("fingerprint_secret", "'orphan'"),
        ("unresolved", "'{'"),
        ("landed", "'{\"a\":1}'"),
        ("downstream_rotation", "-1"),
        ("fault", "'secret'"),
        ("result_sha256", "x'00'"),
        ("not_kept", "'secret'"),
        ("tool", "CAST(x'ff' AS TEXT)"),
        ("lease_boot", "CAST(x'ff' AS TEXT)"),
    ];
    for (column, value) in columns {
        let place = Place::new();
        let store = place.open();
        claim(&store, "k");
        let strict = place.raw().execute(&format!("UPDATE records SET {column} = {value}"), []);
        if strict.is_err() {
            continue; // The table itself refuses it.
        }
        let id = id("k");
        let read = wait(store.read(&id)).map(drop);
        let listed = wait(store.list(Query::default())).map(drop);
        let applied = wait(store.apply(id.clone(), first_claim(claim_id()))).map(drop);
        for answer in [read, listed, applied] {
            let error = answer.expect_err(column);
            assert_eq!(error.kind, StoreErrorKind::Corrupt, "{column}");
            let named = if column == "fingerprint_secret" { "fingerprint_mac" } else { column };
            assert!(error.to_string().contains(&format!("column {named} ")), "{column}: {error}");
            assert!(!error.to_string().contains("secret ") && !error.to_string().contains("done"), "{error}");
        }
        claim(&store, "its neighbours go on");
    }
}

#[test]
fn a_damaged_event_is_named() {
    for (column, value) in [("kind", "'x'"), ("epoch", "-1"), ("claim_id", "x'00'"), ("words", "'{'")] {
        let place = Place::new();
        let store = place.open();
        claim(&store, "k");
        place.raw().execute(&format!("UPDATE events SET {column} = {value}"), []).unwrap();
        let error = wait(store.events(&id("k"))).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Corrupt);
        assert!(error.to_string().contains(&format!("column events.{column} ")), "{error}");
    }
}

#[test]
fn a_ledger_without_its_secrets_or_tables_is_damaged() {
    for damage in ["DELETE FROM secrets", "DELETE FROM meta", "DROP TABLE meta", "DROP TABLE migrations"] {
        let place = Place::new();
        drop(place.open());
        place.raw().execute_batch(damage).unwrap();
        let error = wait(sluice_sqlite::SqliteStore::open(&place.path)).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Corrupt, "{damage}");
    }
}

#[test]
fn a_table_that_vanishes_under_an_open_ledger_is_an_error_and_no_panic() {
    let place = Place::new();
    let store = place.open();
    place.raw().execute_batch("DROP TABLE records").unwrap();
    let error = wait(store.apply(id("k"), first_claim(claim_id()))).unwrap_err();
    assert_eq!((error.kind, error.outcome_unknown), (StoreErrorKind::Corrupt, false));
    assert_eq!(wait(store.read(&id("k"))).unwrap_err().kind, StoreErrorKind::Corrupt);
}

#[test]
fn a_number_that_a_ledger_cannot_hold_is_refused_and_changes_nothing() {
    let place = Place::new();
    let store = place.open();
    let mut change = first_claim(claim_id());
    change.set.holder.pid_start = Some(u64::MAX);
    let error = wait(store.apply(id("k"), change)).unwrap_err();
    assert_eq!((error.kind, error.outcome_unknown), (StoreErrorKind::Invalid, false));
    assert_eq!(read(&store, "k"), None);
}

struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}

#[test]
fn a_full_disk_is_reported_and_what_was_acknowledged_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(folder.path())
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        return println!("not run: mounting is refused here");
    }
    let _mounted = Mounted(folder.path());
    let store = open(&folder.path().join("ledger.db"), Options::default());
    let mut kept = Vec::new();
    let error = loop {
        let key = format!("k{}", kept.len());
        let claimed = match wait(store.apply(id(&key), first_claim(claim_id()))) {
            Ok(_) => read(&store, &key).unwrap(),
            Err(error) => break error,
        };
        kept.push((key.clone(), claimed.record.version));
        match wait(store.apply(id(&key), success(&claimed, &[b'x'; 5000]))) {
            Ok(_) => kept.last_mut().unwrap().1 = claimed.record.version.next(),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind, StoreErrorKind::Full, "{error}");
    assert!(kept.len() > 10);
    for (key, version) in kept {
        assert_eq!(read(&store, &key).unwrap().record.version, version);
    }
}
