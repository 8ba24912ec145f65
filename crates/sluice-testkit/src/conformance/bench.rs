//! What the rules are written with: a store's calls as plain functions, and looking at everything at once.

use super::Subject;
use crate::{block_on, sample};
use sluice_core::change::{Change, Unmet};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::record::Snapshot;
use sluice_core::store::{Condition, Page, Query, Renewed, Store, StoreError, Swept, Written};
use sluice_core::trail::{Event, EventDraft, LedgerEvent};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// Whether a rule holds, or what was seen instead.
pub(crate) type Verdict = Result<(), String>;

/// Ends a rule with a sentence where something does not hold.
macro_rules! ensure {
    ($holds:expr, $($said:tt)+) => {
        if !$holds {
            return Err(format!($($said)+));
        }
    };
}
pub(crate) use ensure;

/// Longest part of a value that a report shows: some results are a mebibyte long.
const SHOWN: usize = 1500;

/// Whether two things are equal; says of what they are where they are not.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Verdict {
    if found == expected {
        return Ok(());
    }
    let short = |value: &T| sluice_core::outcome::cut(&format!("{value:?}"), SHOWN).to_owned();
    Err(format!("{what}: found {}, expected {}", short(found), short(expected)))
}

/// All that can be seen of one record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub snapshot: Option<Snapshot>,
    pub events: Vec<Event>,
}

/// A subject and short ways to use it.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    pub subject: &'a dyn Subject,
}

impl<'a> Bench<'a> {
    pub fn new(subject: &'a dyn Subject) -> Self {
        Self { subject }
    }

    pub fn store(self) -> Arc<dyn Store> {
        self.subject.store()
    }

    pub fn advance(self, ms: u64) {
        self.subject.advance(Duration::from_millis(ms));
    }

    pub fn apply(self, id: &RecordId, change: Change) -> Result<Written, String> {
        block_on(self.store().apply(id.clone(), change)).map_err(trouble)
    }

    /// Writes a change that must apply.
    pub fn applied(self, id: &RecordId, change: Change) -> Result<Snapshot, String> {
        match self.apply(id, change)? {
            Written::Applied(snapshot) => Ok(*snapshot),
            Written::Found { unmet, .. } => Err(format!("a change that holds was refused for {unmet:?}")),
        }
    }

    /// Offers a change that must be refused for this reason, and looks whether anything changed.
    pub fn refused(self, id: &RecordId, change: Change, why: Unmet) -> Verdict {
        let before = self.seen(id)?;
        match self.apply(id, change)? {
            Written::Applied(_) => return Err(format!("a change was carried out that {why:?} forbids")),
            Written::Found { snapshot, unmet } => {
                same("what did not hold", &unmet, &why)?;
                same("what was found", &snapshot.map(|found| *found), &before.snapshot)?;
            }
        }
        same("what a refused change left behind", &self.seen(id)?, &before)
    }

    /// A first claim that must be granted.
    pub fn claim(self, id: &RecordId) -> Result<Snapshot, String> {
        self.applied(id, sample::first_claim(sample::claim_id()))
    }

    /// First claims of many records, asked for together so that a store may commit them together.
    pub fn claim_all(self, ids: &[RecordId]) -> Verdict {
        let store = self.store();
        let claims = ids.iter().map(|id| store.apply(id.clone(), sample::first_claim(sample::claim_id())));
        for claim in claims.collect::<Vec<_>>() {
            let written = block_on(claim).map_err(trouble)?;
            ensure!(matches!(written, Written::Applied(_)), "a first claim was refused");
        }
        Ok(())
    }

    /// A record that was claimed and released, at epoch 1.
    pub fn released(self, id: &RecordId) -> Result<Snapshot, String> {
        let claimed = self.claim(id)?;
        self.applied(id, sample::release(&claimed))
    }

    pub fn read(self, id: &RecordId) -> Result<Option<Snapshot>, String> {
        block_on(self.store().read(id)).map_err(trouble)
    }

    /// Reads a record that must be there.
    pub fn found(self, id: &RecordId) -> Result<Snapshot, String> {
        self.read(id)?.ok_or_else(|| format!("{id} is not there"))
    }

    pub fn events(self, id: &RecordId) -> Result<Vec<Event>, String> {
        block_on(self.store().events(id)).map_err(trouble)
    }

    pub fn seen(self, id: &RecordId) -> Result<Seen, String> {
        Ok(Seen { snapshot: self.read(id)?, events: self.events(id)? })
    }

    pub fn renew(
        self,
        id: &RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> Result<Renewed, String> {
        block_on(self.store().renew(id.clone(), claim, epoch, lease)).map_err(trouble)
    }

    pub fn notice(self, id: &RecordId, event: EventDraft) -> Verdict {
        block_on(self.store().notice(id.clone(), event)).map_err(trouble)
    }

    pub fn list(self, query: Query) -> Result<Page, String> {
        block_on(self.store().list(query)).map_err(trouble)
    }

    pub fn sweep(self, limit: usize) -> Result<Swept, String> {
        block_on(self.store().sweep(limit)).map_err(trouble)
    }

    pub fn condition(self) -> Result<Condition, String> {
        block_on(self.store().condition()).map_err(trouble)
    }

    pub fn accept(self) -> Result<Condition, String> {
        block_on(self.store().accept_clock("ada".into(), "looked".into())).map_err(trouble)
    }

    pub fn ledger_events(self) -> Result<Vec<LedgerEvent>, String> {
        block_on(self.store().ledger_events(10)).map_err(trouble)
    }

    pub fn count(self, id: &RecordId, tally: Tally) -> Verdict {
        block_on(self.store().count_deliveries(vec![(id.clone(), tally)])).map_err(trouble)
    }

    pub fn deliveries(self, id: &RecordId) -> Result<Option<Deliveries>, String> {
        block_on(self.store().deliveries(id)).map_err(trouble)
    }

    /// The keys that a query finds, in its order.
    pub fn keys(self, query: Query) -> Result<Vec<String>, String> {
        let page = self.list(query)?;
        Ok(page.items.iter().map(|item| item.record.id.key.to_string()).collect())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where `map_err` wants a function")]
pub(crate) fn trouble(error: StoreError) -> String {
    format!("the store is in trouble: {error}")
}
