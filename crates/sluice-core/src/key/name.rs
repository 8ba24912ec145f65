//! What may a key or a namespace be called?

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::hex;

/// The longest name, in UTF-16 code units: every surface, JavaScript included, counts the same.
const MAX_UNITS: usize = 200;

/// Says why a text is neither a key nor a namespace, without repeating the text.
///
/// ```
/// use sluice_core::key::Key;
///
/// let error = Key::new("a".repeat(201)).unwrap_err();
/// assert_eq!(error.to_string(), "key of 201 UTF-16 code units: use 1 to 200, without control characters");
/// assert_eq!(error.units(), 201);
/// assert!(!error.is_about_namespace());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    subject: Subject,
    units: usize,
    control: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Key,
    Namespace,
}

impl KeyError {
    /// Returns the length found, in UTF-16 code units.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Says whether a control character was found.
    pub fn has_control_character(&self) -> bool {
        self.control
    }

    /// Says whether the text was to be a namespace; otherwise it was to be a key.
    pub fn is_about_namespace(&self) -> bool {
        self.subject == Subject::Namespace
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = if self.is_about_namespace() { "namespace" } else { "key" };
        let control = if self.control { " with a control character" } else { "" };
        let units = self.units;
        write!(
            f,
            "{subject} of {units} UTF-16 code units{control}: use 1 to {MAX_UNITS}, without control characters"
        )
    }
}

impl std::error::Error for KeyError {}

fn check(text: String, subject: Subject) -> Result<Arc<str>, KeyError> {
    // Nearly every key is hex digits, whose bytes are its units.
    let (units, control) = if text.is_ascii() {
        (text.len(), text.bytes().any(|byte| byte.is_ascii_control()))
    } else {
        (text.encode_utf16().count(), text.chars().any(char::is_control))
    };
    if control || units == 0 || units > MAX_UNITS {
        return Err(KeyError { subject, units, control });
    }
    Ok(text.into())
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        // Shared, since a name goes wherever its record goes.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes a text of 1 to 200 UTF-16 code units without control characters.
            ///
            /// # Errors
            /// [`KeyError`] if the text is empty, longer, or holds a control character.
            pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
                check(text.into(), Subject::$name).map(Self)
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = KeyError;

            fn from_str(text: &str) -> Result<Self, KeyError> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = KeyError;

            fn try_from(text: &str) -> Result<Self, KeyError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = KeyError;

            fn try_from(text: String) -> Result<Self, KeyError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }
    };
}

name! {
    /// Names one intent; derived by [`idempotency_key`](super::idempotency_key) or made by hand.
    ///
    /// ```
    /// use sluice_core::key::Key;
    ///
    /// assert_eq!(Key::new("order-17")?.as_str(), "order-17");
    /// assert!(Key::new("").is_err());
    /// # Ok::<(), sluice_core::key::KeyError>(())
    /// ```
    Key
}

name! {
    /// Names an environment and who may see it; a record is found by its namespace and key, never by a joint text.
    ///
    /// ```
    /// use sluice_core::key::Namespace;
    ///
    /// assert_eq!(Namespace::default().as_str(), "default");
    /// assert!(Namespace::new("line\nbreak").is_err());
    /// ```
    Namespace
}

impl Key {
    /// 64 hex digits always follow the rule for keys.
    pub(super) fn from_digest(digest: &[u8; 32]) -> Self {
        Self(hex::lower(digest).into())
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self("default".into())
    }
}
