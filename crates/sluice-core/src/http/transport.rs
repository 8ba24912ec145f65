//! What does it mean that no answer came?

use super::fault::HttpFault;
use crate::failure::FailureClass;

/// How a request ended without a whole answer. A client that cannot tell says [`Transport::Unknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// The name was not found.
    Dns,
    /// Nobody took the connection.
    ConnectRefused,
    /// The connection was not made in time.
    ConnectTimeout,
    /// The connection could not be secured, before anything of the request was sent.
    Tls,
    /// Sending broke off: what was sent may have been enough.
    SendFailed,
    /// The connection was reset after the request was sent, or began to be.
    ResetAfterSending,
    /// No answer came in time.
    ReadTimeout,
    /// The answer broke off.
    BodyTruncated,
    /// We took the request back.
    Cancelled,
    /// Something else, or nobody can say what.
    Unknown,
}

impl Transport {
    /// Every way.
    pub const ALL: [Self; 10] = [
        Self::Dns,
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::Tls,
        Self::SendFailed,
        Self::ResetAfterSending,
        Self::ReadTimeout,
        Self::BodyTruncated,
        Self::Cancelled,
        Self::Unknown,
    ];

    /// What is known of the effect: where no connection was made nothing was sent, everywhere else it may have
    /// happened.
    pub fn class(self) -> FailureClass {
        match self {
            Self::Dns | Self::ConnectRefused | Self::ConnectTimeout | Self::Tls => FailureClass::Transient,
            Self::SendFailed
            | Self::ResetAfterSending
            | Self::ReadTimeout
            | Self::BodyTruncated
            | Self::Cancelled
            | Self::Unknown => FailureClass::Unknown,
        }
    }

    /// The stable code of its failure.
    pub fn code(self) -> &'static str {
        match self {
            Self::Dns => "http_dns",
            Self::ConnectRefused => "http_connect_refused",
            Self::ConnectTimeout => "http_connect_timeout",
            Self::Tls => "http_tls",
            Self::SendFailed => "http_send_failed",
            Self::ResetAfterSending => "http_reset",
            Self::ReadTimeout => "http_read_timeout",
            Self::BodyTruncated => "http_body_truncated",
            Self::Cancelled => "http_cancelled",
            Self::Unknown => "http_unknown",
        }
    }

    /// The sentence that is stored.
    pub fn message(self) -> &'static str {
        match self {
            Self::Dns => "the target's name was not found",
            Self::ConnectRefused => "the target took no connection",
            Self::ConnectTimeout => "no connection to the target was made in time",
            Self::Tls => "the connection to the target could not be secured",
            Self::SendFailed => "the request could not be sent whole",
            Self::ResetAfterSending => "the connection broke after the request was sent",
            Self::ReadTimeout => "the request was sent and no answer came in time",
            Self::BodyTruncated => "the answer broke off",
            Self::Cancelled => "the request was taken back after it was sent",
            Self::Unknown => "the request ended without an answer",
        }
    }
}

/// What is known where no whole answer came.
///
/// ```
/// use sluice_core::FailureClass;
/// use sluice_core::http::{Transport, transport};
/// assert_eq!(transport(Transport::ConnectRefused).class, FailureClass::Transient);
/// assert_eq!(transport(Transport::ResetAfterSending).class, FailureClass::Unknown);
/// ```
pub fn transport(ended: Transport) -> HttpFault {
    HttpFault::new(ended.class(), ended.code().to_owned(), ended.message())
}
