//! The protocol of one intent, tried out completely: every order in which everything can happen.
//!
//! A model of a few processes, a ledger, a target, a network, a clock and a person is explored to its end. Its rules are
//! not copies: every decision is made by `sluice_core::decide`, every guard is judged by `Guard::check`, and the model's
//! ledger writes what the change says. What is checked in every state is judged by the model's own account of what really
//! happened at the target. `docs/model.md` says what is modelled and what is left out.

mod bounds;
mod canonical;
mod check;
mod compact;
mod core_rules;
mod edit;
mod explore;
mod moves;
mod others;
mod plants;
mod rules;
mod state;
mod story;
mod workers;
mod world;

pub use bounds::{Bounds, Effect};
pub use explore::{Explored, explore};
pub use plants::Plant;
pub use story::Story;
