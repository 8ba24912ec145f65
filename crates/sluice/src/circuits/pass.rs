//! The right to send something to a target.

use super::Circuits;
use sluice_core::breaker::Ticket;
use sluice_core::failure::FailureClass;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a circuit let through. One that is dropped without a word frees what it holds.
#[derive(Debug)]
pub(crate) struct Pass {
    held: Option<(Circuits, String, Ticket)>,
    is_heard: AtomicBool,
}

impl Pass {
    /// For what belongs to no circuit.
    pub fn free() -> Self {
        Self { held: None, is_heard: AtomicBool::new(false) }
    }

    pub(super) fn new(circuits: &Circuits, name: &str, ticket: Ticket) -> Self {
        let held = Some((circuits.clone(), name.to_owned(), ticket));
        Self { held, is_heard: AtomicBool::new(false) }
    }

    pub(super) fn what(&self) -> Option<(&str, Ticket)> {
        self.held.as_ref().map(|(_, name, ticket)| (name.as_str(), *ticket))
    }

    /// Says how an attempt ended; `None` is a success.
    pub fn heard(&self, class: Option<FailureClass>) {
        if let Some((circuits, ..)) = &self.held {
            self.is_heard.store(true, Ordering::Relaxed);
            circuits.heard(self, class);
        }
    }

    /// Whether another attempt may be sent.
    pub fn still_allows(&self) -> bool {
        self.held.as_ref().is_none_or(|(circuits, ..)| circuits.still_allows(self))
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let (Some((circuits, name, ticket)), false) = (&self.held, self.is_heard.load(Ordering::Relaxed)) {
            circuits.dropped(name, *ticket);
        }
    }
}
