//! What the caller can do about it. Success is the only `Ok`; everything else says what is safe.

mod code;

pub use code::Code;

use crate::ids::{Epoch, RecordId};
use crate::key::{InputError, KeyError};
use crate::outcome::Fault;
use crate::ports::Unrecorded;
use crate::record::LedgerTime;
use crate::state::Status;
use crate::store::{StoreError, StoreErrorKind};
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// Why an intent has no success to report, and what the caller can do.
///
/// ```
/// use sluice_core::{Code, Error};
/// let error = Error::new(Code::Indeterminate, "nobody knows whether it happened");
/// assert!(error.is_indeterminate() && !error.is_retryable() && !error.did_not_happen());
/// assert_eq!(error.code().as_str(), "E_INDETERMINATE");
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: Code,
    message: String,
    about: About,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What is known of the record an error is about. Every member may be absent.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Which intent.
    pub id: Option<RecordId>,
    /// Its state when it was looked at.
    pub status: Option<Status>,
    /// The epoch this delivery was bound to or ran as.
    pub epoch: Option<Epoch>,
    /// The epochs of which nobody knows whether they took hold.
    pub unresolved: Vec<Epoch>,
    /// When the record last changed.
    pub updated: Option<LedgerTime>,
    /// What the holder said, where the delivery may hear it.
    pub fault: Option<Fault>,
    /// How long to wait before asking again makes sense.
    pub safe_after: Option<Duration>,
    /// A process that still runs the effect.
    pub pid: Option<u32>,
    /// An outcome that the ledger does not know yet.
    pub unrecorded: Option<Unrecorded>,
    /// Whether that outcome is kept elsewhere, for a later run to take in.
    pub is_spooled: bool,
    /// Whether a newer execution has begun since the one that the answer is about.
    pub is_overtaken: bool,
    /// Whether it happened as a whole or not at all, and the ledger could not say which: delivering it again is safe.
    pub is_whole_or_nothing: bool,
}

impl Error {
    /// An error with this code and this sentence: a lower-case fragment without a full stop.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), about: About::default(), source: None }))
    }

    /// Adds what is known of the record.
    #[must_use]
    pub fn about(mut self, about: About) -> Self {
        self.0.about = about;
        self
    }

    /// Changes what is known of the record.
    #[must_use]
    pub fn with(mut self, edit: impl FnOnce(&mut About)) -> Self {
        edit(&mut self.0.about);
        self
    }

    /// Adds the error behind it, which is not shown unless asked for.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Whether delivering the same intent again, unchanged, is safe and may succeed.
    pub fn is_retryable(&self) -> bool {
        match self.0.code {
            Code::Store => self.store_kind().is_none_or(StoreErrorKind::may_pass),
            code => code.is_retryable(),
        }
    }

    /// Whether nobody knows if the effect happened.
    pub fn is_indeterminate(&self) -> bool {
        self.0.code == Code::Indeterminate
    }

    /// Whether it is known that no execution of this intent took hold, this delivery's included.
    ///
    /// An answer about an execution that a newer one has overtaken says nothing of the newer one.
    pub fn did_not_happen(&self) -> bool {
        let released = self.0.about.status == Some(Status::Released)
            && matches!(self.0.code, Code::Deadline | Code::CircuitOpen);
        (self.0.code.did_not_happen() || released) && !self.0.about.is_overtaken
    }

    /// What to do next, in one sentence.
    pub fn advice(&self) -> &'static str {
        if self.0.about.is_whole_or_nothing {
            return "Deliver it again: what was done is replayed, and what was not is run.";
        }
        self.0.code.advice()
    }

    /// What is known of the record.
    pub fn details(&self) -> &About {
        &self.0.about
    }

    /// The kind of trouble, where the store is in trouble.
    pub fn store_kind(&self) -> Option<StoreErrorKind> {
        self.0.source.as_deref()?.downcast_ref::<StoreError>().map(|error| error.kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::new(Code::InvalidInput, error.to_string()).with_source(error)
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::new(Code::InvalidKey, error.to_string()).with_source(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match error.kind {
            StoreErrorKind::Unsuitable | StoreErrorKind::Newer => Code::Config,
            StoreErrorKind::Invalid => Code::InvalidInput,
            _ => Code::Store,
        };
        Self::new(code, error.to_string()).with_source(error)
    }
}
