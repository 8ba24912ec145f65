//! Mistakes about circuits.

use super::store::MEANWHILE;
use super::{BrokenStore, Fault};
use crate::block_on;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::ids::Version;
use sluice_core::outcome::cut;
use sluice_core::store::StoreError;
use std::thread;

impl BrokenStore {
    pub(super) fn do_circuit(&self, name: String, change: Option<SharedChange>) -> Result<Seen, StoreError> {
        let name = self.circuit_filed(name);
        let ask = |change| block_on(self.inner.circuit(name.clone(), change));
        let mut seen = match (self.fault, change) {
            (Fault::CircuitWritesAnyway, Some(change)) => {
                let expected = ask(None)?.shared.circuit.version;
                ask(Some(SharedChange { expected, ..change }))?
            }
            (Fault::CircuitChecksThenWrites, Some(change)) => self.check_then_write_circuit(&name, change)?,
            (Fault::CircuitNeverWrites, Some(change)) => {
                Seen { shared: change.next, applied: true, ..ask(None)? }
            }
            (_, change) => ask(change)?,
        };
        match self.fault {
            Fault::CircuitTellsTheWall => seen.now = block_on(self.inner.condition())?.wall,
            Fault::CircuitsStay => self.remember(&name, &mut seen.shared),
            Fault::CircuitIsChange if seen.applied => self.bump_all()?,
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

    fn circuit_filed(&self, name: String) -> String {
        match self.fault {
            Fault::CircuitsShareOne => "one".to_owned(),
            Fault::CircuitsFoldCase => name.to_lowercase(),
            Fault::CircuitNamesCut => cut(&name, 64).to_owned(),
            _ => name,
        }
    }

    /// Looks, lets others in between, and then writes over whatever is there by now.
    fn check_then_write_circuit(&self, name: &str, mut change: SharedChange) -> Result<Seen, StoreError> {
        let mut seen = block_on(self.inner.circuit(name.to_owned(), None))?;
        if seen.shared.circuit.version != change.expected {
            return Ok(seen);
        }
        thread::sleep(MEANWHILE);
        while !seen.applied {
            change.expected = seen.shared.circuit.version;
            seen = block_on(self.inner.circuit(name.to_owned(), Some(change.clone())))?;
        }
        Ok(seen)
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
