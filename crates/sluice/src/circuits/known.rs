//! One circuit as this process knows it, beside what the ledger is known to have.

use sluice_core::breaker::{CircuitChange, Generation, Heard, Seen, Shared, SharedChange, Ticket};
use sluice_core::record::LedgerTime;
use sluice_core::retention::later;
use sluice_core::store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The last outcomes are all that is ever looked at.
const MOST_OUTCOMES: usize = 20;
/// How many writes without an answer are remembered.
const MOST_DOUBTS: usize = 8;

#[derive(Debug)]
pub(crate) struct Known {
    /// What is true here: what the ledger told, and what was heard and decided here since. Its version is the one that
    /// the ledger told, so that the next write is conditional on it.
    pub shared: Shared,
    /// When it was last used, on the handle's own clock.
    pub used: Duration,
    /// When the ledger was last asked, whether or not it answered.
    pub asked: Option<Duration>,
    /// Whoever talks to the ledger about this circuit has it: one talk at a time, so that no answer overtakes another.
    pub turn: Arc<Mutex<()>>,
    /// Its state was changed here, and the ledger is not known to have that.
    is_ahead: bool,
    /// That of the last write.
    stamp: u64,
    /// What was heard here and the ledger is not known to have, oldest first.
    unwritten: Vec<(Generation, bool)>,
    /// Writes that may have been carried out although nobody heard so.
    doubts: Vec<Sent>,
    /// When the ledger was asked for what it last told, and its time then.
    told: Option<(Duration, LedgerTime)>,
}

/// A write on its way.
#[derive(Debug)]
struct Sent {
    next: Shared,
    /// How many of the unwritten outcomes it has.
    outcomes: usize,
}

impl Known {
    pub fn new(now: Duration, stamp: u64) -> Self {
        Self {
            shared: Shared::default(),
            used: now,
            asked: None,
            turn: Arc::default(),
            is_ahead: false,
            stamp,
            unwritten: Vec::new(),
            doubts: Vec::new(),
            told: None,
        }
    }

    /// Ledger time, counted on from when the ledger last told it. Before it ever did, the handle's own clock has to do: a
    /// circuit that opened meanwhile must not refuse for ever.
    pub fn ledger_time(&self, now: Duration) -> LedgerTime {
        let (at, time) = self.told.unwrap_or_default();
        later(time, now.saturating_sub(at))
    }

    /// Notes an outcome, to be written later.
    pub fn hear(&mut self, ticket: Ticket, heard: Heard) {
        self.shared.window.hear(ticket, heard);
        if heard != Heard::Nothing && ticket.generation() == self.shared.circuit.generation {
            self.unwritten.push((ticket.generation(), heard == Heard::Trouble));
            self.forget(self.unwritten.len().saturating_sub(MOST_OUTCOMES));
        }
    }

    /// Makes a change true here, to be written soon. What led to it is kept until it is, since another process may have
    /// written in between, and then it is decided again.
    pub fn changes(&mut self, change: CircuitChange) {
        let version = self.shared.circuit.version;
        self.shared.circuit = change.next;
        self.shared.circuit.version = version;
        self.is_ahead = true;
        if self.shared.circuit.is_closed() {
            self.forget(self.unwritten.len());
        }
    }

    /// Whether the ledger is not known to have all of it.
    pub fn is_owed(&self) -> bool {
        let generation = self.shared.circuit.generation;
        self.is_ahead || self.unwritten.iter().any(|(of, _)| *of == generation)
    }

    /// Whether its state waits to be written.
    pub fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// The write that is owed, which is on its way from now on.
    pub fn send(&mut self) -> Option<SharedChange> {
        if !self.is_owed() {
            return None;
        }
        let expected = self.shared.circuit.version;
        let mut next = self.shared.clone();
        next.circuit.version = expected.next();
        self.stamp = self.stamp.wrapping_add(1);
        next.stamp = self.stamp;
        if self.doubts.len() == MOST_DOUBTS {
            self.doubts.remove(0);
        }
        self.doubts.push(Sent { next: next.clone(), outcomes: self.unwritten.len() });
        Some(SharedChange { expected, next })
    }

    /// What was sent last failed. Where it may have been carried out all the same, it stays in doubt, as does a write whose
    /// caller went away.
    pub fn failed(&mut self, error: &StoreError) {
        if !error.outcome_unknown {
            self.doubts.pop();
        }
    }

    /// What was sent last was answered.
    pub fn wrote(&mut self, seen: Seen, asked_at: Duration) {
        let sent = self.doubts.pop();
        match sent {
            // A message that came twice is refused the second time, by what it wrote itself the first time.
            Some(sent) if seen.applied || seen.shared == sent.next => {
                self.told = Some((asked_at, seen.now));
                self.landed(sent.outcomes, seen.shared);
            }
            _ => self.told(seen, asked_at),
        }
    }

    /// Takes in what the ledger told.
    pub fn told(&mut self, seen: Seen, asked_at: Duration) {
        let was_told = self.told.replace((asked_at, seen.now)).is_some();
        if let Some(sent) = self.doubts.iter().find(|sent| sent.next == seen.shared) {
            return self.landed(sent.outcomes, seen.shared);
        }
        let has_moved = seen.shared.circuit.version != self.shared.circuit.version;
        if has_moved && let Some(sent) = self.doubts.pop() {
            // Nobody knows whether it was written before the others wrote. Better an outcome too few than one counted
            // twice: a target that is well must not be spared.
            self.forget(sent.outcomes);
            self.doubts.clear();
        }
        // What changed here has not been written yet, and nobody else wrote.
        if self.is_ahead && was_told && !has_moved {
            return;
        }
        self.is_ahead = false;
        self.take(seen.shared);
    }

    /// A write was carried out, so that this is stored now.
    fn landed(&mut self, outcomes: usize, stored: Shared) {
        self.forget(outcomes);
        self.doubts.clear();
        self.shared.circuit.version = stored.circuit.version;
        self.is_ahead = self.is_ahead && self.shared.circuit != stored.circuit;
        if !self.is_ahead {
            self.take(stored);
        }
    }

    /// What is stored counts, and what was heard here and is not written comes on top.
    fn take(&mut self, stored: Shared) {
        self.shared = stored;
        if let Some(change) = self.shared.heard(&self.unwritten) {
            self.shared.window = change.next.window;
        }
        let generation = self.shared.circuit.generation;
        self.unwritten.retain(|(of, _)| *of == generation);
    }

    /// Forgets the oldest outcomes, also in what is on its way.
    fn forget(&mut self, outcomes: usize) {
        let outcomes = outcomes.min(self.unwritten.len());
        self.unwritten.drain(..outcomes);
        for sent in &mut self.doubts {
            sent.outcomes = sent.outcomes.saturating_sub(outcomes);
        }
    }
}
