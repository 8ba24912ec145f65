//! May an attempt that failed be tried again under the same claim, and when?
//!
//! All of it is data and arithmetic: time and chance are arguments.

mod after;
mod backoff;
mod budget;
mod date;

pub use after::RetryAfter;
pub use backoff::Backoff;
pub use budget::{Budget, Budgets};
