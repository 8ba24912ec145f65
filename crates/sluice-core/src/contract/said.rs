//! How does a contract read back?

use super::Contract;
use super::path::MemberPath;
use std::fmt;

impl fmt::Display for Contract {
    /// The one sentence: one *effect* for each *identity*.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = self.one.clone().unwrap_or_else(|| self.effect.replace(['_', '-'], " "));
        let each = self.for_each.clone().unwrap_or_else(|| self.identity_in_words());
        write!(f, "There should be one {one} for each {each}.")
    }
}

impl Contract {
    fn identity_in_words(&self) -> String {
        let mut words: Vec<_> = self.identity.iter().map(MemberPath::to_string).collect();
        words
            .extend(self.period.as_ref().map(|period| format!("{} of {}", period.every.as_str(), period.of)));
        words.join(" and ")
    }
}
