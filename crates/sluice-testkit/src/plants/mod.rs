//! Bugs that somebody could write in one line, planted on purpose: a harness is worth what it finds.
//!
//! Each is a line left out or turned around in a store, a rule or a port. They are planted around the real code, at the
//! store's door, so that nothing of the product has to be built with bugs in it.

mod lines;
mod store;
mod table;

pub use lines::PLANTS;
pub use store::PlantedStore;
pub use table::{Caught, catch, table};

use crate::broken::Fault;
use sluice_core::breaker::Shared;
use sluice_core::change::Change;
use sluice_core::record::Snapshot;

/// One planted bug.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    /// Its name.
    pub name: &'static str,
    /// What is wrong, as a sentence about the product.
    pub sentence: &'static str,
    /// How it is planted.
    pub how: How,
}

/// Where a bug is planted.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// In what a rule asks the ledger for; `None` where the record was not there.
    Asks(fn(&mut Change, Option<&Snapshot>)),
    /// In what a ledger is said to hold.
    Sees(fn(&mut Snapshot)),
    /// In both.
    SeesAndAsks(fn(&mut Snapshot), fn(&mut Change, Option<&Snapshot>)),
    /// Changes of this kind are acknowledged, and never written.
    Pretends(fn(&Change) -> bool),
    /// In a store, by a mistake that the conformance suite knows too.
    Store(Fault),
    /// The ledger judges leases by the clock on the wall.
    LeasesByWall,
    /// A holder is taken for gone as soon as its process is, whatever it left on its way.
    WitnessLies,
    /// Nothing is compared when a key comes again.
    NoFingerprint,
    /// A target is believed to remember keys for longer than it does.
    WindowIgnored,
    /// In what a ledger tells when it is looked at, and not where it is written.
    Looks(fn(&mut Snapshot)),
    /// In what a ledger tells of circuits.
    Circuits(fn(&mut Shared)),
    /// The retry budget is not asked.
    BudgetOff,
    /// No circuit ever opens.
    BreakerOff,
    /// Silence is taken for a failure that did not happen, and tried again.
    SilenceIsNo,
}
