//! What a delivery wants where its intent is not new.

use serde::{Deserialize, Serialize};

/// What a delivery wants to hear where its intent has ended before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDuplicate {
    /// The recorded result.
    #[default]
    Replay,
    /// Only that it was done.
    AlreadyProcessed,
    /// An error, since a duplicate needs to be looked into.
    Conflict,
}

/// What a delivery does while its intent runs elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhileRunning {
    /// Waits for the outcome.
    #[default]
    Wait,
    /// Is refused at once.
    Refuse,
}

/// What a delivery wants where nobody knows whether its intent happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnIndeterminate {
    /// To be told so; a person or a probe decides.
    #[default]
    Refuse,
    /// To ask the target, where the delivery brings along how; its answer is a verdict.
    Probe,
    /// To run it again, where the effect is declared repeatable or the target recognises the key, and the last holder can
    /// no longer act.
    Reclaim,
}

/// What a delivery wants where its intent failed before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailed {
    /// The recorded error.
    #[default]
    Replay,
    /// To run it again.
    Rerun,
}
