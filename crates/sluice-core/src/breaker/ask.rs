//! May this claim send something now?

use super::circuit::{Circuit, CircuitChange, CircuitState};
use super::record::Ticket;
use super::settings::BreakerSettings;
use crate::ids::ClaimId;
use crate::record::LedgerTime;
use crate::retention::later;
use std::time::Duration;

/// A circuit's answer to a claim that wants to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Permit {
    /// Send, and report with this ticket how it ended.
    Go(Ticket),
    /// Send as the one probe, once the change is written. Where it does not apply, another caller was faster: go on with
    /// what is stored, as it is, and ask again.
    Probe {
        /// The ticket, good once the change is written.
        ticket: Ticket,
        /// Takes the probe's slot; none where this claim has it already.
        change: Option<CircuitChange>,
    },
    /// Send nothing; ask again after that time, which is never zero.
    Refused {
        /// How long until an answer can be another one.
        retry_after: Duration,
    },
}

/// Asks a circuit for a claim, at that ledger time. Replays do not ask.
///
/// ```
/// use sluice_core::breaker::{BreakerSettings, Circuit, CircuitState, Permit, ask};
/// use sluice_core::ids::ClaimId;
/// use sluice_core::record::LedgerTime;
/// use std::time::Duration;
/// let (me, settings) = (ClaimId::from_bytes([1; 16]), BreakerSettings::default());
/// let open = Circuit { state: CircuitState::Open { until: LedgerTime(5000) }, ..Circuit::default() };
/// let refused = ask(&open, LedgerTime(0), me, &settings);
/// assert_eq!(refused, Permit::Refused { retry_after: Duration::from_secs(5) });
/// let Permit::Probe { change: Some(change), .. } = ask(&open, LedgerTime(5000), me, &settings) else { panic!() };
/// assert!(change.apply(&mut open.clone()), "the slot is free");
/// ```
pub fn ask(shared: &Circuit, now: LedgerTime, me: ClaimId, settings: &BreakerSettings) -> Permit {
    let wait = shared.wait(now);
    match shared.state {
        CircuitState::Closed => Permit::Go(Ticket::of(shared, me)),
        CircuitState::HalfOpen { owner, .. } if owner == me && !wait.is_zero() => {
            Permit::Probe { ticket: Ticket::of(shared, me), change: None }
        }
        _ if !wait.is_zero() => Permit::Refused { retry_after: wait },
        _ => {
            let until = later(now, settings.probe_for());
            let change = shared.to(CircuitState::HalfOpen { owner: me, until }, shared.failed_probes);
            Permit::Probe { ticket: Ticket::of(&change.next, me), change: Some(change) }
        }
    }
}
