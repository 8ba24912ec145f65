//! What is the key of an intent?

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::InputError;
use super::json::Json;
use super::name::Key;
use super::ser;

/// Derives the key of any plain data: lower-case hex SHA-256 of its canonical JSON.
///
/// Tuples and objects are encoded without ambiguity, so parts never need a separator: `("a:b", "c")` and
/// `("a", "b:c")` have different keys.
///
/// # Errors
/// Those of [`canonical_json`](super::canonical_json).
///
/// ```
/// use sluice_core::key::idempotency_key;
///
/// let key = idempotency_key(&[()])?;
/// assert_eq!(key.as_str(), "1d8fc6ceb1f94c6326d6d5483d258fcb2e179e9869325b245d105c2219bf69fd");
/// assert_ne!(idempotency_key(&("a:b", "c"))?, idempotency_key(&("a", "b:c"))?);
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn idempotency_key<T: Serialize + ?Sized>(parts: &T) -> Result<Key, InputError> {
    ser::to_json(parts).map(|json| json.key())
}

/// Derives the key of a JSON text; the same key as for the value it writes.
///
/// # Errors
/// Those of [`Json::parse`].
///
/// ```
/// use sluice_core::key::{idempotency_key, idempotency_key_text};
///
/// assert_eq!(idempotency_key_text(b" [ 1.0, null ]\n")?, idempotency_key(&(1, ()))?);
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn idempotency_key_text(text: &[u8]) -> Result<Key, InputError> {
    Json::parse(text).map(|json| json.key())
}

impl Json {
    /// Derives the key of this value.
    pub fn key(&self) -> Key {
        Key::from_digest(&Sha256::digest(self.canonical()).into())
    }
}
