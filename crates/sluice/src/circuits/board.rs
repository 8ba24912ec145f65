//! What this process knows of its circuits.

use crate::seed::Seed;
use sluice_core::breaker::{Generation, Heard, Seen, Shared, SharedChange, Ticket};
use sluice_core::record::LedgerTime;
use sluice_core::retention::later;
use sluice_core::retry::Budgets;
use std::collections::HashMap;
use std::time::Duration;

/// How many circuits are known at once; what was not used for longest goes first.
const MOST: usize = 1024;
/// A circuit that was not used for so long is no longer looked after.
const IDLE: Duration = Duration::from_secs(10);

/// All circuits of one handle.
#[derive(Debug)]
pub(crate) struct Board {
    // The order of the map is never looked at.
    circuits: HashMap<String, Known, Seed>,
    pub budgets: Budgets,
    pub is_shared: bool,
}

/// One circuit as this process knows it.
#[derive(Debug)]
pub(crate) struct Known {
    /// As it is stored, with what was heard here since.
    pub shared: Shared,
    /// What was heard here and is not written yet.
    pub unwritten: Vec<(Generation, bool)>,
    /// When it was last used, on the handle's own clock.
    pub used: Duration,
    /// When the ledger last told of it, and its time then.
    pub told: Option<(Duration, LedgerTime)>,
    /// How many changes are true here and on their way to the ledger.
    pub on_their_way: u32,
}

impl Board {
    pub fn new(seed: &Seed) -> Self {
        let circuits = HashMap::with_hasher(seed.clone());
        Self { circuits, budgets: Budgets::default(), is_shared: false }
    }

    /// What is known of a circuit; as it begins where nothing is.
    pub fn known(&mut self, name: &str, now: Duration) -> &mut Known {
        if !self.circuits.contains_key(name) && self.circuits.len() >= MOST {
            self.circuits.retain(|_, known| known.is_in_use(now) || !known.unwritten.is_empty());
            if self.circuits.len() >= MOST {
                self.circuits.clear();
            }
        }
        self.circuits.entry(name.to_owned()).or_insert_with(|| Known {
            shared: Shared::default(),
            unwritten: Vec::new(),
            used: now,
            told: None,
            on_their_way: 0,
        })
    }

    /// Whether the ledger told of it not longer ago than that.
    pub fn is_fresh(&self, name: &str, now: Duration, within: Duration) -> bool {
        let told = self.circuits.get(name).and_then(|known| known.told);
        told.is_some_and(|(at, _)| now.saturating_sub(at) <= within)
    }

    /// The circuits to look after, in the order of their names.
    pub fn in_use(&self, now: Duration) -> Vec<String> {
        let in_use =
            self.circuits.iter().filter(|(_, known)| known.is_in_use(now) || !known.unwritten.is_empty());
        let mut names: Vec<_> = in_use.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }
}

impl Known {
    fn is_in_use(&self, now: Duration) -> bool {
        now.saturating_sub(self.used) < IDLE
    }

    /// Ledger time, counted on from when the ledger last told of it. Before it ever did, the circuit is closed, and no time
    /// matters.
    pub fn ledger_time(&self, now: Duration) -> LedgerTime {
        self.told.map_or(LedgerTime(0), |(at, time)| later(time, now.saturating_sub(at)))
    }

    /// Notes an outcome, to be written later.
    pub fn hear(&mut self, ticket: Ticket, heard: Heard) {
        self.shared.window.hear(ticket, heard);
        if heard != Heard::Nothing {
            self.unwritten.push((ticket.generation(), heard == Heard::Trouble));
        }
        // The last twenty are all that is ever looked at.
        let surplus = self.unwritten.len().saturating_sub(20);
        self.unwritten.drain(..surplus);
    }

    /// Makes a change true here at once; answers it, to be written.
    pub fn changes(&mut self, change: SharedChange) -> SharedChange {
        self.shared = change.next.clone();
        self.unwritten.clear();
        self.on_their_way += 1;
        change
    }

    /// Takes in what the ledger told. What was heard here and is not written yet counts on top of it.
    pub fn told(&mut self, seen: Seen, asked_at: Duration) {
        self.told = Some((asked_at, seen.now));
        // A look that was under way when the circuit changed here tells of what was before.
        if self.on_their_way > 0 && seen.shared.circuit.version < self.shared.circuit.version {
            return;
        }
        let unwritten = std::mem::take(&mut self.unwritten);
        self.shared = seen.shared;
        if let Some(change) = self.shared.heard(&unwritten) {
            self.shared.window = change.next.window;
            self.unwritten = unwritten;
        }
    }
}
