//! What is to go wrong, and when.

use super::Gate;
use std::collections::BTreeMap;

/// A kind of call; the calls of each kind are counted on their own, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// `Store::read`.
    Read,
    /// `Store::apply`.
    Apply,
    /// `Store::renew`.
    Renew,
    /// `Store::notice`.
    Notice,
    /// `Store::events`.
    Events,
    /// `Store::list`.
    List,
    /// Anything of `Upkeep`.
    Upkeep,
}

/// What goes wrong with one call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It fails before anything was done; the same call may work later.
    Before,
    /// It fails before anything was done, and the error says that the outcome is unknown: the request was lost, and
    /// nobody knows.
    Lost,
    /// It is done, and its answer is lost: the error says that the outcome is unknown.
    After,
    /// It is delivered a second time when the first was done; the caller hears the second answer, as from a driver
    /// that sends again what was not acknowledged. Only what writes is sent twice: a read is just read.
    Twice,
    /// It waits at the gate before anything is done.
    HoldBefore(Gate),
    /// It is done, and its answer waits at the gate.
    HoldAfter(Gate),
}

/// The calls that were counted, and the faults that are still to come.
#[derive(Debug, Default)]
pub(super) struct Plan {
    counts: BTreeMap<Call, usize>,
    faults: BTreeMap<(Call, usize), Fault>,
    pub(super) away: bool,
}

impl Plan {
    pub(super) fn add(&mut self, call: Call, number: usize, fault: Fault) {
        self.faults.insert((call, number), fault);
    }

    pub(super) fn count(&self, call: Call) -> usize {
        self.counts.get(&call).copied().unwrap_or_default()
    }

    /// Counts a call and takes out what is planned for it.
    pub(super) fn next(&mut self, call: Call) -> Option<Fault> {
        let count = self.counts.entry(call).or_default();
        *count += 1;
        let number = *count;
        self.faults.remove(&(call, number))
    }

    pub(super) fn left(&self) -> usize {
        self.faults.len()
    }
}
