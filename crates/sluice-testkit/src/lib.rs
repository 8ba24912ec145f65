//! What a ledger of sluice must do, as rules that run against any store.
//!
//! Whoever writes a store implements [`conformance::Subject`] for it and calls [`conformance::check`], which runs
//! every rule on a fresh ledger and names those that do not hold. `random` (a feature, on by default) compares a store with the pure rules of
//! `sluice-core` on random records and changes, and [`model`] is the plain ledger it compares with.
//!
//! A suite that catches nothing proves nothing: [`broken`] holds stores with one planted fault each, and the tests
//! of this crate fail where a rule catches none of them or a fault is caught by no rule.
//!
//! [`world`] plays seeded worlds in which everything goes wrong, [`invariants`] watch them, [`plants`] prove that they see,
//! [`chaos`] plays many. [`protocol`] tries out every order of events around one intent, with the core's own rules.
//!
//! [`faults`] is for the tests of what *uses* a store: a wrapper that fails, repeats, holds or loses calls when told
//! to. [`redeliver`](mod@redeliver) is for the tests of what uses *sluice*, or any other way to run an effect once: it
//! delivers one event to a handler again and again. Nothing here needs an async runtime; [`block_on`] waits on the caller's own thread.

mod block_on;
pub mod broken;
pub mod chaos;
pub mod clock;
pub mod conformance;
mod contract;
pub mod faults;
pub mod invariants;
pub mod memory;
pub mod model;
pub mod plants;
pub mod protocol;
#[cfg(feature = "random")]
pub mod random;
pub mod redeliver;
pub mod sample;
pub mod scenarios;
pub mod world;

pub use block_on::block_on;
pub use contract::{Case, Expected, Seen, contract_cases};
pub use redeliver::{Redeliver, redeliver};
