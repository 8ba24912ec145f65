//! With which secret is a fingerprint or a downstream key made?

use std::fmt;

use serde::{Deserialize, Serialize};

/// Names a secret, so that what it made can be checked after it was rotated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretId(pub String);

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Holds a secret of 256 bits with its name.
///
/// ```
/// use sluice_core::key::{Secret, SecretId};
///
/// let secret = Secret { id: SecretId("s1".to_owned()), bytes: [7; 32] };
/// assert_eq!(format!("{secret:?}"), r#"Secret { id: SecretId("s1"), .. }"#);
/// ```
#[derive(Clone)]
pub struct Secret {
    /// The name, which is no secret.
    pub id: SecretId,
    /// The secret itself, which `Debug` never shows.
    pub bytes: [u8; 32],
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("id", &self.id).finish_non_exhaustive()
    }
}
