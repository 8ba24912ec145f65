//! What is known where HTTP brought no success?

use crate::failure::{Failure, FailureClass};
use std::time::Duration;

/// What an answer that is no success, or an error of the connection, says of the effect.
///
/// It becomes a [`Failure`] through `?` or `into()`. Neither code nor message has anything of headers or body in it.
///
/// ```
/// use sluice_core::http::{Transport, transport};
/// use sluice_core::{Failure, FailureClass};
/// let failure = Failure::from(transport(Transport::ReadTimeout));
/// assert_eq!(failure.class(), FailureClass::Unknown);
/// assert_eq!(failure.message(), "the request was sent and no answer came in time");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the answer")]
pub struct HttpFault {
    /// What is known of the effect.
    pub class: FailureClass,
    /// How long the answer asked to wait. The longest duration where trying again with the same key is vain, which is
    /// longer than any retry may wait.
    pub retry_after: Option<Duration>,
    /// A stable code: `http_` and the status, or a word.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// Whether the target itself answered, and not something on the way to it.
    pub from_target: bool,
    /// Whether the target knows the key from a request with other parameters.
    pub is_conflict: bool,
    /// Whether the target gave its earlier answer once more.
    pub is_replayed: bool,
    /// Whether the target's profile takes this answer as a proof that no earlier request with the key took hold.
    pub proves_not_landed: bool,
}

impl HttpFault {
    pub(super) fn new(class: FailureClass, code: String, message: impl Into<String>) -> Self {
        Self {
            class,
            retry_after: None,
            code,
            message: message.into(),
            from_target: false,
            is_conflict: false,
            is_replayed: false,
            proves_not_landed: false,
        }
    }
}

impl From<HttpFault> for Failure {
    fn from(fault: HttpFault) -> Self {
        let failure = match fault.class {
            FailureClass::Permanent => Self::permanent(fault.message),
            FailureClass::Transient => Self::transient(fault.message),
            FailureClass::NotStarted => Self::not_started(fault.message),
            FailureClass::Unknown => Self::unknown(fault.message),
            FailureClass::Unclassified => Self::unclassified(fault.message),
            FailureClass::Overdue => Self::overdue(fault.message),
        };
        let mut failure = failure.with_code(fault.code);
        if fault.from_target {
            failure = failure.from_target();
        }
        if fault.proves_not_landed {
            failure = failure.proving_no_earlier_one_landed();
        }
        match fault.retry_after {
            Some(wait) => failure.with_retry_after(wait),
            None => failure,
        }
    }
}
