//! Mistakes about circuits.

use super::{BrokenStore, Fault};
use crate::block_on;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::ids::Version;
use sluice_core::store::StoreError;

impl BrokenStore {
    pub(super) fn do_circuit(&self, name: String, change: Option<SharedChange>) -> Result<Seen, StoreError> {
        let name = if self.fault == Fault::CircuitsShareOne { "one".to_owned() } else { name };
        let ask = |change| block_on(self.inner.circuit(name.clone(), change));
        let mut seen = match (self.fault, change) {
            (Fault::CircuitWritesAnyway, Some(change)) => {
                let expected = ask(None)?.shared.circuit.version;
                ask(Some(SharedChange { expected, ..change }))?
            }
            (Fault::CircuitNeverWrites, Some(change)) => {
                Seen { shared: change.next, applied: true, ..ask(None)? }
            }
            (_, change) => ask(change)?,
        };
        match self.fault {
            Fault::CircuitTellsTheWall => seen.now = block_on(self.inner.condition())?.wall,
            Fault::CircuitsStay => self.remember(&name, &mut seen.shared),
            _ => {}
        }
        Ok(seen)
    }

    pub(super) fn do_circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> Result<Vec<(String, Shared)>, StoreError> {
        let after = after.filter(|_| self.fault != Fault::CircuitsUnlisted);
        block_on(self.inner.circuits(after, limit))
    }

    fn remember(&self, name: &str, shared: &mut Shared) {
        let mut notes = self.notes();
        if shared.circuit.version > Version(0) {
            notes.circuits.insert(name.to_owned(), shared.clone());
        } else if let Some(known) = notes.circuits.get(name) {
            *shared = known.clone();
        }
    }
}
