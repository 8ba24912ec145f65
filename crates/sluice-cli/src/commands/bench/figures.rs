//! What was measured, as plain data and as a document.

use super::latency::Latencies;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// One run of the command.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub store: &'static str,
    pub folder: Option<String>,
    pub file_system: Option<String>,
    pub cores: usize,
    pub seconds: f64,
    pub flush: Option<Flush>,
    pub keys: Keys,
    pub filled: Option<Filled>,
    pub measurements: Vec<Measurement>,
    pub notes: Vec<String>,
}

/// How long the disk takes to keep a small append.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Flush {
    pub bytes: usize,
    pub count: u64,
    #[serde(flatten)]
    pub latency: Percentiles,
}

/// How fast keys are derived, by one caller.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Keys {
    pub bytes: usize,
    pub per_second: f64,
}

/// What filling the ledger took, and what a claim costs in it beside an empty one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Filled {
    pub records: u64,
    pub per_second: f64,
    pub peak_memory_kib: Peak,
    pub claim_p50_ms: f64,
    pub claim_p50_ms_empty: f64,
    pub times_empty: f64,
}

/// The most memory this process has used, when a tenth was filled and at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peak {
    pub at_a_tenth: Option<u64>,
    pub at_the_end: Option<u64>,
}

/// One number of callers.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    pub callers: usize,
    pub fresh: Figure,
    /// Of intents done lately, as duplicates mostly are.
    pub replay: Figure,
    /// Of any intent, each time read from the ledger.
    pub lookup: Figure,
}

/// A rate beside its floor.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub per_second: f64,
    pub floor_per_second: f64,
    pub times_floor: f64,
    #[serde(flatten)]
    pub latency: Percentiles,
    /// From the call of `run` to the call of the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Percentiles>,
    pub rounds: Vec<Round>,
}

/// One turn of both.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Round {
    pub per_second: f64,
    pub floor_per_second: f64,
    pub times_floor: f64,
}

/// Half of the calls, and all but one in a hundred, took no longer.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Percentiles {
    pub p50_ms: f64,
    pub p99_ms: f64,
}

impl Percentiles {
    pub fn of(latencies: &Latencies) -> Self {
        let ms = |percent| milliseconds(latencies.percentile(percent));
        Self { p50_ms: ms(50), p99_ms: ms(99) }
    }

    pub fn filled(self) -> Option<Self> {
        (self.p99_ms > 0.0).then_some(self)
    }
}

/// To a tenth of a microsecond; more digits would only look exact.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 1e4
}

impl Figures {
    /// The one document of `--json`.
    pub fn document(&self) -> Value {
        let mut document = json!({"v": 1, "rounds": super::rounds::ROUNDS});
        // These structs hold text, numbers and lists, which always become JSON.
        if let (Some(members), Ok(Value::Object(figures))) =
            (document.as_object_mut(), serde_json::to_value(self))
        {
            members.extend(figures);
        }
        document
    }
}
