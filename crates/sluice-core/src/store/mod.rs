//! The few conditional operations a ledger must offer, and their errors.

mod transact;
mod upkeep;

pub use transact::{RolledBack, Transact, Transacted, Work};
pub use upkeep::{Condition, Swept, Upkeep};

use crate::change::{Change, Unmet};
use crate::ids::{ClaimId, Epoch, RecordId};
use crate::key::{Namespace, Secret};
use crate::ports::BoxFuture;
use crate::record::Snapshot;
use crate::state::Status;
use crate::trail::{Event, EventDraft};
use std::fmt::Debug;
use std::time::Duration;

/// A durable ledger. A store makes a change atomic and durable, and contains no rule.
///
/// Every method may be called by many tasks at once. A future that is dropped may or may not have had its
/// effect, but never half of it.
pub trait Store: Upkeep + Debug + Send + Sync + 'static {
    /// What the ledger says of itself. Cheap: read when the store was opened.
    fn ledger(&self) -> &Ledger;

    /// Whether this thread carries out the work of a transaction of this kind of store: a change that it asked for and waited
    /// for would wait for itself.
    fn is_at_work_here(&self) -> bool {
        false
    }

    /// Reads one record with its lease judged now.
    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>>;

    /// Carries out one change and its event in one transaction, durable before it answers.
    ///
    /// The store sets the version to one more than it found (or 1), stamps the times, files the superseded
    /// grant (see [`Change::supersedes`]), and answers what it then holds; or, where [`crate::change::Guard::check`]
    /// refuses, what it found instead, with nothing changed.
    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>>;

    /// Moves the lease of a live claim: no version, no event. Answers what the holder needs to know.
    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>>;

    /// Writes a notice: an event without a change.
    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Every event of one record, oldest first.
    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>>;

    /// Records, newest first.
    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>>;
}

/// What a ledger says of itself.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Its name, made with the ledger: 32 lower-case hex digits.
    pub id: String,
    /// Which life of it; a restore begins a new one.
    pub incarnation: u64,
    /// Secrets for fingerprints, the current one first.
    pub fingerprint_secrets: Vec<Secret>,
    /// The secret that keys sent to targets are made with.
    pub downstream_secret: Secret,
}

/// The answer to a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// It was carried out; this is the record now.
    Applied(Box<Snapshot>),
    /// It was not; this is what was found.
    Found {
        /// The record, if there is one.
        snapshot: Option<Box<Snapshot>>,
        /// What did not hold.
        unmet: Unmet,
    },
}

/// The answer to a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// The lease now has this much left.
    Extended {
        /// Time left on the store's clock.
        remaining: Duration,
        /// An older execution of this intent is known to have landed: start nothing more.
        landed_elsewhere: bool,
    },
    /// The claim is no longer the live one.
    Lost,
}

/// Which records to list.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Only this namespace; all where none is given.
    pub namespace: Option<Namespace>,
    /// Only these states; all where empty.
    pub statuses: Vec<Status>,
    /// Only this tool.
    pub tool: Option<String>,
    /// Only records whose key begins so.
    pub key_prefix: Option<String>,
    /// Only records changed no longer ago than this, on the ledger's time.
    pub within: Option<Duration>,
    /// Only what was noticed or flagged so.
    pub flagged: Option<Flag>,
    /// At most so many; 0 means 50, and no page is longer than 1,000.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<String>,
}

/// What a record may be looked for by, beside its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// Its key was used for a different request.
    Conflict,
    /// More than one execution is known to have landed.
    DoubleEffect,
}

/// One page of records.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The records.
    pub items: Vec<Snapshot>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

impl Query {
    /// The page length to use.
    pub fn page(&self) -> usize {
        if self.limit == 0 { 50 } else { self.limit.min(1000) }
    }
}

/// What kind of trouble a store is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Others hold it for too long.
    Busy,
    /// It cannot be reached.
    Unavailable,
    /// No space is left.
    Full,
    /// It may not be written, or not be opened at all.
    NoPermission,
    /// It is damaged, or no ledger.
    Corrupt,
    /// A newer version of sluice wrote it.
    Newer,
    /// There is no ledger at that place.
    Missing,
    /// It is set up in a way that would break the promise.
    Unsuitable,
    /// A secret it refers to is gone.
    SecretMissing,
    /// It keeps as much as it may.
    AtCapacity,
    /// It was asked for something that no ledger can do.
    Invalid,
    /// Anything else.
    Other,
}

/// A store's error. The driver's own words stay behind `source()`.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// What kind of trouble.
    pub kind: StoreErrorKind,
    /// Whether the change may have been carried out all the same.
    pub outcome_unknown: bool,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error of this kind; the message is for people and carries no driver's words.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, outcome_unknown: false, message: message.into(), source: None }
    }

    /// Adds the driver's error, which is not shown unless asked for.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Says that nobody knows whether the change was carried out.
    #[must_use]
    pub fn with_outcome_unknown(mut self) -> Self {
        self.outcome_unknown = true;
        self
    }

    /// Whether the same request may work later without anybody doing something about it.
    pub fn is_retryable(&self) -> bool {
        self.kind.may_pass()
    }
}

impl StoreErrorKind {
    /// Whether such trouble may pass without anybody doing something about it.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Busy | Self::Unavailable | Self::Full | Self::AtCapacity | Self::Other)
    }
}
