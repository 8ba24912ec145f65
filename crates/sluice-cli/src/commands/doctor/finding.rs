//! One thing that was looked at.

use serde_json::{Value, json};

/// How it stands with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Fine,
    /// Works, and should be known.
    Warning,
    /// Breaks a promise, or will.
    Problem,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was looked at, what was seen, and what to do about it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub what: &'static str,
    pub level: Level,
    pub seen: String,
    pub next: Option<String>,
}

impl Finding {
    pub fn fine(what: &'static str, seen: impl Into<String>) -> Self {
        Self { what, level: Level::Fine, seen: seen.into(), next: None }
    }

    pub fn warning(what: &'static str, seen: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what, level: Level::Warning, seen: seen.into(), next: Some(next.into()) }
    }

    pub fn problem(what: &'static str, seen: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what, level: Level::Problem, seen: seen.into(), next: Some(next.into()) }
    }

    /// As lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{:<8} {:<12} {}", self.level.as_str(), self.what, self.seen)];
        lines.extend(self.next.iter().map(|next| format!("{:21} {next}", "")));
        lines
    }

    /// As JSON; members are only ever added.
    pub fn document(&self) -> Value {
        json!({"what": self.what, "level": self.level.as_str(), "message": self.seen, "next": self.next})
    }
}
