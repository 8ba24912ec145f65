//! What an execution left behind: a result, kept or not, or a fault.

use crate::failure::FailureClass;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Largest result a ledger keeps unless told otherwise, in bytes of its stored text.
pub const RESULT_LIMIT: usize = 64 * 1024;
/// Longest message of a fault that is stored, in bytes; the rest is cut.
pub const MESSAGE_LIMIT: usize = 2 * 1024;

/// A successful result as the ledger keeps it. A success survives its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Size of the whole result's text, in bytes, where there was one.
    pub bytes: Option<u64>,
    /// SHA-256 of the whole result's text, where there was one.
    pub sha256: Option<[u8; 32]>,
    /// The text, or why it is not here.
    pub value: Result<Vec<u8>, NotKept>,
}

/// Why a success has no stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotKept {
    /// Larger than the ledger was told to keep.
    TooLarge,
    /// Not plain data: it cannot be written down so that it reads back equal.
    NotStorable,
    /// A verdict said that it happened, without a result.
    NeverGiven,
    /// Its keeping time is over.
    Expired,
}

impl NotKept {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::TooLarge, Self::NotStorable, Self::NeverGiven, Self::Expired];

    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::NotStorable => "not_storable",
            Self::NeverGiven => "never_given",
            Self::Expired => "expired",
        }
    }

    /// Reads [`NotKept::as_str`] back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

impl Kept {
    /// Keeps a result's text if it is no longer than `limit` bytes, and its size and digest in any case.
    ///
    /// ```
    /// use sluice_core::outcome::{Kept, NotKept};
    /// let kept = Kept::within(b"\"abc\"".to_vec(), 4);
    /// assert_eq!(kept.value, Err(NotKept::TooLarge));
    /// assert_eq!(kept.bytes, Some(5));
    /// ```
    pub fn within(text: Vec<u8>, limit: usize) -> Self {
        let sha256 = Some(digest(&text));
        let bytes = Some(text.len() as u64);
        let value = if text.len() <= limit { Ok(text) } else { Err(NotKept::TooLarge) };
        Self { bytes, sha256, value }
    }

    /// A success whose result never had a text.
    pub fn absent(reason: NotKept) -> Self {
        Self { bytes: None, sha256: None, value: Err(reason) }
    }

    /// Whether two reports speak of the same result. A digest decides where both have one.
    pub fn same_as(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.bytes == other.bytes
    }
}

/// Why an execution did not succeed, as far as its holder chose to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What the holder knows of the effect.
    pub class: FailureClass,
    /// The caller's own short code for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The caller's own sentence for it; never a driver's.
    pub message: String,
    /// JSON text that the caller wants to see again on a replay of the failure. A text, because it is the caller's:
    /// nobody on the way has to be able to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether the target itself said so, so that a key it remembers with this answer may be replaced
    /// ([`may_rotate`](crate::downstream::may_rotate)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_target: bool,
}

/// What a record knows of how its intent ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing yet.
    #[default]
    None,
    /// It happened.
    Success(Kept),
    /// It failed, was released, or ended unknown, for this reason.
    Fault(Fault),
}

/// SHA-256 of some bytes.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Cuts a text to at most `limit` bytes at a character boundary.
pub fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
