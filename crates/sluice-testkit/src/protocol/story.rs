//! A way to something that must never be, step by step.

use std::fmt;

/// The shortest way to a broken property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What happened, in order.
    pub steps: Vec<String>,
    /// What is not true then.
    pub broken: String,
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1..).zip(&self.steps) {
            writeln!(f, "  {number}. {step}")?;
        }
        write!(f, "  → {}", self.broken)
    }
}
