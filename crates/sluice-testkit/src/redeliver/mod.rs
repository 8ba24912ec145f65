//! Nothing redelivers on your laptop, so this does.
//!
//! A key that changes with a delivery works in every test that delivers once. [`redeliver`] calls a handler the way
//! queues, webhook senders and retry loops do in production: several times at once, and later again with another
//! delivery id, another time, another attempt. It fails unless the effect ran exactly once, and names what did it.
//!
//! It runs on the caller's own runtime and needs none itself. Ids and times are counted, so that each run is the same.

mod at_once;
mod body;
mod check;
mod delivery;
mod log;
mod told;

pub use check::{Redeliver, redeliver};
pub use delivery::{Delivery, Effect, Stamp};
pub use told::{Cause, NotOnce, Redelivered};
