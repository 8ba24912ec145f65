//! What can be wrong with a profile.

use crate::key::InputError;
use thiserror::Error;

/// Why a profile cannot be used, or a key not sent by it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The text is no JSON, or has a member twice.
    #[error("the profile is not usable JSON")]
    Json(#[from] InputError),
    /// The JSON is not an object.
    #[error("a profile is an object")]
    NotAnObject,
    /// There is no name.
    #[error("a profile has a name")]
    NoName,
    /// There is no such member.
    #[error("a profile has no member {member:?}{}", meant(*near))]
    UnknownMember {
        /// The name.
        member: String,
        /// The member that was probably meant.
        near: Option<&'static str>,
    },
    /// There is no such built-in profile.
    #[error("there is no built-in profile {name:?}{}", meant(*near))]
    UnknownProfile {
        /// The name.
        name: String,
        /// The profile that was probably meant.
        near: Option<&'static str>,
    },
    /// A member has a value that it cannot have.
    #[error("member {member:?} of a profile takes {takes}")]
    Value {
        /// The member.
        member: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// The key has no place, or two.
    #[error("a profile says either in which header the key goes or in which member of the body")]
    Place,
    /// The target takes too short keys.
    #[error("a key of {max} characters has less than 128 bits: 32 are needed")]
    TooShort {
        /// What the target takes.
        max: usize,
    },
    /// The key is too long for the target, or has characters that it cannot have there.
    #[error("the key cannot be sent to {name}")]
    Key {
        /// The profile's name.
        name: String,
    },
}

fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(": {near:?} may be meant"))
}
