//! Is the target in trouble? Asked before a claim, so that what is refused leaves no record.
//!
//! What is known of a circuit is in memory, and the ledger is asked once when a circuit is first used. While it is in use, a
//! task reads and writes it once a second, so that all processes of a ledger know within a second what one of them saw.
//! Opening a circuit, closing it, and taking its one probe are written at once.

mod board;
mod known;
mod pass;
mod share;
mod standing;

use board::Board;
use known::Known;
pub(crate) use pass::Pass;
pub use standing::Standing;

use crate::seed::Seed;
use sluice_core::breaker::{
    BreakerSettings, CircuitChange, CircuitState, NAME_LIMIT, Permit, Ticket, ask, change, release,
};
use sluice_core::failure::FailureClass;
use sluice_core::ids::ClaimId;
use sluice_core::ports::Ports;
use sluice_core::record::LedgerTime;
use sluice_core::retry::Budget;
use sluice_core::store::Store;
use sluice_core::{Code, Error};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Pause between two looks at the ledger, and how old what is known may be.
const EVERY: Duration = Duration::from_secs(1);
/// How often a conditional write is decided anew because somebody else wrote first.
const TRIES: u32 = 8;

/// The circuits of one handle.
#[derive(Clone, Debug)]
pub(crate) struct Circuits {
    board: Arc<Mutex<Board>>,
    store: Arc<dyn Store>,
    ports: Ports,
    breaker: Option<BreakerSettings>,
    budget: Budget,
}

/// Why nothing may be sent to a target now, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub Duration);

impl Circuits {
    pub fn new(
        store: Arc<dyn Store>,
        ports: Ports,
        seed: &Seed,
        breaker: Option<BreakerSettings>,
        budget: Budget,
    ) -> Self {
        let stamp =
            ports.chance.bits().into_iter().take(8).fold(0, |stamp, byte| (stamp << 8) | u64::from(byte));
        Self { board: Arc::new(Mutex::new(Board::new(seed, stamp))), store, ports, breaker, budget }
    }

    /// Asks for a claim that wants to send something.
    ///
    /// Where the ledger cannot be asked, what this process knows counts: a circuit spares a target, and nothing but that
    /// depends on it.
    pub async fn ask(&self, name: &str, me: ClaimId) -> Result<Pass, Refused> {
        let Some(settings) = self.breaker else { return Ok(Pass::free()) };
        self.freshen(name).await;
        for _ in 0..TRIES {
            let (permit, has_taken) = self.permit(name, me, &settings);
            self.begin_to_share();
            let ticket = match permit {
                Permit::Refused { retry_after } => return Err(Refused(retry_after)),
                Permit::Go(ticket) | Permit::Probe { ticket, .. } => ticket,
            };
            // Made before the slot is written, so that a caller that goes away meanwhile frees it.
            let pass = Pass::new(self, name, ticket);
            if has_taken {
                self.write(name).await;
            }
            if !has_taken || self.is_its_probe(name, ticket, me) {
                return Ok(pass);
            }
        }
        // Everybody writes at once: somebody has the probe.
        Err(Refused(EVERY))
    }

    /// What the circuit says, and whether that took the probe's slot. It is taken here first, so that of many callers one
    /// asks the ledger for it.
    fn permit(&self, name: &str, me: ClaimId, settings: &BreakerSettings) -> (Permit, bool) {
        let now = self.now();
        let mut board = self.board();
        let known = board.known(name, now);
        known.used = now;
        let mut permit = ask(&known.shared.circuit, known.ledger_time(now), me, settings);
        let Permit::Probe { change, .. } = &mut permit else { return (permit, false) };
        let taken = change.take();
        let has_taken = taken.is_some();
        if let Some(change) = taken {
            known.changes(change);
        }
        (permit, has_taken)
    }

    /// Whether the probe's slot is still this claim's, now that the ledger was told. Another process may have been faster.
    fn is_its_probe(&self, name: &str, ticket: Ticket, me: ClaimId) -> bool {
        let now = self.now();
        let mut board = self.board();
        let circuit = &board.known(name, now).shared.circuit;
        let is_owner = matches!(circuit.state, CircuitState::HalfOpen { owner, .. } if owner == me);
        is_owner && circuit.generation == ticket.generation()
    }

    /// Takes in how an attempt ended; `None` is a success. What it changes is true here at once, and written beside the
    /// caller's path.
    pub fn heard(&self, pass: &Pass, class: Option<FailureClass>) {
        let (Some(settings), Some((name, ticket))) = (self.breaker, pass.what()) else { return };
        let (heard, sample) = (sluice_core::breaker::heard(class), self.ports.chance.sample());
        self.decide(name, |known, time| {
            known.hear(ticket, heard);
            change(&known.shared.circuit, &known.shared.window, ticket, heard, time, sample, &settings)
        });
    }

    /// Whether another attempt may be sent with this pass: what it was given in still holds.
    pub fn still_allows(&self, pass: &Pass) -> bool {
        let (Some(_), Some((name, ticket))) = (self.breaker, pass.what()) else { return true };
        let now = self.now();
        let mut board = self.board();
        let known = board.known(name, now);
        let is_same = known.shared.circuit.generation == ticket.generation();
        is_same && !matches!(known.shared.circuit.state, CircuitState::Open { .. })
    }

    /// A pass was dropped without a word: where it was a probe, another caller may take it.
    fn dropped(&self, name: &str, ticket: Ticket) {
        self.decide(name, |known, time| release(&known.shared.circuit, ticket, time));
    }

    fn decide(&self, name: &str, what: impl FnOnce(&mut Known, LedgerTime) -> Option<CircuitChange>) {
        let now = self.now();
        let has_changed = {
            let mut board = self.board();
            let known = board.known(name, now);
            known.used = now;
            let time = known.ledger_time(now);
            what(known, time).map(|change| known.changes(change)).is_some()
        };
        if has_changed {
            self.write_beside(name.to_owned());
        } else {
            self.begin_to_share();
        }
    }

    /// A first attempt is about to be sent.
    pub fn called(&self, name: &str) {
        let now = self.now();
        self.board().budgets.call(name, &self.budget, now);
    }

    /// Takes a token for one more attempt, if there is one.
    pub fn token(&self, name: &str) -> bool {
        let now = self.now();
        self.board().budgets.take(name, &self.budget, now)
    }

    fn now(&self) -> Duration {
        self.ports.clock.elapsed()
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a name that no ledger takes.
///
/// # Errors
/// `E_CONFIG` where it is empty or too long.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    if name.is_empty() || name.len() > NAME_LIMIT {
        let said = format!("the name of a circuit has 1 to {NAME_LIMIT} bytes");
        return Err(Error::new(Code::Config, said));
    }
    Ok(())
}
