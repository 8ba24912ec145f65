//! An effect inside the ledger's own transaction.

use super::{Store, StoreError};
use crate::change::{Change, Unmet};
use crate::ids::RecordId;
use crate::ports::BoxFuture;
use crate::record::Snapshot;

/// A store whose ledger lies beside the user's own data, so that an effect can commit together with its claim and its
/// settlement: all of it happens, exactly once, or nothing does.
pub trait Transact: Store {
    /// What the effect's statements go through.
    type Statements<'t>;

    /// The object that the work said came out, if it did.
    fn object_id(statements: &Self::Statements<'_>) -> Option<String>;

    /// Carries out a claim, the work, and the settlement that the work answers, in one transaction that is durable before
    /// it answers. Where the work answers none, or the settlement does not apply to exactly that record, everything is
    /// rolled back, the claim included.
    ///
    /// The work is called once at most, with the record as it was claimed. It must be over soon: a store that has one
    /// writer keeps the leases of others waiting meanwhile, and rolls back what takes longer than it allows.
    fn transact(
        &self,
        id: RecordId,
        claim: Change,
        work: Work<Self>,
    ) -> BoxFuture<'_, Result<Transacted, StoreError>>;
}

/// What is done between claim and settlement.
pub type Work<S> =
    Box<dyn for<'t> FnOnce(&<S as Transact>::Statements<'t>, &Snapshot) -> Option<Change> + Send>;

/// What came of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Transacted {
    /// All of it is durable; this is the record now.
    Committed(Box<Snapshot>),
    /// The claim was not granted, and nothing was done.
    Found {
        /// The record, if there is one.
        snapshot: Option<Box<Snapshot>>,
        /// What did not hold.
        unmet: Unmet,
    },
    /// Nothing of it happened.
    RolledBack(RolledBack),
}

/// Why nothing of a transaction happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolledBack {
    /// The work answered no settlement.
    ByTheWork,
    /// The work broke down.
    Panicked,
    /// The work took longer than the store allows.
    TookTooLong,
    /// A statement of the work ended the transaction, as `ON CONFLICT ROLLBACK` does.
    LeftTheTransaction,
    /// What the work left behind breaks a constraint that is looked at last, as a deferred foreign key is.
    BrokeAConstraint,
    /// The settlement did not apply.
    Unsettled,
}
