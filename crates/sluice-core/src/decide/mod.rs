//! Decisions: what was found goes in, what to do comes out. Nothing here performs anything.

mod attempt;
mod claim;
mod delivery;
mod evidence;
mod lapse;
mod quiet;
mod reopen;
mod target;
mod tries;
mod verdict;

pub use attempt::{SettleStep, effective, mark, settle};
pub use claim::{OwnClaim, claimed};
pub use delivery::{Answer, Arrival, Plan, Step, arrive, waiting};
pub use lapse::lapse;
pub use quiet::NotYet;
pub use reopen::{ReopenStep, reopen};
pub use target::rotates;
pub use tries::Tries;
pub use verdict::{Judgement, Proof, Ruling, VerdictStep, verdict};
