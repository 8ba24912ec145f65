//! Runs rules and says which do not hold.

use super::{Rule, Subject, rules};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The rules that do not hold, in their order.
    pub failures: Vec<Failure>,
}

/// A rule that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The rule's sentence.
    pub rule: &'static str,
    /// What was seen instead.
    pub reason: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} rules do not hold", self.failures.len(), rules().len())?;
        for Failure { rule, reason } in &self.failures {
            writeln!(f, "- {rule}\n  {reason}")?;
        }
        Ok(())
    }
}

/// Runs every rule, each on a fresh subject, and reports all that do not hold.
pub fn check(fresh: impl Fn() -> Box<dyn Subject>) -> Report {
    let failures = rules().iter().filter_map(|rule| check_rule(rule, &fresh)).collect();
    Report { failures }
}

/// Runs one rule on a fresh subject. A store that panics breaks the rule it panicked under.
pub fn check_rule(rule: &Rule, fresh: impl Fn() -> Box<dyn Subject>) -> Option<Failure> {
    let run = || (rule.run)(fresh().as_ref());
    let verdict = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("the store panicked".into()));
    let name = rule.name;
    verdict.err().map(|reason| Failure { rule: name, reason })
}
