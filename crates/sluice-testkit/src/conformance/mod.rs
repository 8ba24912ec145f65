//! The rules that every ledger keeps, one topic a file.
//!
//! A rule is a sentence and a function that tries to break it on a fresh ledger. To check a store, describe it to the
//! suite as a [`Subject`] and hand [`check`] a way to make new ones:
//!
//! ```
//! use sluice_testkit::{conformance, memory::MemorySubject};
//! let report = conformance::check(|| Box::new(MemorySubject::default()));
//! assert!(report.failures.is_empty(), "{report}");
//! ```

mod bench;
mod bytes;
mod changes;
mod circuits;
mod concurrency;
mod deliveries;
mod durability;
mod events;
mod grants;
mod leases;
mod namespaces;
mod paging;
mod queries;
mod reboots;
mod renewals;
mod report;
mod retention;
mod subject;

pub(crate) use bench::{Bench, Verdict, ensure, same};
pub use report::{Failure, Report, check, check_rule};
pub use subject::Subject;

use std::sync::LazyLock;

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The rule as a sentence.
    pub name: &'static str,
    /// Tries to break it on a fresh ledger; what went wrong where it did.
    pub run: fn(&dyn Subject) -> Result<(), String>,
}

/// Every rule, in the order of their topics.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let topics = [
            changes::RULES,
            grants::RULES,
            leases::RULES,
            reboots::RULES,
            renewals::RULES,
            events::RULES,
            namespaces::RULES,
            queries::RULES,
            paging::RULES,
            bytes::RULES,
            retention::RULES,
            deliveries::RULES,
            circuits::RULES,
            concurrency::RULES,
            durability::RULES,
        ];
        topics.concat()
    });
    &RULES
}

const fn rule(name: &'static str, run: fn(&dyn Subject) -> Verdict) -> Rule {
    Rule { name, run }
}
