//! What does a target do with the key that is sent to it?
//!
//! A [`Profile`] says it as data: where the key goes, how long the target remembers it, what it answers to a key that it
//! has seen. The built-in ones are in `known.json`, each with its source and date; single members can be overridden.

mod error;
mod known;
mod profile;
mod read;
mod rotation;
mod window;

pub use error::ProfileError;
pub use known::known_names;
pub use profile::{KeyForm, Profile, Said};
pub use rotation::{LastAnswer, may_rotate};
pub use window::{KeyAge, margin, oldest_key, window_left};
