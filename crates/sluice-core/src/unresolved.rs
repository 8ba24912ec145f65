//! The epochs of which nobody knows whether they took hold.

use crate::ids::Epoch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why an epoch is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Its lease ended, or its holder is gone; the holder itself may still know.
    Lapsed,
    /// Its holder said that it does not know, and its execution may go on. No later word of that holder is definite,
    /// a success aside.
    Unknown,
    /// The same, and its execution is over: the holder is gone by its own word.
    Ended,
}

impl Doubt {
    /// How much its holder has said; a later word never takes anything back.
    fn weight(self) -> u8 {
        match self {
            Self::Lapsed => 0,
            Self::Unknown => 1,
            Self::Ended => 2,
        }
    }

    /// Whether the holder itself said that it does not know.
    pub fn is_own_word(self) -> bool {
        self != Self::Lapsed
    }
}

/// A sticky set of epochs; each leaves it only by its own holder's definite word, a verdict, or a success.
///
/// ```
/// use sluice_core::{ids::Epoch, unresolved::{Doubt, Unresolved}};
/// let mut set = Unresolved::default();
/// set.add(Epoch(1), Doubt::Unknown);
/// set.add(Epoch(1), Doubt::Lapsed);
/// assert_eq!(set.why(Epoch(1)), Some(Doubt::Unknown), "a lapse does not make an unknown attempt definite");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unresolved(BTreeMap<Epoch, Doubt>);

impl Unresolved {
    /// Adds an epoch. What its holder said before is kept.
    pub fn add(&mut self, epoch: Epoch, doubt: Doubt) {
        let entry = self.0.entry(epoch).or_insert(doubt);
        if doubt.weight() > entry.weight() {
            *entry = doubt;
        }
    }

    /// Removes an epoch; true if it was there.
    pub fn remove(&mut self, epoch: Epoch) -> bool {
        self.0.remove(&epoch).is_some()
    }

    /// Forgets every doubt, which only a known landing justifies.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Why that epoch is unresolved, if it is.
    pub fn why(&self, epoch: Epoch) -> Option<Doubt> {
        self.0.get(&epoch).copied()
    }

    /// Whether no epoch is in doubt.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The epochs in doubt, oldest first.
    pub fn epochs(&self) -> impl DoubleEndedIterator<Item = Epoch> + '_ {
        self.0.keys().copied()
    }

    /// How many epochs are in doubt.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<(Epoch, Doubt)> for Unresolved {
    fn from_iter<I: IntoIterator<Item = (Epoch, Doubt)>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}
