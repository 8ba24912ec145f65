//! The rules of sluice, and nothing else.
//!
//! This crate says what is true, what may change, and what is written down of it. It knows no async
//! runtime, opens no file or socket, reads no clock, environment or entropy: whatever it needs of the world
//! arrives as an argument or through the traits in [`ports`] and [`store`].
//!
//! Where to look: [`key`] names an intent, [`state`] holds the one transition table, [`record`] is what a
//! ledger knows of one intent, [`change`] is a conditional write as data, [`decide`] turns what was found into
//! such a change, and [`error`] tells a caller what to do about it. Where an attempt fails, [`http`] says what is known,
//! [`retry`] whether there is another one, [`downstream`] what the target does with its key, and [`breaker`] whether
//! anything should be sent at all.

pub mod breaker;
pub mod change;
pub mod contract;
pub mod decide;
pub mod deliveries;
pub mod downstream;
pub mod duration;
pub mod error;
pub mod failure;
pub mod holder;
pub mod http;
pub mod ids;
pub mod key;
pub mod lease;
pub mod lint;
pub mod near;
pub mod outcome;
pub mod policy;
pub mod ports;
pub mod record;
pub mod retention;
pub mod retry;
pub mod state;
pub mod store;
pub mod timekeeper;
pub mod trail;
pub mod unresolved;

pub use error::{Code, Error};
pub use failure::{Failure, FailureClass};
pub use key::{
    Intent, Key, Namespace, canonical_json, canonical_json_text, idempotency_key, idempotency_key_text,
};
