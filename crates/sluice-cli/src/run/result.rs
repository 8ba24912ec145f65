//! A command's end as it is stored.

use crate::child::output::Stream;
use crate::child::watch::End;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice::core::outcome::Outcome;

/// What a finished command left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildRun {
    /// Tells it apart from a result that a person or a library gave; the version of this form.
    sluice_child: u32,
    /// Its exit status, where it had one.
    pub exit: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// Whether output was kept at all.
    pub recorded: bool,
    /// What it wrote to stdout.
    pub stdout: Stream,
    /// What it wrote to stderr.
    pub stderr: Stream,
}

impl ChildRun {
    pub fn new(end: End, output: Option<(Stream, Stream)>) -> Self {
        let recorded = output.is_some();
        let (stdout, stderr) = output.unwrap_or_default();
        Self { sluice_child: 1, exit: end.exit, signal: end.signal, recorded, stdout, stderr }
    }

    /// The exit status a shell would see.
    pub fn status(&self) -> u8 {
        let raw = self.exit.unwrap_or_else(|| 128 + self.signal.unwrap_or(0));
        u8::try_from(raw).unwrap_or(u8::MAX)
    }

    /// Whether everything it wrote is here.
    pub fn is_whole(&self) -> bool {
        self.recorded && self.stdout.complete && self.stderr.complete
    }

    /// A command's end in a stored result or fault detail, if it is one.
    pub fn from_value(value: &Value) -> Option<Self> {
        value.get("sluice_child")?;
        serde_json::from_value(value.clone()).ok()
    }

    /// The same in a JSON text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::from_value(&serde_json::from_str(text).ok()?)
    }

    /// A command's end in what a record knows.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::None => None,
            Outcome::Fault(fault) => fault.detail.as_deref().and_then(Self::from_text),
            Outcome::Success(kept) => {
                let text = kept.value.as_deref().ok()?;
                Self::from_value(&serde_json::from_slice(text).ok()?)
            }
        }
    }
}
