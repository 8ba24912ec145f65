//! What recorded deliveries say of a key.
//!
//! [`Deliveries`] reads them, one a line. [`check`](check::check) plays a contract's key over them as a ledger would, and says which would have
//! run twice, which would never have run, and which member did it. [`suggest`](suggest::suggest) searches for the members that could be an identity.

pub mod check;
mod deliveries;
pub mod suggest;

pub use deliveries::{Deliveries, Delivery, ReadError};
