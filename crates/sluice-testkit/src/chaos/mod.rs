//! Many worlds: random ones, small ones made of large ones, and what came of all of them.

mod compare;
mod fuzz;
mod report;
mod shrink;
mod summary;

pub use compare::{Compared, Way, compare};
pub use fuzz::{fuzz_plan, plan_of};
pub use report::{Report, comparison, markdown};
pub use shrink::{as_test, shrink};
pub use summary::{Summary, play};
