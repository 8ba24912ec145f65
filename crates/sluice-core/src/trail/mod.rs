//! What is written down of every change.

mod event;

pub use event::{Event, EventDraft, EventKind, LedgerEvent};
