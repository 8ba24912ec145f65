//! Is this the request that the record was made for?

use std::fmt;
use std::str::FromStr;

use subtle::ConstantTimeEq;

use super::error::{InputError, InputErrorKind};
use super::hex;
use super::request::Request;
use super::secret::{Secret, SecretId};

/// Holds a keyed hash of a request with the name of its secret; its text is `<secret id>:<hex>`.
///
/// ```
/// use sluice_core::key::{Fingerprint, Request, Secret, SecretId};
///
/// let secret = Secret { id: SecretId("s1".to_owned()), bytes: [7; 32] };
/// let fingerprint = Request::bytes(["mail"]).fingerprint(&secret);
/// assert!(fingerprint.to_string().starts_with("s1:"));
/// assert_eq!(fingerprint.to_string().parse::<Fingerprint>()?, fingerprint);
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The secret it was made with.
    pub secret_id: SecretId,
    /// The keyed hash.
    pub mac: [u8; 32],
}

/// Answers whether a delivery's request is the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Both are there and equal.
    Same,
    /// Both are there and differ: the key belongs to another request.
    Different,
    /// The delivery brings one, the record has none: a conflict with its own message.
    OnlyHere,
    /// The record has one, the delivery brings none: a conflict with its own message.
    OnlyThere,
    /// Neither has one.
    Neither,
    /// The secret of the recorded one is not at hand, so nobody can say: a fault of the store, no conflict.
    SecretMissing,
}

/// Compares a delivery's request with the recorded fingerprint, in time that does not depend on where they differ.
///
/// The recorded fingerprint names its secret, so one made before a rotation is still compared.
///
/// ```
/// use sluice_core::key::{Match, Request, Secret, SecretId, compare};
///
/// let old = Secret { id: SecretId("s1".to_owned()), bytes: [1; 32] };
/// let new = Secret { id: SecretId("s2".to_owned()), bytes: [2; 32] };
/// let request = Request::bytes(["mail"]);
/// let recorded = request.fingerprint(&old);
/// assert_eq!(compare(Some(&request), Some(&recorded), &[new.clone(), old]), Match::Same);
/// assert_eq!(compare(Some(&request), Some(&recorded), &[new]), Match::SecretMissing);
/// assert_eq!(compare(Some(&request), None, &[]), Match::OnlyHere);
/// ```
#[must_use]
pub fn compare(request: Option<&Request>, recorded: Option<&Fingerprint>, secrets: &[Secret]) -> Match {
    match (request, recorded) {
        (None, None) => Match::Neither,
        (Some(_), None) => Match::OnlyHere,
        (None, Some(_)) => Match::OnlyThere,
        (Some(request), Some(recorded)) => compare_both(request, recorded, secrets),
    }
}

fn compare_both(request: &Request, recorded: &Fingerprint, secrets: &[Secret]) -> Match {
    let Some(secret) = secrets.iter().find(|secret| secret.id == recorded.secret_id) else {
        return Match::SecretMissing;
    };
    let equal = request.fingerprint(secret).mac.ct_eq(&recorded.mac);
    if bool::from(equal) { Match::Same } else { Match::Different }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.secret_id, hex::lower(&self.mac))
    }
}

impl FromStr for Fingerprint {
    type Err = InputError;

    /// Reads from the end, since a secret's name may hold a colon and hex digits cannot.
    fn from_str(text: &str) -> Result<Self, InputError> {
        let parsed = text.rsplit_once(':').and_then(|(id, digits)| {
            let mac = hex::digest(digits)?;
            Some(Self { secret_id: SecretId(id.to_owned()), mac })
        });
        let detail = "a fingerprint is the secret's id, a colon and 64 lower-case hex digits";
        parsed.ok_or_else(|| InputError::new(InputErrorKind::Other, "", detail))
    }
}
