//! Is a target in trouble, so that nothing should be sent to it?
//!
//! A circuit is asked before a claim, so that what it refuses leaves no record. What it knows is in two parts:
//! [`Circuit`] is shared by all processes of a ledger and stored there, changed only by conditional writes
//! ([`CircuitChange`]); [`Window`] is what was seen of the calls since the circuit last changed. Both are stored
//! together ([`Shared`]), for a process may live for no longer than one call.
//!
//! ```text
//!           half of the last outcomes failed            its time is over: one caller takes the probe
//!   closed ─────────────────────────────────▶ open ──────────────────────────────────▶ half-open
//!     ▲                                        ▲                                          │ │ ▲
//!     │            the probe was answered      └───── it failed, or says nothing ─────────┘ │ │ its slot ran out:
//!     └─────────────────────────────────────────────────────────────────────────────────────┘ └ another caller's
//! ```
//!
//! Every change begins a new generation, and each permit carries the one it was given in: a result that comes late
//! changes nothing.

mod ask;
mod circuit;
mod record;
mod settings;
mod shared;
mod window;

pub use ask::{Permit, ask};
pub use circuit::{Circuit, CircuitChange, CircuitState, Generation};
pub use record::{Heard, Ticket, change, heard, reconsider, release};
pub use settings::BreakerSettings;
pub use shared::{NAME_LIMIT, Seen, Shared, SharedChange};
pub use window::Window;
