//! What is compared when a key is used again?

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::{InputError, InputErrorKind};
use super::fingerprint::Fingerprint;
use super::json::Json;
use super::secret::Secret;
use super::{hex, mac, ser};

// Each kind of request begins its hash with its own label, so that a list of bytes can never be made to look like
// a JSON value or like two requests combined. A label ends in NUL, so none is the beginning of another.
const JSON: &[u8] = b"sluice request json 1\0";
const BYTES: &[u8] = b"sluice request bytes 1\0";
const AND: &[u8] = b"sluice request and 1\0";
const FINGERPRINT: &[u8] = b"sluice fingerprint 1\0";

/// Holds a digest of what is compared on every reuse of a key; the data itself is not kept.
///
/// The digest alone is not secret-keyed and must not be stored; [`Request::fingerprint`] makes what may be.
///
/// ```
/// use sluice_core::key::Request;
///
/// let request = Request::json(&("send", 1))?;
/// assert_eq!(request, Request::json(&("send", 1.0))?);
/// assert_ne!(Request::bytes(["ab", "c"]), Request::bytes(["a", "bc"]));
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Request {
    digest: [u8; 32],
}

impl Request {
    /// Takes any plain data.
    ///
    /// # Errors
    /// Those of [`canonical_json`](super::canonical_json).
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, InputError> {
        ser::to_json(value).map(|json| Self::json_value(&json))
    }

    /// Takes a JSON value.
    pub fn json_value(value: &Json) -> Self {
        Self::hash([JSON, value.canonical().as_bytes()])
    }

    /// Takes a list of byte strings, such as the arguments of a command; where one ends matters.
    pub fn bytes<I>(list: I) -> Self
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut hash = Sha256::new_with_prefix(BYTES);
        for item in list {
            update_with_length(&mut hash, item.as_ref());
        }
        Self { digest: hash.finalize().into() }
    }

    /// Adds the digest of something that was read elsewhere, such as a stream, under a label.
    ///
    /// ```
    /// use sluice_core::key::Request;
    ///
    /// let request = Request::bytes(["mail"]);
    /// assert_ne!(request.and("stdin", [0; 32]), request.and("file", [0; 32]));
    /// assert_ne!(request.and("stdin", [0; 32]), request);
    /// ```
    #[must_use]
    pub fn and(&self, label: &str, digest: [u8; 32]) -> Self {
        let mut hash = Sha256::new_with_prefix(AND);
        hash.update(self.digest);
        update_with_length(&mut hash, label.as_bytes());
        hash.update(digest);
        Self { digest: hash.finalize().into() }
    }

    /// Returns the digest, to tell requests apart in memory; it is not keyed, so it must not be stored.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Keys the digest with a secret; only this is stored.
    pub fn fingerprint(&self, secret: &Secret) -> Fingerprint {
        let mac = mac::hmac_sha256(secret, &[FINGERPRINT, &self.digest]);
        Fingerprint { secret_id: secret.id.clone(), mac }
    }

    fn hash(pieces: [&[u8]; 2]) -> Self {
        let [label, data] = pieces;
        Self { digest: Sha256::new_with_prefix(label).chain_update(data).finalize().into() }
    }
}

/// A length before each item makes the list unambiguous: no item can contain the end of another.
fn update_with_length(hash: &mut Sha256, item: &[u8]) {
    hash.update((item.len() as u64).to_be_bytes());
    hash.update(item);
}

impl From<Request> for String {
    fn from(request: Request) -> Self {
        hex::lower(&request.digest)
    }
}

impl TryFrom<String> for Request {
    type Error = InputError;

    fn try_from(text: String) -> Result<Self, InputError> {
        match hex::digest(&text) {
            Some(digest) => Ok(Self { digest }),
            None => Err(InputError::new(InputErrorKind::Other, "", "a request is 64 lower-case hex digits")),
        }
    }
}
