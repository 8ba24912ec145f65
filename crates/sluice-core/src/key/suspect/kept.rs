//! What was found, in bounded memory.

use super::kind::SuspicionKind;
use super::{made, walk};
use crate::key::json::Json;

/// So many findings of each kind are kept with their place; the rest is counted.
///
/// A limit for each kind, not for all, so that a thousand times cannot hide the one card number.
const KEPT_OF_A_KIND: usize = 16;

/// Holds one part of a key that should not be in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    kind: SuspicionKind,
    path: String,
}

impl Suspicion {
    /// Returns what it looks like.
    pub fn kind(&self) -> SuspicionKind {
        self.kind
    }

    /// Returns where it is, as a JSON Pointer; `""` is the whole value, or the whole of a hand-made key.
    ///
    /// Long names are shortened and control characters are escaped, so this is for people and reports.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Holds what was found in the parts of a key: at most 16 places of each kind, and how many there were.
///
/// Finding takes time in proportion to the size of the value. No value from the input is kept.
///
/// ```
/// use sluice_core::key::{Json, SuspicionKind, Suspicions};
///
/// let parts = Json::parse(br#"{"args":{"order":"o-17","sentAt":"2026-11-30T10:00:00Z"},"message_id":"m-1"}"#)?;
/// let found = Suspicions::of_parts(&parts);
/// let told: Vec<_> = found.kept().iter().map(|one| (one.kind().as_str(), one.path())).collect();
/// assert_eq!(told, [("clock", "/args/sentAt"), ("delivery_id", "/message_id")]);
///
/// assert_eq!(Suspicions::of_key("charge:jo@example.org:o-17").count(SuspicionKind::Email), 1);
/// assert!(Suspicions::of_key("order-17").is_empty());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspicions {
    kept: Vec<Suspicion>,
    counts: [usize; SuspicionKind::ALL.len()],
}

impl Suspicions {
    /// Looks through the parts that a key is derived from.
    pub fn of_parts(parts: &Json) -> Self {
        walk::walk(parts)
    }

    /// Looks through a key that was made by hand.
    pub fn of_key(key: &str) -> Self {
        let mut found = Self::default();
        made::kinds(key).for_each(|kind| found.add(kind, String::new));
        found
    }

    /// Returns the findings whose place is kept, in the order of the value.
    pub fn kept(&self) -> &[Suspicion] {
        &self.kept
    }

    /// Returns how many of a kind there are, kept or not.
    pub fn count(&self, kind: SuspicionKind) -> usize {
        self.counts[kind as usize]
    }

    /// Returns how many there are of any kind, kept or not.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Says whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// The place is only made for what is kept: a long document may have a million of them.
    pub(super) fn add(&mut self, kind: SuspicionKind, path: impl FnOnce() -> String) {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        if *count <= KEPT_OF_A_KIND {
            self.kept.push(Suspicion { kind, path: path() });
        }
    }
}
