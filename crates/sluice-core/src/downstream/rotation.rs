//! May the next request carry a new key?

use super::profile::Profile;
use crate::failure::FailureClass;

/// What is known of the last request that carried the key in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastAnswer {
    /// How it ended.
    pub class: FailureClass,
    /// Whether the target itself answered, and not something on the way to it.
    pub from_target: bool,
    /// Whether any request of the intent, this one included, may have taken hold without anybody knowing.
    pub is_unresolved: bool,
}

/// Whether an intent that is run again may use a new key (DESIGN rule 9).
///
/// Only at a target that replays failures: everywhere else the old key can still succeed, and keeping it is safer. Only
/// after a definite answer of the target itself: without one, the old key is all that stands between the intent and a
/// second effect. And never while anything is unresolved.
///
/// ```
/// use sluice_core::FailureClass;
/// use sluice_core::downstream::{LastAnswer, Profile, may_rotate};
/// let stripe = Profile::known("stripe").unwrap();
/// let declined = LastAnswer { class: FailureClass::Permanent, from_target: true, is_unresolved: false };
/// assert!(may_rotate(&stripe, declined));
/// assert!(!may_rotate(&stripe, LastAnswer { is_unresolved: true, ..declined }));
/// assert!(!may_rotate(&Profile::known("increase").unwrap(), declined));
/// ```
pub fn may_rotate(profile: &Profile, last: LastAnswer) -> bool {
    let is_definite = matches!(last.class, FailureClass::Permanent | FailureClass::Transient);
    profile.replays_failures && is_definite && last.from_target && !last.is_unresolved
}
