//! A store as the suite sees it.

use sluice_core::store::Store;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A store on clocks that the suite can move.
///
/// The clocks must stand still unless they are told to move; the rules test boundaries to the millisecond. Where a
/// store cannot do what is asked, the rules that need it pass without looking.
pub trait Subject: Debug {
    /// The store as it is open now. Everyone who asks gets the same ledger.
    fn store(&self) -> Arc<dyn Store>;

    /// Lets time pass, on the store's clock and on the wall.
    fn advance(&self, by: Duration);

    /// Sets the clock on the wall forward or back; no time passes.
    fn step_wall(&self, ms: i64);

    /// Starts the host whose clock judges leases anew; false where the store cannot model it.
    fn reboot(&self) -> bool {
        false
    }

    /// Closes the ledger and opens it again; false where it is not durable.
    fn reopen(&self) -> bool {
        false
    }

    /// A fresh ledger that takes at most so many records; none where the store knows no such limit.
    fn capped(&self, records: usize) -> Option<Arc<dyn Store>> {
        let _ = records;
        None
    }
}
