//! What do all processes of a ledger know of a circuit?

use super::settings::LONGEST;
use crate::ids::{ClaimId, Version};
use crate::record::LedgerTime;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Grows with every change between open, half-open and closed; what was permitted in an earlier one is no longer heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(pub u64);

/// The shared part of a circuit, as it is stored. It holds times of the ledger's clock only.
///
/// ```
/// use sluice_core::breaker::Circuit;
/// let fresh = Circuit::default();
/// assert!(fresh.is_closed());
/// assert_eq!(serde_json::to_string(&fresh)?, r#"{"version":0,"generation":0,"failed_probes":0,"state":"closed"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circuit {
    /// How often it was written; 0 where it never was, and is not stored.
    pub version: Version,
    /// Its generation.
    pub generation: Generation,
    /// How many probes have failed since it was closed.
    pub failed_probes: u32,
    /// What it lets through.
    pub state: CircuitState,
}

/// What a circuit lets through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CircuitState {
    /// Everything.
    #[default]
    Closed,
    /// Nothing until that moment, and then one probe.
    Open {
        /// When the probe may be taken.
        until: LedgerTime,
    },
    /// One probe is under way, and nothing else.
    HalfOpen {
        /// Which claim has it.
        owner: ClaimId,
        /// When it may be taken by another one.
        until: LedgerTime,
    },
}

impl Default for Circuit {
    fn default() -> Self {
        Self { version: Version(0), generation: Generation(0), failed_probes: 0, state: CircuitState::Closed }
    }
}

/// A conditional write of a circuit: it is carried out only if the stored version is the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct CircuitChange {
    /// The version it was decided on; 0 where none is stored.
    pub expected: Version,
    /// What is stored then.
    pub next: Circuit,
}

impl CircuitChange {
    /// Carries it out on what is stored; false where that has changed since, and then nothing happens.
    #[must_use]
    pub fn apply(&self, stored: &mut Circuit) -> bool {
        let holds = stored.version == self.expected;
        if holds {
            *stored = self.next.clone();
        }
        holds
    }
}

impl Circuit {
    /// Whether everything is let through.
    pub fn is_closed(&self) -> bool {
        self.state == CircuitState::Closed
    }

    /// Takes in what another process wrote: the later version counts. After a write that did not apply, what is stored
    /// counts instead, whatever its version: a ledger that was restored begins with an earlier one.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        if other.version > self.version { other } else { self }
    }

    /// How long until it may let something through again; nothing where it may now.
    ///
    /// A moment that is further away than any circuit is open was stored by a clock that has been taken back since, and
    /// counts as over: a circuit must not refuse for ever.
    pub fn wait(&self, now: LedgerTime) -> Duration {
        let (CircuitState::Open { until } | CircuitState::HalfOpen { until, .. }) = self.state else {
            return Duration::ZERO;
        };
        let left_ms = i128::from(until.0) - i128::from(now.0);
        let left = Duration::from_millis(u64::try_from(left_ms.max(0)).unwrap_or(u64::MAX));
        if left > LONGEST { Duration::ZERO } else { left }
    }

    /// The write that makes this its state, in a new generation.
    pub(super) fn to(&self, state: CircuitState, failed_probes: u32) -> CircuitChange {
        let next = Self {
            version: self.version.next(),
            generation: Generation(self.generation.0.saturating_add(1)),
            failed_probes,
            state,
        };
        CircuitChange { expected: self.version, next }
    }
}
