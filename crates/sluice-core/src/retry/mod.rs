//! May an attempt that failed be tried again under the same claim, and when?
//!
//! [`next`] is the decision; [`Backoff`] and [`RetryAfter`] say how long to wait, [`Budgets`] keeps many callers from
//! making an outage worse. All of it is data and arithmetic: time and chance are arguments.

mod after;
mod backoff;
mod budget;
mod date;
mod next;

pub use after::RetryAfter;
pub use backoff::Backoff;
pub use budget::{Budget, Budgets};
pub use next::{Failed, Next, RETRY_AFTER_CAP, Retry, Stop, next, within_window};
