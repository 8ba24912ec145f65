//! A store that fails when it is told to, for the tests of whatever uses a store.
//!
//! ```
//! use sluice_core::store::Store;
//! use sluice_testkit::faults::{Call, Fault, FaultyStore};
//! use sluice_testkit::{block_on, conformance::Subject, memory::MemorySubject, sample};
//!
//! let store = FaultyStore::over(MemorySubject::default().store());
//! store.plan(Call::Apply, 1, Fault::After);
//! let (id, claim) = (sample::id("k"), sample::claim_id());
//!
//! let lost = block_on(store.apply(id.clone(), sample::first_claim(claim))).unwrap_err();
//! assert!(lost.outcome_unknown, "the answer was lost, the claim was not");
//! assert_eq!(block_on(store.read(&id)).unwrap().unwrap().record.body.claim, claim);
//! assert_eq!(store.calls(Call::Apply), 1);
//! ```

mod gate;
mod plan;
mod store;

pub use gate::Gate;
pub use plan::{Call, Fault};
pub use store::FaultyStore;
