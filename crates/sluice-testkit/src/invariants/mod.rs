//! What must be true in every world, checked outside of the code it checks.
//!
//! Nothing here calls `sluice_core::decide` or the table of states: the ways that are legal are written down again, in
//! other words, and the truth about the target comes from the target.

mod edges;
mod observer;
mod report;
mod thrift;

pub use observer::{Answer, Knowledge, Observer};
pub use report::{Invariant, Violation};
