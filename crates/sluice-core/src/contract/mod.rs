//! The declaration for one kind of effect: there should be one *effect* for each *identity*.
//!
//! A contract says, once and outside the code that acts, which members of an event make an action the action it is, within
//! which boundary those are unique, what is compared beside them, for how long it is remembered, and what the target does
//! with keys. From it follows the key:
//! `idempotency_key({"effect": name, "scope": {path: value}, "identity": {path: value}})`, with the paths as written.

mod builder;
mod derive;
mod error;
mod file;
mod hashed;
mod path;
mod period;
mod previous;
mod read;
mod said;

pub use builder::ContractBuilder;
pub use derive::Derived;
pub use error::ContractError;
pub use file::{Contracts, FIELDS, OWN_FIELDS};
pub use hashed::IdentityKeys;
pub use path::MemberPath;
pub use period::{Every, Period, moment_ms};
pub use previous::Previous;

use crate::downstream::Profile;
use crate::policy::{OnDuplicate, OnFailed, OnIndeterminate};
use std::time::Duration;

/// What is declared for one kind of effect.
///
/// ```
/// use sluice_core::contract::{Contract, IdentityKeys};
/// use sluice_core::key::Json;
/// use sluice_core::record::LedgerTime;
///
/// let contract = Contract::builder("create_invoice")
///     .one("standard invoice")
///     .for_each("approved order")
///     .identity(["args.order_id", "args.invoice_type"])
///     .scope(["tenant_id"])
///     .fingerprint(["args"])
///     .build()?;
/// assert_eq!(contract.to_string(), "There should be one standard invoice for each approved order.");
///
/// let event = br#"{"tenant_id": "t1", "args": {"order_id": "o-17", "invoice_type": "standard"}, "sent": 1}"#;
/// let derived = contract.derive(&Json::parse(event)?, &IdentityKeys::default(), LedgerTime(0))?;
/// let parts = br#"{"effect": "create_invoice", "scope": {"tenant_id": "t1"},
///     "identity": {"args.order_id": "o-17", "args.invoice_type": "standard"}}"#;
/// assert_eq!(derived.key, Json::parse(parts)?.key());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// The effect's name; it is part of the key.
    pub effect: String,
    /// There should be one …
    pub one: Option<String>,
    /// … for each …
    pub for_each: Option<String>,
    /// When something counts as that.
    pub definition: Option<String>,
    /// The members that tell one action from another. An event without one of them has no key.
    pub identity: Vec<MemberPath>,
    /// The members within which the identity is unique: tenant, account. Always part of the key.
    pub scope: Vec<MemberPath>,
    /// The members that are compared when the key comes again; empty compares nothing.
    pub fingerprint: Vec<MemberPath>,
    /// The members that enter a key, or are kept as words for people, only as a keyed hash.
    pub sensitive: Vec<MemberPath>,
    /// The name of the key they are hashed with; the first one at hand where none is named.
    pub identity_key: Option<String>,
    /// The member of the effect's result that names the object that came out.
    pub object_id: Option<MemberPath>,
    /// The member that names the run, for people.
    pub run_id: Option<MemberPath>,
    /// The member that names who wants it, for people.
    pub actor: Option<MemberPath>,
    /// The member that says when the intent was first sent: RFC 3339, or milliseconds since 1970.
    pub first_sent: Option<MemberPath>,
    /// The member that tells one delivery from another, for people; it never enters the key.
    pub delivery: Option<MemberPath>,
    /// For how long the sender may deliver again.
    pub duplicates_arrive_within: Option<Duration>,
    /// How long the intent is remembered, counted from the last change.
    pub remember: Duration,
    /// How long its result is kept, counted from the last change.
    pub keep_result: Duration,
    /// What a duplicate hears.
    pub on_duplicate: OnDuplicate,
    /// What a delivery does where nobody knows whether it happened; `None` is what follows from `repeatable`.
    pub on_indeterminate: Option<OnIndeterminate>,
    /// What a delivery does where it failed before.
    pub on_failed: OnFailed,
    /// Whether running it twice does no harm.
    pub repeatable: bool,
    /// Whether the effect marks its point of no return.
    pub marked: bool,
    /// How many attempts are made under one claim.
    pub tries: Option<u32>,
    /// Time for the whole delivery.
    pub deadline: Option<Duration>,
    /// Which target it is that fails or not, for all that name it.
    pub circuit: Option<String>,
    /// What the target does with keys.
    pub downstream: Option<Profile>,
    /// How the target is asked whether it happened: a shell command, for the command line alone.
    pub probe: Option<String>,
    /// What else the effect writes to; the target's key covers only the target.
    pub also_writes: Vec<String>,
    /// Within what the ids in the identity are unique.
    pub ids_unique_in: Option<UniqueIn>,
    /// Whether one event is one action, so that the event's id may be the identity.
    pub one_per_event: bool,
    /// One action for each day, or other period, of a scheduled time.
    pub period: Option<Period>,
    /// How keys were derived before, while intents of that time may still be delivered.
    pub previous: Vec<Previous>,
}

/// Within what ids are unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UniqueIn {
    /// A tenant or organisation.
    Tenant,
    /// An account.
    Account,
    /// A workflow.
    Workflow,
    /// Everywhere.
    Global,
}

impl UniqueIn {
    /// Every boundary.
    pub const ALL: [Self; 4] = [Self::Tenant, Self::Account, Self::Workflow, Self::Global];

    /// Returns its name in a contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Account => "account",
            Self::Workflow => "workflow",
            Self::Global => "global",
        }
    }
}
