//! Which parts of a key should not be in it?
//!
//! A key must be the same for every delivery of one intent and should tell nothing about people. Names and looks of
//! members cannot prove that either rule is broken, so whatever is found here is a suspicion: it is said to a person
//! and changes no key. A producer's *event* id is no delivery id: it stays the same when the event is sent again.

mod attempt;
mod card;
mod clock;
mod delivery;
mod email;
mod judge;
mod kept;
mod kind;
mod made;
mod phone;
mod walk;
mod words;

pub use kept::{Suspicion, Suspicions};
pub use kind::SuspicionKind;
pub(crate) use words::Words;
