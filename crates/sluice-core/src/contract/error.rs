//! What is wrong with a contract?

use std::fmt;

/// Says why a text or a builder is no contract, and what to write instead.
///
/// It carries words of the contract, which is a setting, and never anything of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractError {
    line: Option<usize>,
    said: String,
}

impl ContractError {
    pub(super) fn new(said: impl Into<String>) -> Self {
        Self { line: None, said: said.into() }
    }

    /// The line of the file, counted from 1; none for a builder.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// What is wrong, without the line.
    pub fn message(&self) -> &str {
        &self.said
    }

    /// The innermost place is the most exact one, so a line that is there stays.
    pub(super) fn at(mut self, line: usize) -> Self {
        self.line.get_or_insert(line);
        self
    }

    pub(super) fn within(mut self, place: &str) -> Self {
        self.said = format!("{place}: {}", self.said);
        self
    }
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.said),
            None => f.write_str(&self.said),
        }
    }
}

impl std::error::Error for ContractError {}

impl From<ContractError> for crate::Error {
    fn from(error: ContractError) -> Self {
        Self::new(crate::Code::Config, error.to_string())
    }
}
