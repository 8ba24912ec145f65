//! Which key is sent to the target?

use super::error::{InputError, InputErrorKind};
use super::name::{Key, Namespace};
use super::secret::Secret;
use super::{canonical, hex, mac};

/// 128 bits, below which two intents could meet by accident or by trying.
const MIN_CHARS: usize = 32;

/// Derives the key sent to a target: hex HMAC-SHA256 over canonical `[namespace, key, rotation]`, cut to `max_len`.
///
/// `max_len` counts characters, 32 or more; beyond 64 there is nothing left to cut. The target learns neither
/// namespace nor key. The result is stored at the claim and never derived again.
///
/// # Errors
/// [`InputErrorKind::Other`] if `max_len` is below 32.
///
/// ```
/// use sluice_core::key::{Key, Namespace, Secret, SecretId, downstream_key};
///
/// let secret = Secret { id: SecretId("d1".to_owned()), bytes: [7; 32] };
/// let key = Key::new("order-17").unwrap();
/// let sent = downstream_key(&secret, &Namespace::default(), &key, 0, 40)?;
/// assert_eq!(sent.len(), 40);
/// assert_ne!(sent, downstream_key(&secret, &Namespace::default(), &key, 1, 40)?);
/// assert!(downstream_key(&secret, &Namespace::default(), &key, 0, 31).is_err());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn downstream_key(
    secret: &Secret,
    namespace: &Namespace,
    key: &Key,
    rotation: u32,
    max_len: usize,
) -> Result<String, InputError> {
    if max_len < MIN_CHARS {
        let detail = "a downstream key needs 32 characters (128 bits): use a target that takes as many";
        return Err(InputError::new(InputErrorKind::Other, "", detail));
    }
    let parts = canonical::list([namespace.as_str(), key.as_str()], rotation);
    let mut text = hex::lower(&mac::hmac_sha256(secret, &[parts.as_bytes()]));
    text.truncate(max_len);
    Ok(text)
}
