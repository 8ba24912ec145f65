//! What does an HTTP answer, or the lack of one, say of the effect?
//!
//! For any client: it hands over status, headers and, where it has read it, the target's own error code, and gets back
//! what is known. Nothing of headers or body goes into what is stored.
//!
//! The client must not follow redirects and must not repeat requests by itself: otherwise the last answer, or the last
//! error, is not the only request that was sent.

mod answer;
mod classify;
mod fault;
mod gateway;
mod table;
mod transport;

pub use answer::Answer;
pub use classify::classify;
pub use fault::HttpFault;
pub use table::{DEFAULTS, Meaning, Row, Table, TableError};
pub use transport::{Transport, transport};
