//! Decisions: what was found goes in, what to do comes out. Nothing here performs anything.

mod attempt;
mod claim;
mod delivery;
mod evidence;
mod lapse;
mod quiet;
mod reopen;
mod verdict;

pub use attempt::{SettleStep, mark, settle};
pub use claim::{OwnClaim, claimed};
pub use delivery::{Answer, Arrival, Plan, Step, arrive, waiting};
pub use lapse::lapse;
pub use quiet::NotYet;
pub use reopen::{ReopenStep, reopen};
pub use verdict::{Judgement, Proof, Ruling, VerdictStep, verdict};
