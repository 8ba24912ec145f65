//! What is stored of a circuit: its state, and how the last calls of all processes ended.

use super::circuit::{Circuit, CircuitChange, Generation};
use super::window::Window;
use crate::ids::Version;
use crate::record::LedgerTime;
use serde::{Deserialize, Serialize};

/// Longest name of a circuit, in bytes.
pub const NAME_LIMIT: usize = 200;

/// A circuit as all processes of a ledger share it.
///
/// The last outcomes are part of it, since a process may live for no longer than one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// Its state; the version counts every write of either part.
    pub circuit: Circuit,
    /// The last outcomes.
    #[serde(default)]
    pub window: Window,
}

/// A conditional write of a shared circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange {
    /// The version it was decided on; 0 where none is stored.
    pub expected: Version,
    /// What is stored then.
    pub next: Shared,
}

/// What a ledger answers about a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The circuit as it is stored now; as it begins, where it is not stored.
    pub shared: Shared,
    /// Whether the change that was asked for was written; false where none was.
    pub applied: bool,
    /// Ledger time.
    pub now: LedgerTime,
}

impl Shared {
    /// The write of a change of its state, with these last outcomes.
    pub fn changed(window: Window, change: CircuitChange) -> SharedChange {
        SharedChange { expected: change.expected, next: Self { circuit: change.next, window } }
    }

    /// The write of more outcomes, each of the generation it was heard in; nothing where all of them came too late.
    pub fn heard(&self, outcomes: &[(Generation, bool)]) -> Option<SharedChange> {
        let mut window = self.window;
        for (generation, failed) in outcomes {
            if *generation == self.circuit.generation {
                window.note(*generation, *failed);
            }
        }
        let circuit = Circuit { version: self.circuit.version.next(), ..self.circuit.clone() };
        let is_news = outcomes.iter().any(|(generation, _)| *generation == self.circuit.generation);
        is_news.then_some(SharedChange { expected: self.circuit.version, next: Self { circuit, window } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_written_on_top_of_those_of_others_and_late_ones_not_at_all() {
        let shared = Shared::default();
        let change = shared.heard(&[(Generation(0), true), (Generation(0), false)]).unwrap();
        assert_eq!((change.expected, change.next.circuit.version), (Version(0), Version(1)));
        assert_eq!((change.next.window.failures(), change.next.window.outcomes()), (1, 2));
        let again = change.next.heard(&[(Generation(0), true)]).unwrap();
        assert_eq!((again.next.window.failures(), again.next.window.outcomes()), (2, 3));
        assert_eq!(shared.heard(&[(Generation(7), true)]), None);
        assert_eq!(shared.heard(&[]), None);
    }
}
