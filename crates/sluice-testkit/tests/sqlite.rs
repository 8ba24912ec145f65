//! A ledger file keeps every rule.

mod common;

use common::SqliteSubject;
use sluice_testkit::conformance;

#[test]
fn the_sqlite_store_keeps_every_rule() {
    let report = conformance::check(|| Box::new(SqliteSubject::new()));
    assert!(report.failures.is_empty(), "{report}");
}
