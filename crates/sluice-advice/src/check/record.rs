//! What is kept of a delivery while all of them are looked at.

use super::sort::Fixed;

/// A time that was not recorded.
pub(super) const NO_TIME: i64 = i64::MIN;

/// A delivery in the order of keys, then of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ByKey {
    pub key: u128,
    pub line: u64,
    pub offset: u64,
    pub at: i64,
    pub action: u128,
    pub request: u64,
    /// Whether nobody labelled it, so that its action is a guess.
    pub is_guess: bool,
}

/// A delivery in the order of actions, then of arrival, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ByAction {
    pub action: u128,
    pub line: u64,
    pub offset: u64,
    pub at: i64,
    pub key: u128,
    pub fate: Fate,
    pub is_guess: bool,
}

/// What a ledger would have done with a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// Run it.
    Ran,
    /// Run it again, since the key was forgotten.
    RanForgotten,
    /// Answered from the record.
    Replayed,
    /// Refused it: the record is of another request.
    Refused,
}

impl Fate {
    const ALL: [Self; 4] = [Self::Ran, Self::RanForgotten, Self::Replayed, Self::Refused];

    pub(super) fn has_run(self) -> bool {
        matches!(self, Self::Ran | Self::RanForgotten)
    }
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) =
            self.0.split_first_chunk().map_or(([0; N], &[][..]), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }
}

impl Fixed for ByKey {
    const WIDTH: usize = 16 + 8 + 8 + 8 + 16 + 8 + 1;

    fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.key.to_be_bytes());
        to.extend(self.line.to_be_bytes());
        to.extend(self.offset.to_be_bytes());
        to.extend(self.at.to_be_bytes());
        to.extend(self.action.to_be_bytes());
        to.extend(self.request.to_be_bytes());
        to.push(u8::from(self.is_guess));
    }

    fn get(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes);
        Self {
            key: u128::from_be_bytes(bytes.take()),
            line: u64::from_be_bytes(bytes.take()),
            offset: u64::from_be_bytes(bytes.take()),
            at: i64::from_be_bytes(bytes.take()),
            action: u128::from_be_bytes(bytes.take()),
            request: u64::from_be_bytes(bytes.take()),
            is_guess: bytes.take::<1>() == [1],
        }
    }
}

impl Fixed for ByAction {
    const WIDTH: usize = 16 + 8 + 8 + 8 + 16 + 1 + 1;

    fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.action.to_be_bytes());
        to.extend(self.line.to_be_bytes());
        to.extend(self.offset.to_be_bytes());
        to.extend(self.at.to_be_bytes());
        to.extend(self.key.to_be_bytes());
        to.push(self.fate as u8);
        to.push(u8::from(self.is_guess));
    }

    fn get(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes);
        Self {
            action: u128::from_be_bytes(bytes.take()),
            line: u64::from_be_bytes(bytes.take()),
            offset: u64::from_be_bytes(bytes.take()),
            at: i64::from_be_bytes(bytes.take()),
            key: u128::from_be_bytes(bytes.take()),
            fate: Fate::ALL[usize::from(bytes.take::<1>()[0]).min(3)],
            is_guess: bytes.take::<1>() == [1],
        }
    }
}
