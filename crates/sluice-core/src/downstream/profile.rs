//! What is known of a target, and how is a key written for it?

use super::error::ProfileError;
use super::{known, read};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// 128 bits in hex digits, below which two intents could meet by accident or by trying.
const LEAST_KEY_LEN: usize = 32;

/// What a target does with idempotency keys.
///
/// ```
/// use sluice_core::downstream::Profile;
/// let stripe = Profile::known("stripe").unwrap();
/// assert_eq!(stripe.header.as_deref(), Some("Idempotency-Key"));
/// assert!(stripe.replays_failures);
/// let shorter = Profile::parse(r#"{"name": "stripe", "remembers_ms": 3600000}"#)?;
/// assert_eq!(shorter.remembers.unwrap().as_secs(), 3600);
/// let wrong = Profile::parse(r#"{"name": "stripe", "remember_ms": 1}"#).unwrap_err();
/// assert_eq!(wrong.to_string(), r#"a profile has no member "remember_ms": "remembers_ms" may be meant"#);
/// # Ok::<(), sluice_core::downstream::ProfileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The target's name.
    pub name: String,
    /// The header that the key goes into; exactly one of this and `body` is set.
    pub header: Option<String>,
    /// The member of the request's body, or the parameter, that the key goes into.
    pub body: Option<String>,
    /// How long the target surely remembers a key, counted from its first use. `None` where that is not known, and then
    /// it is not relied on.
    #[serde(rename = "remembers_ms", with = "crate::duration::option")]
    pub remembers: Option<Duration>,
    /// Whether a failure is remembered too, so that the same key can never succeed any more.
    pub replays_failures: bool,
    /// Whether the target compares the request with the first one of the key.
    pub compares_parameters: bool,
    /// What it answers where they differ.
    pub mismatch: Option<Said>,
    /// The longest key it takes, in characters; at least 32.
    pub max_key_len: usize,
    /// How the key is written.
    pub form: KeyForm,
    /// Whether the header's value is a String of RFC 9651, in quotes.
    pub quoted: bool,
    /// The methods that take a key.
    pub methods: Vec<String>,
    /// Within what a key is unique, in words.
    pub scope: String,
    /// Answers that prove that no earlier request with the key took hold.
    pub proves_not_landed: Vec<Said>,
    /// What a person should know besides.
    pub notes: String,
    /// Where all this is from.
    pub source: String,
    /// When it was read there, as YYYY-MM-DD.
    pub date: String,
}

/// How a key is written for a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyForm {
    /// As it is.
    #[default]
    Text,
    /// As a UUID: its first 32 hex digits, all 128 bits of them the key's own.
    Uuid,
}

/// An answer, as far as a profile names one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// The status.
    pub status: u16,
    /// The target's own code for it, where the status alone says too little.
    #[serde(default)]
    pub code: Option<String>,
}

/// A target of which nothing is known, but that it takes a key: nothing is relied on.
impl Default for Profile {
    fn default() -> Self {
        Self {
            name: String::new(),
            header: None,
            body: None,
            remembers: None,
            replays_failures: false,
            compares_parameters: false,
            mismatch: None,
            max_key_len: 64,
            form: KeyForm::Text,
            quoted: false,
            methods: vec!["POST".to_owned()],
            scope: String::new(),
            proves_not_landed: Vec::new(),
            notes: String::new(),
            source: String::new(),
            date: String::new(),
        }
    }
}

impl Profile {
    /// The built-in profile of that name.
    pub fn known(name: &str) -> Option<Self> {
        known::all().into_iter().find(|profile| profile.name == name)
    }

    /// Reads a profile from JSON. Where `name`, or `like` if it is there, is that of a built-in one, the members given
    /// replace that one's; otherwise they replace those of [`Profile::default`].
    ///
    /// # Errors
    /// Any [`ProfileError`] but [`ProfileError::Key`].
    pub fn parse(json: &str) -> Result<Self, ProfileError> {
        read::parse(json)?.checked()
    }

    pub(super) fn checked(self) -> Result<Self, ProfileError> {
        if self.name.is_empty() {
            return Err(ProfileError::NoName);
        }
        let filled = |place: &Option<String>| place.as_ref().is_some_and(|name| !name.is_empty());
        if filled(&self.header) == filled(&self.body) || self.header.is_some() && self.body.is_some() {
            return Err(ProfileError::Place);
        }
        if self.max_key_len < LEAST_KEY_LEN {
            return Err(ProfileError::TooShort { max: self.max_key_len });
        }
        Ok(self)
    }

    /// How many characters a key for this target has at most; what [`crate::key::downstream_key`] is asked for.
    pub fn key_len(&self) -> usize {
        match self.form {
            KeyForm::Text => self.max_key_len,
            KeyForm::Uuid => LEAST_KEY_LEN,
        }
    }

    /// Writes a key as the target takes it: in its form, and in quotes where it wants them.
    ///
    /// # Errors
    /// [`ProfileError::Key`] where the key is empty, longer than the target takes, or has characters that cannot stand
    /// there (anything but visible ASCII), and for a UUID where it does not begin with 32 lower-case hex digits.
    ///
    /// ```
    /// use sluice_core::downstream::Profile;
    /// let draft = Profile::known("ietf_draft").unwrap();
    /// assert_eq!(draft.header_value("0123456789abcdef0123456789abcdef")?, r#""0123456789abcdef0123456789abcdef""#);
    /// let google = Profile::known("google_aip_155").unwrap();
    /// let uuid = google.header_value("0123456789abcdef0123456789abcdef")?;
    /// assert_eq!(uuid, "01234567-89ab-cdef-0123-456789abcdef");
    /// # Ok::<(), sluice_core::downstream::ProfileError>(())
    /// ```
    pub fn header_value(&self, key: &str) -> Result<String, ProfileError> {
        let refused = || ProfileError::Key { name: self.name.clone() };
        let written = match self.form {
            KeyForm::Text => Some(key.to_owned()),
            KeyForm::Uuid => uuid(key),
        };
        let written = written.ok_or_else(refused)?;
        let is_visible = written.bytes().all(|byte| byte.is_ascii_graphic());
        if written.is_empty() || written.len() > self.max_key_len || !is_visible {
            return Err(refused());
        }
        Ok(if self.quoted { quoted(&written) } else { written })
    }
}

fn uuid(key: &str) -> Option<String> {
    let digits = key.get(..LEAST_KEY_LEN)?;
    let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let part = |from, to| digits.get(from..to).unwrap_or_default();
    let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
    is_hex.then(|| parts.join("-"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
