//! sluice makes a side effect happen **once per intent**: however often the instruction arrives and wherever the
//! process dies. Where nobody can know whether it happened, it says so.
//!
//! Where to look: [`Sluice`] opens a ledger, [`EffectSpec`] says what to run, [`run`](Sluice::run) is the one
//! natural line, [`Done`] and [`Error`] are its answers, and [`system`] is the only place that touches the
//! system's clock, entropy and tasks.

// The README's Rust is compiled and run like every other example.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guarantees.md")]
struct Guarantees;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/same-transaction.md")]
struct SameTransaction;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/failure-modes.md")]
struct FailureModes;

mod answer;
mod circuits;
mod contract;
mod count;
mod ctx;
mod done;
mod effect;
mod heart;
mod held;
mod memory;
mod notes;
mod probe;
mod recall;
mod recover;
mod run;
mod seed;
mod sluice;
pub mod system;
mod upkeep;
mod verdicts;
mod waiters;

pub use crate::circuits::Standing;
pub use crate::contract::{Contracted, check_earlier};
pub use crate::ctx::Ctx;
pub use crate::done::{Done, Meta, Reason};
pub use crate::effect::{EffectBuilder, EffectSpec, Named, Unguarded, Wait};
pub use crate::memory::MemoryStore;
pub use crate::probe::{Asked, Probe, Prober};
pub use crate::recover::{Recovered, TakenIn};
pub use crate::sluice::{Builder, Sluice};
pub use crate::verdicts::{MarkAnswer, Reopened, Resolved};
pub use sluice_core as core;
pub use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate};
pub use sluice_core::{
    Code, Error, Failure, FailureClass, Intent, Key, Namespace, canonical_json, canonical_json_text,
    idempotency_key, idempotency_key_text,
};
