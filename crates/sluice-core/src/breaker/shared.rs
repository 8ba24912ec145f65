//! What is stored of a circuit: its state, and how the last calls of all processes ended.

use super::circuit::{Circuit, Generation};
use super::window::Window;
use crate::ids::Version;
use crate::record::LedgerTime;
use serde::{Deserialize, Serialize};

/// Longest name of a circuit, in bytes.
pub const NAME_LIMIT: usize = 200;

/// A circuit as all processes of a ledger share it.
///
/// The last outcomes are part of it, since a process may live for no longer than one call. Outcomes of a generation that
/// the circuit has not reached are not read: no outcome would be newer, and the circuit would never open again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Shared {
    /// Its state; the version counts every write of either part.
    pub circuit: Circuit,
    /// The last outcomes.
    pub window: Window,
    /// Which write it is of, so that whoever wrote it knows it from an equal one of somebody else.
    #[serde(default)]
    pub stamp: u64,
}

/// What stands in a ledger, whoever wrote it.
#[derive(Deserialize)]
struct Stored {
    circuit: Circuit,
    #[serde(default)]
    window: Window,
    #[serde(default)]
    stamp: u64,
}

impl From<Stored> for Shared {
    fn from(Stored { circuit, window, stamp }: Stored) -> Self {
        let is_ahead = window.generation() > circuit.generation;
        Self { circuit, window: if is_ahead { Window::default() } else { window }, stamp }
    }
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
        is_news.then_some(SharedChange {
            expected: self.circuit.version,
            next: Self { circuit, window, stamp: self.stamp },
        })
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

    fn stored(generation: u64, bits: u32, outcomes: u32) -> Shared {
        let circuit = serde_json::to_string(&Circuit::default()).unwrap();
        let window = format!(r#"{{"generation":{generation},"bits":{bits},"outcomes":{outcomes}}}"#);
        serde_json::from_str(&format!(r#"{{"circuit":{circuit},"window":{window}}}"#)).unwrap()
    }

    #[test]
    fn outcomes_that_nobody_can_have_written_do_no_harm() {
        for (bits, outcomes) in [(u32::MAX, u32::MAX), (u32::MAX, 0), (0, u32::MAX), (1 << 31, 1)] {
            let shared = stored(0, bits, outcomes);
            assert!(shared.window.failures() <= shared.window.outcomes());
            assert!(shared.window.outcomes() <= 20);
            let change = shared.heard(&[(Generation(0), true)]).unwrap();
            assert!((1..=20).contains(&change.next.window.outcomes()));
        }
    }

    #[test]
    fn outcomes_of_a_generation_to_come_do_not_keep_it_closed_for_ever() {
        let shared = stored(u64::MAX, 0, 20);
        let change = shared.heard(&[(Generation(0), true)]).unwrap();
        assert_eq!((change.next.window.failures(), change.next.window.outcomes()), (1, 1));
    }

    #[test]
    fn what_is_written_is_read_back_and_a_row_without_outcomes_too() {
        let change = Shared::default().heard(&[(Generation(0), true)]).unwrap();
        let text = serde_json::to_string(&change.next).unwrap();
        assert_eq!(serde_json::from_str::<Shared>(&text).unwrap(), change.next);
        let circuit = serde_json::to_string(&change.next.circuit).unwrap();
        let bare: Shared = serde_json::from_str(&format!(r#"{{"circuit":{circuit}}}"#)).unwrap();
        assert_eq!(bare, Shared { window: Window::default(), ..change.next });
    }
}
