//! All circuits that this process knows.

use super::known::Known;
use crate::seed::Seed;
use sluice_core::retry::Budgets;
use std::collections::HashMap;
use std::time::Duration;

/// How many circuits are known at once.
const MOST: usize = 1024;
/// A circuit that was not used for so long is no longer looked after.
const IDLE: Duration = Duration::from_secs(10);
/// For so long after its last use it is still tried to write what the ledger does not take.
const PURSUED: Duration = Duration::from_mins(1);

/// All circuits of one handle.
#[derive(Debug)]
pub(crate) struct Board {
    // The order of the map is never looked at.
    circuits: HashMap<String, Known, Seed>,
    pub budgets: Budgets,
    /// Where the stamps of this handle's writes begin: nobody else's are near.
    stamp: u64,
    pub is_shared: bool,
}

impl Board {
    pub fn new(seed: &Seed, stamp: u64) -> Self {
        let circuits = HashMap::with_hasher(seed.clone());
        Self { circuits, budgets: Budgets::default(), stamp, is_shared: false }
    }

    /// What is known of a circuit; as it begins where nothing is.
    pub fn known(&mut self, name: &str, now: Duration) -> &mut Known {
        if !self.circuits.contains_key(name) && self.circuits.len() >= MOST {
            self.make_room();
        }
        self.circuits.entry(name.to_owned()).or_insert_with(|| Known::new(now, self.stamp))
    }

    /// Forgets a quarter: first those of which the ledger knows all and that refuse nothing, then what was not used for
    /// longest.
    fn make_room(&mut self) {
        let matters = |known: &Known| known.is_owed() || !known.shared.circuit.is_closed();
        let all = self.circuits.iter();
        let mut all: Vec<_> = all.map(|(name, known)| (matters(known), known.used, name.clone())).collect();
        all.sort_unstable();
        for (_, _, name) in all.iter().take(MOST / 4) {
            self.circuits.remove(name);
        }
    }

    /// Whether the ledger was asked about it not longer ago than that.
    pub fn is_fresh(&self, name: &str, now: Duration, within: Duration) -> bool {
        let asked = self.circuits.get(name).and_then(|known| known.asked);
        asked.is_some_and(|at| now.saturating_sub(at) <= within)
    }

    /// The circuits to look after, in the order of their names.
    pub fn in_use(&self, now: Duration) -> Vec<String> {
        self.names(|known| {
            let unused = now.saturating_sub(known.used);
            unused < IDLE || (unused < PURSUED && known.is_owed())
        })
    }

    /// The circuits of which the ledger is not known to have all, in the order of their names.
    pub fn owed(&self) -> Vec<String> {
        self.names(Known::is_owed)
    }

    fn names(&self, which: impl Fn(&Known) -> bool) -> Vec<String> {
        let found = self.circuits.iter().filter(|(_, known)| which(known));
        let mut names: Vec<_> = found.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }
}
