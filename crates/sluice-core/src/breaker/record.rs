//! What does an outcome change?

use super::circuit::{Circuit, CircuitChange, CircuitState, Generation};
use super::settings::BreakerSettings;
use super::shared::Shared;
use super::window::Window;
use crate::failure::FailureClass;
use crate::ids::ClaimId;
use crate::record::LedgerTime;
use crate::retention::later;
use serde::{Deserialize, Serialize};

/// The proof that a circuit let something through, to report its outcome with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    generation: Generation,
    owner: ClaimId,
}

impl Ticket {
    pub(super) fn of(shared: &Circuit, owner: ClaimId) -> Self {
        Self { generation: shared.generation, owner }
    }

    /// In which generation it was given.
    pub fn generation(self) -> Generation {
        self.generation
    }
}

/// What an outcome says of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heard {
    /// It answers.
    Answered,
    /// It is in trouble.
    Trouble,
    /// Nothing: it was not asked.
    Nothing,
}

/// What an outcome says of the target; `None` is a success. A permanent failure is an answer like a success: a target
/// that declines cards is well. What was never begun says nothing.
///
/// ```
/// use sluice_core::FailureClass;
/// use sluice_core::breaker::{Heard, heard};
/// assert_eq!(heard(None), Heard::Answered);
/// assert_eq!(heard(Some(FailureClass::Permanent)), Heard::Answered);
/// assert_eq!(heard(Some(FailureClass::Unknown)), Heard::Trouble);
/// assert_eq!(heard(Some(FailureClass::NotStarted)), Heard::Nothing);
/// ```
pub fn heard(class: Option<FailureClass>) -> Heard {
    match class {
        None | Some(FailureClass::Permanent) => Heard::Answered,
        Some(FailureClass::NotStarted) => Heard::Nothing,
        Some(
            FailureClass::Transient
            | FailureClass::Unknown
            | FailureClass::Unclassified
            | FailureClass::Overdue,
        ) => Heard::Trouble,
    }
}

impl Window {
    /// Notes what was heard with a ticket, once for each outcome. What a circuit that is not closed hears is its probe's
    /// and decides by itself.
    pub fn hear(&mut self, ticket: Ticket, heard: Heard) {
        if heard != Heard::Nothing {
            self.note(ticket.generation, heard == Heard::Trouble);
        }
    }

    fn is_in_trouble(&self, settings: &BreakerSettings) -> bool {
        let (failures, outcomes) = (u64::from(self.failures()), u64::from(self.outcomes()));
        let enough = self.outcomes() >= settings.least_outcomes.clamp(1, 20);
        enough && failures > 0 && failures * 100 >= u64::from(settings.failures_percent) * outcomes
    }
}

/// Decides what an outcome changes, after the window has heard it. `sample` is one of [0, 1).
///
/// Where the write finds another version, go on with what is stored, as it is, and decide again: another process may have
/// opened the circuit, and then nothing is left to do.
///
/// ```
/// use sluice_core::breaker::{BreakerSettings, Circuit, Heard, Permit, Window, ask, change};
/// use sluice_core::ids::ClaimId;
/// use sluice_core::record::LedgerTime;
/// let (mut circuit, mut window) = (Circuit::default(), Window::default());
/// let (me, now, settings) = (ClaimId::from_bytes([1; 16]), LedgerTime(0), BreakerSettings::default());
/// for _ in 0..5 {
///     let Permit::Go(ticket) = ask(&circuit, now, me, &settings) else { panic!() };
///     window.hear(ticket, Heard::Trouble);
///     if let Some(change) = change(&circuit, &window, ticket, Heard::Trouble, now, 0.5, &settings) {
///         assert!(change.apply(&mut circuit));
///     }
/// }
/// assert_eq!(circuit.wait(now).as_secs(), 30);
/// ```
pub fn change(
    shared: &Circuit,
    window: &Window,
    ticket: Ticket,
    heard: Heard,
    now: LedgerTime,
    sample: f64,
    settings: &BreakerSettings,
) -> Option<CircuitChange> {
    if ticket.generation != shared.generation {
        return None;
    }
    let open = |failed_probes| Some(opened(shared, failed_probes, now, sample, settings));
    match (shared.state, heard) {
        (CircuitState::Closed, Heard::Trouble) if is_due(shared, window, settings) => open(0),
        (CircuitState::HalfOpen { owner, .. }, _) if owner != ticket.owner => None,
        (CircuitState::HalfOpen { .. }, Heard::Answered) => Some(shared.to(CircuitState::Closed, 0)),
        (CircuitState::HalfOpen { .. }, Heard::Trouble) => open(shared.failed_probes.saturating_add(1)),
        (CircuitState::HalfOpen { .. }, Heard::Nothing) => release(shared, ticket, now),
        (CircuitState::Closed | CircuitState::Open { .. }, _) => None,
    }
}

/// Whether a closed circuit is to be opened because of outcomes that came together from several processes: none of them
/// may have seen enough alone. `sample` is asked for where it opens, and is one of [0, 1).
///
/// As with [`change`], a success never opens a circuit: the newest outcome has to be a failure.
pub fn reconsider(
    shared: &Shared,
    now: LedgerTime,
    sample: impl FnOnce() -> f64,
    settings: &BreakerSettings,
) -> Option<CircuitChange> {
    let Shared { circuit, window, .. } = shared;
    let is_due = circuit.is_closed() && window.ends_in_failure() && is_due(circuit, window, settings);
    is_due.then(|| opened(circuit, 0, now, sample(), settings))
}

fn is_due(circuit: &Circuit, window: &Window, settings: &BreakerSettings) -> bool {
    window.generation() == circuit.generation && window.is_in_trouble(settings)
}

fn opened(
    circuit: &Circuit,
    failed_probes: u32,
    now: LedgerTime,
    sample: f64,
    settings: &BreakerSettings,
) -> CircuitChange {
    let until = later(now, settings.open_for(failed_probes, sample));
    circuit.to(CircuitState::Open { until }, failed_probes)
}

/// Frees a probe's slot at once: whoever had it sent nothing, or was dropped before it could say how it ended. Whatever
/// else a ticket is of needs no freeing.
pub fn release(shared: &Circuit, ticket: Ticket, now: LedgerTime) -> Option<CircuitChange> {
    match shared.state {
        CircuitState::HalfOpen { owner, .. }
            if owner == ticket.owner && shared.generation == ticket.generation =>
        {
            Some(shared.to(CircuitState::Open { until: now }, shared.failed_probes))
        }
        _ => None,
    }
}
