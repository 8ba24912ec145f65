//! The memory store keeps every rule.

use sluice_testkit::conformance;
use sluice_testkit::memory::MemorySubject;

#[test]
fn the_memory_store_keeps_every_rule() {
    let report = conformance::check(|| Box::new(MemorySubject::default()));
    assert!(report.failures.is_empty(), "{report}");
}
