//! What the caller wants done, and its name.
//!
//! A key is the lower-case hex SHA-256 of the canonical JSON of the parts of an intent. Everything here serves
//! one promise: the same intent gets the same key on every surface, and whatever could be read two ways is an
//! error before any claim exists.

mod canonical;
mod depth;
mod derive;
mod downstream;
mod error;
mod fingerprint;
mod hex;
mod intent;
mod json;
mod mac;
mod name;
mod number;
mod order;
mod parse;
mod path;
mod plain;
mod pointer;
mod request;
mod secret;
mod ser;
mod suspect;

pub use canonical::{canonical_json, canonical_json_text};
pub use derive::{idempotency_key, idempotency_key_text};
pub use downstream::downstream_key;
pub use error::{InputError, InputErrorKind};
pub use fingerprint::{Fingerprint, Match, compare};
pub use hex::lower as lower_hex;
pub use intent::Intent;
pub use json::Json;
pub(crate) use mac::keyed_hash;
pub use name::{Key, KeyError, Namespace};
pub use number::Number;
pub use plain::check_plain;
pub use pointer::JsonPointer;
pub use request::Request;
pub use secret::{Secret, SecretId};
pub(crate) use suspect::Words;
pub use suspect::{Suspicion, SuspicionKind, Suspicions};
