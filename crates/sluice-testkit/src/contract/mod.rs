//! The cases that a key must tell apart, played for one contract and one event.

mod cases;
mod change;
mod play;

pub use cases::{Case, Expected, contract_cases};
pub use play::Seen;
