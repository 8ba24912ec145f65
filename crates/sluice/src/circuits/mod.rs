//! Is the target in trouble? Asked before a claim, so that what is refused leaves no record.
//!
//! What is known of a circuit is in memory, and the ledger is asked once when a circuit is first used. While it is in use, a
//! task reads and writes it once a second, so that all processes of a ledger know within a second what one of them saw.
//! Opening a circuit, closing it, and taking its one probe are written at once.

mod board;
mod pass;
mod share;

use board::Board;
pub(crate) use pass::Pass;

use crate::seed::Seed;
use sluice_core::breaker::{
    BreakerSettings, CircuitState, NAME_LIMIT, Permit, Shared, SharedChange, ask, change, release,
};
use sluice_core::failure::FailureClass;
use sluice_core::ids::ClaimId;
use sluice_core::ports::Ports;
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
        Self { board: Arc::new(Mutex::new(Board::new(seed))), store, ports, breaker, budget }
    }

    /// Asks for a claim that wants to send something.
    ///
    /// Where the ledger cannot be asked, what this process knows counts: a circuit spares a target, and nothing but that
    /// depends on it.
    pub async fn ask(&self, name: &str, me: ClaimId) -> Result<Pass, Refused> {
        let Some(settings) = self.breaker else { return Ok(Pass::free()) };
        self.freshen(name).await;
        for _ in 0..TRIES {
            let now = self.now();
            let permit = {
                let mut board = self.board();
                let known = board.known(name, now);
                known.used = now;
                ask(&known.shared.circuit, known.ledger_time(now), me, &settings)
            };
            match permit {
                Permit::Go(ticket) | Permit::Probe { ticket, change: None } => {
                    self.begin_to_share();
                    return Ok(Pass::new(self, name, ticket));
                }
                Permit::Refused { retry_after } => {
                    self.begin_to_share();
                    return Err(Refused(retry_after));
                }
                Permit::Probe { ticket, change: Some(change) } => {
                    let window = self.board().known(name, now).shared.window;
                    let written = self.write(name, Shared::changed(window, change)).await;
                    if written.is_none_or(|applied| applied) {
                        self.begin_to_share();
                        return Ok(Pass::new(self, name, ticket));
                    }
                }
            }
        }
        // Everybody writes at once: somebody has the probe.
        Err(Refused(EVERY))
    }

    /// Takes in how an attempt ended; `None` is a success. What it changes is true here at once, and written beside the
    /// caller's path.
    pub fn heard(&self, pass: &Pass, class: Option<FailureClass>) {
        let (Some(settings), Some((name, ticket))) = (self.breaker, pass.what()) else { return };
        let (heard, now, sample) =
            (sluice_core::breaker::heard(class), self.now(), self.ports.chance.sample());
        let write = {
            let mut board = self.board();
            let known = board.known(name, now);
            known.hear(ticket, heard);
            let time = known.ledger_time(now);
            let Shared { circuit, window } = known.shared.clone();
            change(&circuit, &window, ticket, heard, time, sample, &settings)
                .map(|change| known.changes(Shared::changed(window, change)))
        };
        match write {
            Some(change) => self.write_beside(name.to_owned(), change),
            None => self.begin_to_share(),
        }
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
    fn dropped(&self, name: &str, ticket: sluice_core::breaker::Ticket) {
        let now = self.now();
        let write = {
            let mut board = self.board();
            let known = board.known(name, now);
            let Shared { circuit, window } = known.shared.clone();
            release(&circuit, ticket, known.ledger_time(now))
                .map(|change| known.changes(Shared::changed(window, change)))
        };
        if let Some(change) = write {
            self.write_beside(name.to_owned(), change);
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
