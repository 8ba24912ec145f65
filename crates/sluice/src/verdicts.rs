//! How people's answers settle records, and how a script passes its point of no return.

use crate::sluice::Sluice;
use sluice_core::decide::{self, ReopenStep, Ruling, SettleStep, VerdictStep};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::record::Snapshot;
use sluice_core::store::Written;
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::{Code, Error};

/// How often a verdict or mark is decided anew because the record changed under it.
const TRIES: u32 = 16;

/// What became of a verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// It was taken, about this epoch; the record before and after.
    Taken(Epoch, Box<(Snapshot, Snapshot)>),
    /// The same was said before.
    Already(Epoch, Box<Snapshot>),
    /// It was refused, for this reason; nothing changed.
    Refused(Box<VerdictStep>, Box<Snapshot>),
    /// There is no such record.
    NoRecord,
}

/// What became of the wish to give a failed intent another chance.
#[derive(Clone, Debug, PartialEq)]
pub enum Reopened {
    /// The next delivery runs it; the record before and after.
    Taken(Box<(Snapshot, Snapshot)>),
    /// The next delivery would have run it anyway.
    Already(Box<Snapshot>),
    /// Only what failed can be reopened.
    NotFailed(Box<Snapshot>),
    /// There is no such record.
    NoRecord,
}

/// What became of a mark that was asked for from outside the holder's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkAnswer {
    /// The point of no return is durable, and the claim is live: go on.
    Marked,
    /// The claim is over: do not go on.
    Lost,
}

impl Sluice {
    /// Looks at one record, as it is now.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn look(&self, id: &RecordId) -> Result<Option<Snapshot>, Error> {
        Ok(self.inner.store.read(id).await?)
    }

    /// Settles an epoch of which nobody knows by a person's or a probe's word. What has ended lapses first.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn resolve(&self, id: &RecordId, ruling: &Ruling) -> Result<Resolved, Error> {
        for _ in 0..TRIES {
            let Some(found) = self.look(id).await? else {
                return Ok(Resolved::NoRecord);
            };
            let holder = self.inner.ports.witness.judge(&found.record.body.holder);
            if let Some(change) = decide::lapse(&found, holder) {
                self.lapse(id, change).await?;
                continue;
            }
            let (change, epoch) = match decide::verdict(&found, ruling, holder) {
                VerdictStep::Write(change, epoch) => (change, epoch),
                VerdictStep::Already(epoch) => return Ok(Resolved::Already(epoch, Box::new(found))),
                refused => {
                    let event =
                        EventDraft::new(EventKind::VerdictRefused).by(&ruling.by).because(&ruling.reason);
                    // A notice that cannot be written changes nothing about the answer.
                    let _ = self.inner.store.notice(id.clone(), event).await;
                    return Ok(Resolved::Refused(Box::new(refused), Box::new(found)));
                }
            };
            if let Written::Applied(now) = self.inner.store.apply(id.clone(), change).await? {
                self.inner.waiters.publish(&now);
                return Ok(Resolved::Taken(epoch, Box::new((found, *now))));
            }
        }
        Err(busy())
    }

    /// Gives a failed intent another chance, in a person's name and for a reason: the next delivery runs it.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn reopen(&self, id: &RecordId, by: &str, reason: &str) -> Result<Reopened, Error> {
        for _ in 0..TRIES {
            let Some(found) = self.look(id).await? else {
                return Ok(Reopened::NoRecord);
            };
            let change = match decide::reopen(&found, by, reason) {
                ReopenStep::Write(change) => change,
                ReopenStep::Already => return Ok(Reopened::Already(Box::new(found))),
                ReopenStep::NotFailed(_) => return Ok(Reopened::NotFailed(Box::new(found))),
            };
            if let Written::Applied(now) = self.inner.store.apply(id.clone(), change).await? {
                self.inner.waiters.publish(&now);
                return Ok(Reopened::Taken(Box::new((found, *now))));
            }
        }
        Err(busy())
    }

    /// Sets the mark of a claim that another process holds, on behalf of the effect that runs there.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn mark(&self, id: &RecordId, claim: ClaimId, epoch: Epoch) -> Result<MarkAnswer, Error> {
        for _ in 0..TRIES {
            let Some(found) = self.look(id).await? else {
                return Ok(MarkAnswer::Lost);
            };
            let change = match decide::mark(&found, claim, epoch) {
                SettleStep::Write(change) => change,
                SettleStep::Already => return Ok(MarkAnswer::Marked),
                SettleStep::Refused(_) | SettleStep::Lost | SettleStep::Unheard => {
                    return Ok(MarkAnswer::Lost);
                }
            };
            if let Written::Applied(_) = self.inner.store.apply(id.clone(), change).await? {
                return Ok(MarkAnswer::Marked);
            }
        }
        Err(busy())
    }
}

fn busy() -> Error {
    Error::new(Code::Store, "the record kept changing under the request; ask again")
}
