//! What callers ask the writer for, and how they hear of it.

use crate::apply::{Done, Transaction};
use crate::classify::Trouble;
use crate::rows::Stamped;
use crate::transact::Wanted;
use futures_channel::oneshot::Sender;
use sluice_core::breaker::{Seen, SharedChange};
use sluice_core::change::Change;
use sluice_core::deliveries::Tally;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::record::{Record, Snapshot};
use sluice_core::store::{Condition, Renewed, StoreError, Swept, Transacted, Written};
use sluice_core::trail::EventDraft;
use std::time::Duration;

pub(crate) type Reply<T> = Sender<Result<T, StoreError>>;

/// One request. A caller that no longer listens changes nothing.
#[derive(Debug)]
pub(crate) enum Job {
    Apply {
        id: RecordId,
        change: Box<Change>,
        reply: Reply<Written>,
    },
    Renew {
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
        reply: Reply<Renewed>,
    },
    Notice {
        id: RecordId,
        event: EventDraft,
        reply: Reply<()>,
    },
    Sweep {
        limit: usize,
        reply: Reply<Swept>,
    },
    Condition {
        reply: Reply<Condition>,
    },
    AcceptClock {
        by: String,
        reason: String,
        reply: Reply<Condition>,
    },
    Circuit {
        name: String,
        change: Option<Box<SharedChange>>,
        reply: Reply<Seen>,
    },
    /// Alone, never in a batch.
    Transact {
        wanted: Wanted,
        reply: Reply<Transacted>,
    },
    Count {
        tallies: Vec<(RecordId, Tally)>,
        reply: Reply<()>,
    },
}

impl Job {
    /// Which record it is about, if it is about one.
    pub(crate) fn id(&self) -> Option<&RecordId> {
        match self {
            Self::Apply { id, .. } | Self::Renew { id, .. } | Self::Notice { id, .. } => Some(id),
            Self::Sweep { .. }
            | Self::Condition { .. }
            | Self::AcceptClock { .. }
            | Self::Circuit { .. }
            | Self::Transact { .. }
            | Self::Count { .. } => None,
        }
    }

    /// Does it inside a transaction; can be done again where that transaction was rolled back.
    pub(crate) fn run(&self, transaction: &mut Transaction<'_>) -> Result<Done, Trouble> {
        match self {
            Self::Apply { id, change, .. } => transaction.apply(id, change),
            Self::Renew { id, claim, epoch, lease, .. } => transaction.renew(id, *claim, *epoch, *lease),
            Self::Notice { id, event, .. } => transaction.notice(id, event),
            Self::Sweep { limit, .. } => transaction.sweep(*limit).map(Done::Swept),
            Self::Condition { .. } => Ok(Done::Condition(transaction.condition())),
            Self::AcceptClock { by, reason, .. } => transaction.accept_clock(by, reason).map(Done::Condition),
            Self::Circuit { name, change, .. } => {
                transaction.circuit(name, change.as_deref()).map(|seen| Done::Circuit(Box::new(seen)))
            }
            // Not reached: the writer takes it out of every batch.
            Self::Transact { .. } => Err(Trouble::Absent("a transaction of its own")),
            Self::Count { tallies, .. } => transaction.count(tallies).map(|()| Done::Counted),
        }
    }

    /// Tells the caller what came of it. The transaction is durable by now.
    pub(crate) fn answer(self, done: Done) {
        match (self, done) {
            (Self::Apply { id, change, reply }, Done::Applied(stamped)) => {
                let _ = reply.send(Ok(Written::Applied(Box::new(stored(id, *change, stamped)))));
            }
            (Self::Apply { reply, .. }, Done::Found { snapshot, unmet }) => {
                let _ = reply.send(Ok(Written::Found { snapshot, unmet }));
            }
            (Self::Renew { reply, .. }, Done::Renewed(renewed)) => drop(reply.send(Ok(renewed))),
            (Self::Notice { reply, .. }, Done::Noticed) | (Self::Count { reply, .. }, Done::Counted) => {
                drop(reply.send(Ok(())));
            }
            (Self::Circuit { reply, .. }, Done::Circuit(seen)) => drop(reply.send(Ok(*seen))),
            (Self::Sweep { reply, .. }, Done::Swept(swept)) => drop(reply.send(Ok(swept))),
            (Self::Condition { reply } | Self::AcceptClock { reply, .. }, Done::Condition(condition)) => {
                drop(reply.send(Ok(condition)));
            }
            // Not reached: every job has answers of its own kind. A dropped reply is an error for the caller.
            _ => {}
        }
    }

    /// Tells the caller that it failed.
    pub(crate) fn fail(self, error: StoreError) {
        match self {
            Self::Apply { reply, .. } => drop(reply.send(Err(error))),
            Self::Renew { reply, .. } => drop(reply.send(Err(error))),
            Self::Notice { reply, .. } | Self::Count { reply, .. } => drop(reply.send(Err(error))),
            Self::Sweep { reply, .. } => drop(reply.send(Err(error))),
            Self::Circuit { reply, .. } => drop(reply.send(Err(error))),
            Self::Transact { reply, .. } => drop(reply.send(Err(error))),
            Self::Condition { reply } | Self::AcceptClock { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}

/// What the ledger holds now: the change as it was asked for, times rounded as their columns round them.
pub(crate) fn stored(id: RecordId, change: Change, stamped: Stamped) -> Snapshot {
    let Stamped { version, incarnation, created, updated, lease } = stamped;
    let mut body = change.set;
    body.terms.lease = whole_ms(body.terms.lease);
    body.terms.keep_result = whole_ms(body.terms.keep_result);
    body.terms.remember = whole_ms(body.terms.remember);
    body.terms.attempt_timeout = body.terms.attempt_timeout.map(whole_ms);
    Snapshot { record: Record { id, version, incarnation, created, updated, body }, lease }
}

fn whole_ms(duration: Duration) -> Duration {
    Duration::from_millis(sluice_core::duration::as_ms(duration).min(i64::MAX.unsigned_abs()))
}
