//! How does a value enter a key that must not be read from it?

use super::error::ContractError;
use crate::key::{Json, keyed_hash, lower_hex};
use std::fmt;

/// The shortest key, in bytes: 128 bits, below which somebody could try them all.
const SHORTEST: usize = 16;

/// Separates these hashes from every other use of the same key.
const LABEL: &[u8] = b"sluice identity 1\0";

/// The keys that sensitive members are hashed with, by name; the first is the one in use.
///
/// They are the application's, never the ledger's: whoever may read the ledger must not be able to try out addresses. The
/// text is a list of `name:secret`, one a line or separated by commas; a secret has at least 16 bytes.
///
/// ```
/// use sluice_core::contract::IdentityKeys;
///
/// let keys = IdentityKeys::parse("k2:an-example-of-a-secret\nk1:the-one-used-before-it")?;
/// assert_eq!(keys.names(), ["k2", "k1"]);
/// assert_eq!(format!("{keys:?}"), r#"IdentityKeys(["k2", "k1"])"#);
/// assert!(IdentityKeys::parse("k1:short").is_err());
/// # Ok::<(), sluice_core::contract::ContractError>(())
/// ```
#[derive(Clone, Default)]
pub struct IdentityKeys {
    keys: Vec<(String, Vec<u8>)>,
}

impl IdentityKeys {
    /// Reads the list.
    ///
    /// # Errors
    /// [`ContractError`] where an entry has no name, a secret is shorter than 16 bytes, or a name comes twice. The text
    /// itself is never repeated.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let entries = text.split(['\n', ',']).map(str::trim).filter(|entry| !entry.is_empty());
        let mut keys: Vec<(String, Vec<u8>)> = Vec::new();
        for entry in entries {
            let refused = || {
                ContractError::new(
                    "identity keys are written as name:secret, the name of letters, digits, - and _, the secret of at least 16 bytes",
                )
            };
            let (name, secret) = entry.split_once(':').ok_or_else(refused)?;
            let is_name = !name.is_empty()
                && name.len() <= 32
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
            if !is_name || secret.len() < SHORTEST {
                return Err(refused());
            }
            if keys.iter().any(|(known, _)| known == name) {
                return Err(ContractError::new("an identity key is named twice"));
            }
            keys.push((name.to_owned(), secret.as_bytes().to_vec()));
        }
        Ok(Self { keys })
    }

    /// Returns the names, the one in use first.
    pub fn names(&self) -> Vec<&str> {
        self.keys.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the text that stands for the value in a key: `hmac-sha256:<name>:<hex>`, over its canonical JSON.
    pub(super) fn hash(&self, name: Option<&str>, value: &Json) -> Option<Json> {
        let wanted = |(known, _): &&(String, Vec<u8>)| name.is_none_or(|name| known == name);
        let (name, secret) = self.keys.iter().find(wanted)?;
        let mac = keyed_hash(secret, &[LABEL, value.canonical().as_bytes()]);
        Some(Json::String(format!("hmac-sha256:{name}:{}", lower_hex(&mac))))
    }
}

impl fmt::Debug for IdentityKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdentityKeys").field(&self.names()).finish()
    }
}
