//! How an effect says that it did not succeed: permanent, transient, or unknown.

use crate::error::{Code, Error};
use crate::key::check_plain;
use crate::outcome::{Fault, MESSAGE_LIMIT, cut};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// What is known of an effect that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// It did not happen, and asking again would fail again.
    Permanent,
    /// It did not happen, and asking again may work.
    Transient,
    /// The effect was never begun.
    NotStarted,
    /// It may have happened, as its holder says.
    Unknown,
    /// It went wrong in a way that nobody classified. Before the mark of an effect that declared marks it did not
    /// happen; else it may have.
    Unclassified,
    /// It may have happened or still happen: it took longer than it may, and goes on.
    Overdue,
}

impl FailureClass {
    /// Whether it may have happened.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::Unclassified | Self::Overdue)
    }
}

/// An effect's word that it did not succeed.
///
/// Any other error that an effect returns through `?` becomes [`FailureClass::Unclassified`]: an error that nobody
/// classified may well have come after the side effect, unless the effect declared marks and had not marked yet. Its text is not stored, since it may carry a driver's
/// words, but it stays behind [`Failure::source`] for the caller that ran the effect.
///
/// ```
/// use sluice_core::{Failure, FailureClass};
/// fn charge() -> Result<(), Failure> {
///     "12x".parse::<i32>()?;
///     Ok(())
/// }
/// assert_eq!(charge().unwrap_err().class(), FailureClass::Unclassified);
/// assert_eq!(Failure::permanent("card declined").class(), FailureClass::Permanent);
/// ```
#[derive(Debug)]
pub struct Failure {
    fault: Fault,
    source: Option<Box<dyn StdError + Send + Sync>>,
    retry_after: Option<Duration>,
    proves_not_landed: bool,
    is_final: bool,
}

impl Failure {
    fn new(class: FailureClass, message: &str) -> Self {
        let message = cut(message, MESSAGE_LIMIT).to_owned();
        let fault = Fault { class, code: None, message, detail: None, from_target: false };
        Self { fault, source: None, retry_after: None, proves_not_landed: false, is_final: false }
    }

    /// It did not happen, and the same request would fail again. The message is stored and replayed.
    pub fn permanent(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::Permanent, message.as_ref())
    }

    /// It did not happen, but a later delivery may succeed.
    pub fn transient(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::Transient, message.as_ref())
    }

    /// It was never begun.
    pub fn not_started(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::NotStarted, message.as_ref())
    }

    /// The same for an error that came before anything was begun, as that of a mark that was refused.
    pub fn not_begun(error: impl StdError + Send + Sync + 'static) -> Self {
        Self::not_started("it was stopped before its point of no return").with_source(error)
    }

    /// It went wrong in a way that nobody classified.
    pub fn unclassified(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::Unclassified, message.as_ref())
    }

    /// It may have happened, and goes on.
    pub fn overdue(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::Overdue, message.as_ref())
    }

    /// It may have happened.
    pub fn unknown(message: impl AsRef<str>) -> Self {
        Self::new(FailureClass::Unknown, message.as_ref())
    }

    /// Adds a short code of the caller's own.
    #[must_use]
    pub fn with_code(mut self, code: impl AsRef<str>) -> Self {
        self.fault.code = Some(cut(code.as_ref(), 100).to_owned());
        self
    }

    /// Adds a value that a replay of this failure gives back, as JSON text.
    ///
    /// One that cannot be written down, or is larger than a result may be, is left out.
    #[must_use]
    pub fn with_detail(mut self, detail: &impl Serialize) -> Self {
        self.fault.detail = check_plain(detail).ok().and_then(|()| serde_json::to_string(detail).ok());
        self
    }

    /// Adds the error behind it, for the caller that ran the effect. It is not stored.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds how long the target asked to wait before another try. It is not stored.
    ///
    /// A wait that is longer than retries may take stops them at once; see [`crate::retry::next`].
    ///
    /// ```
    /// use sluice_core::Failure;
    /// use std::time::Duration;
    /// let failure = Failure::transient("too many requests").with_retry_after(Duration::from_secs(2));
    /// assert_eq!(failure.retry_after(), Some(Duration::from_secs(2)));
    /// ```
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Says that the target itself answered so, and not something on the way to it.
    #[must_use]
    pub fn from_target(mut self) -> Self {
        self.fault.from_target = true;
        self
    }

    /// Says that no further attempt is wanted under this claim, whatever the settings say: somebody took it back, say.
    #[must_use]
    pub fn not_to_be_repeated(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// Whether no further attempt is wanted.
    pub fn is_final(&self) -> bool {
        self.is_final
    }

    /// Says that this answer of the target proves that no earlier request with the same key took hold: it is the one thing
    /// that clears the doubt of an earlier attempt ([`Tries`](crate::decide::Tries)).
    #[must_use]
    pub fn proving_no_earlier_one_landed(mut self) -> Self {
        self.proves_not_landed = true;
        self
    }

    /// Whether it proves that no earlier request with the same key took hold.
    pub fn proves_no_earlier_one_landed(&self) -> bool {
        self.proves_not_landed
    }

    /// What is known of the effect.
    pub fn class(&self) -> FailureClass {
        self.fault.class
    }

    /// The sentence that is stored.
    pub fn message(&self) -> &str {
        &self.fault.message
    }

    /// How long the target asked to wait before another try, where it did.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The error behind it, where there is one.
    pub fn source(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.source.as_deref()
    }

    /// Splits into what is stored and what is not.
    pub fn into_parts(self) -> (Fault, Option<Box<dyn StdError + Send + Sync>>) {
        (self.fault, self.source)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fault.message)
    }
}

// `Failure` itself is deliberately no `std::error::Error`: that is what lets every other error become one.
impl<E: StdError + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let inner = (&error as &dyn Any).downcast_ref::<Error>().map(of_inner);
        inner
            .unwrap_or_else(|| Self::unclassified("the effect returned an error that it did not classify"))
            .with_source(error)
    }
}

/// An effect that is itself run once per intent tells what that run said. It was tried as often as it may be, so that the
/// attempts of the two never multiply.
fn of_inner(error: &Error) -> Failure {
    let said = "an effect inside this one";
    let failure = match error.code() {
        Code::EffectFailed => Failure::permanent(format!("{said} failed for good")),
        _ if error.did_not_happen() => Failure::transient(format!("{said} did not happen")),
        _ if error.is_indeterminate() => Failure::unknown(format!("{said} may have happened")),
        _ => Failure::unclassified(format!("{said} was not run by this delivery")),
    };
    failure.with_code(error.code().as_str()).not_to_be_repeated()
}
