//! Names and numbers that must not be mixed up, each a type of its own and each rendered differently.

use crate::key::{Key, Namespace};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names one record: a namespace and a key, two fields that are never joined into one text.
///
/// Joining them would let `("a:b", "c")` meet `("a", "b:c")`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordId {
    /// Environment and who may see the record.
    pub namespace: Namespace,
    /// The name of the intent inside the namespace.
    pub key: Key,
}

impl RecordId {
    /// Puts a namespace and a key side by side.
    pub fn new(namespace: Namespace, key: Key) -> Self {
        Self { namespace, key }
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in namespace {}", self.key, self.namespace)
    }
}

/// Identifies one request for the right to execute; granted at most once, ever, for a record.
///
/// It is made by the caller before it asks, so that a lost or doubled answer is recognised.
///
/// ```
/// use sluice_core::ids::ClaimId;
/// let id = ClaimId::from_bytes([0xab; 16]);
/// assert_eq!(id.to_string(), "clm_abababababababababababababababab");
/// assert_eq!(ClaimId::parse(&id.to_string()), Some(id));
/// assert_eq!(ClaimId::parse("abab"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClaimId([u8; 16]);

impl ClaimId {
    /// Makes a claim id from 128 random bits.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 128 bits.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads the text form back; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("clm_")?;
        if hex.len() != 32 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        u128::from_str_radix(hex, 16).ok().map(|bits| Self(bits.to_be_bytes()))
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clm_{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<ClaimId> for String {
    fn from(id: ClaimId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for ClaimId {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a claim id is clm_ and 32 lower-case hex digits")
    }
}

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $label:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// The first one.
            pub const FIRST: Self = Self(1);

            /// The one after this; stays at the largest value, which no ledger reaches.
            #[must_use]
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($label, " {}"), self.0)
            }
        }
    };
}

counter!(
    /// The fencing token: grows by one with every grant of a record.
    Epoch,
    "epoch"
);
counter!(
    /// Grows by one with every change of a record; without holes.
    Version,
    "version"
);
