//! Decisions: what was found goes in, what to do comes out. Nothing here performs anything.

mod attempt;
mod delivery;
mod evidence;
mod lapse;
mod verdict;

pub use attempt::{SettleStep, mark, settle};
pub use delivery::{Answer, Arrival, OwnClaim, Plan, Step, arrive, claimed, waiting};
pub use lapse::lapse;
pub use verdict::{Judgement, Proof, Ruling, VerdictStep, verdict};
