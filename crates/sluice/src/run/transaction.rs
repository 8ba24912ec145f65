//! An effect in the ledger's own transaction: claimed, done and settled together, or not at all.

use super::delivery::Delivery;
use super::perform::{bounded, keep};
use super::{Arrived, Delivered, wait};
use crate::answer;
use crate::done::Done;
use crate::effect::{EffectBuilder, EffectSpec};
use crate::sluice::Sluice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_core::change::{Change, Expected, Unmet};
use sluice_core::decide::{OwnClaim, SettleStep, claimed, settle};
use sluice_core::outcome::Fault;
use sluice_core::ports::Report;
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::{RolledBack, StoreError, Transact, Transacted, Work};
use sluice_core::{Code, Error, Failure, FailureClass};
use std::sync::{Arc, Mutex, PoisonError};

/// What the work left behind, for its caller.
type Left<T> = Arc<Mutex<Option<Result<T, Failure>>>>;

impl EffectBuilder<'_> {
    /// Runs an effect whose statements are on the ledger's own store, in one transaction with its claim and its settlement:
    /// exactly once, and never indeterminate.
    ///
    /// # Errors
    /// Those of [`Sluice::run_in`].
    pub async fn run_in<S, T, F>(self, store: &S, work: F) -> Result<Done<T>, Error>
    where
        S: Transact,
        T: Serialize + DeserializeOwned + Send + 'static,
        F: for<'t> FnOnce(&S::Statements<'t>) -> Result<T, Failure> + Send + 'static,
    {
        let (sluice, spec) = self.into_parts();
        sluice.run_in(store, spec?, work).await
    }
}

impl Sluice {
    /// Runs an effect in the ledger's own transaction. `store` is the one that this handle was opened with, or another
    /// handle of it.
    ///
    /// The work is called once at most, on the store's own thread, and has to be over soon; see the store for its bound.
    /// A permanent failure is recorded, and nothing of the work stays; any other failure, a panic included, leaves
    /// everything as it was, since the transaction is rolled back: nothing can have happened. No attempt is repeated.
    ///
    /// # Errors
    /// Those of [`Sluice::run`]. `E_RELEASED`: it was rolled back. `E_CONFIG`: the store is another ledger's. `E_STORE` where
    /// the commit's answer was lost and the ledger cannot be asked: it happened as a whole or not at all, and delivering
    /// it again is safe.
    pub async fn run_in<S, T, F>(&self, store: &S, spec: EffectSpec, work: F) -> Result<Done<T>, Error>
    where
        S: Transact,
        T: Serialize + DeserializeOwned + Send + 'static,
        F: for<'t> FnOnce(&S::Statements<'t>) -> Result<T, Failure> + Send + 'static,
    {
        // There is no point of no return but the commit.
        let mut spec = spec;
        spec.terms.declares_marks = false;
        if store.ledger().id != self.inner.store.ledger().id {
            return Err(Error::new(Code::Config, "the transaction is on another ledger than this handle's"));
        }
        let mut delivery = Delivery::prepare(self, spec)?;
        let (result, ran) = match self.deliver_in(store, &mut delivery, work).await {
            Ok(Delivered::Ran(result)) => (result, true),
            Ok(Delivered::Heard(result)) => (result, false),
            Err(error) => (Err(error), false),
        };
        self.note(&delivery, &result, ran);
        result
    }

    async fn deliver_in<S, T, F>(
        &self,
        store: &S,
        delivery: &mut Delivery,
        work: F,
    ) -> Result<Delivered<T>, Error>
    where
        S: Transact,
        T: Serialize + DeserializeOwned + Send + 'static,
        F: for<'t> FnOnce(&S::Statements<'t>) -> Result<T, Failure> + Send + 'static,
    {
        if let Some(told) = self.told_lately(delivery) {
            return Ok(Delivered::Heard(told));
        }
        let (change, pass) = match self.arrive(delivery).await? {
            Arrived::Claims(change, pass) => (change, pass),
            Arrived::Hears(told) => return Ok(Delivered::Heard(told)),
        };
        let left: Left<T> = Arc::default();
        let work = settled_work::<S, T, F>(work, &left, self.inner.settings.result_limit);
        let _running = self.inner.running.begin();
        let transacted = store.transact(delivery.id.clone(), (*change).clone(), work).await;
        let said = left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let delivered = match transacted {
            Ok(Transacted::Committed(now)) => {
                self.inner.waiters.publish(&now);
                Delivered::Ran(Ok(committed(said, &now)))
            }
            Ok(Transacted::Found { snapshot, unmet }) => {
                return self.not_granted(delivery, snapshot, unmet).await;
            }
            Ok(Transacted::RolledBack(why)) => self.rolled_back(store, delivery, *change, said, why).await?,
            Err(error) if error.outcome_unknown => {
                Delivered::Ran(self.ask_again(delivery, error).await.map(|now| committed(said, &now)))
            }
            Err(error) => Delivered::Ran(Err(error.into())),
        };
        if let Delivered::Ran(result) = &delivered {
            pass.heard(result.is_err().then_some(FailureClass::Permanent));
            self.settled_one();
        }
        Ok(delivered)
    }

    /// Another delivery was faster, or the intent must not run any more.
    async fn not_granted<T: DeserializeOwned>(
        &self,
        delivery: &Delivery,
        found: Option<Box<Snapshot>>,
        unmet: Unmet,
    ) -> Result<Delivered<T>, Error> {
        match (unmet, found) {
            (Unmet::Sent(why), _) => Err(answer::too_late(&delivery.id, why)),
            (Unmet::KeyAge, Some(found)) => Err(answer::key_forgotten(&found)),
            (_, Some(found)) => {
                let epoch = found.record.body.epoch;
                Ok(Delivered::Heard(Box::pin(wait::wait(self, delivery, epoch, *found)).await))
            }
            (_, None) => {
                Err(Error::new(Code::Store, "the record vanished before it was claimed; deliver it again"))
            }
        }
    }

    /// Nothing happened. A permanent failure is written down all the same, with a claim of its own; whatever else stays
    /// as it was.
    async fn rolled_back<S: Transact, T: DeserializeOwned>(
        &self,
        store: &S,
        delivery: &Delivery,
        change: Change,
        said: Option<Result<T, Failure>>,
        why: RolledBack,
    ) -> Result<Delivered<T>, Error> {
        let (fault, source) = match (why, said) {
            (RolledBack::ByTheWork, Some(Err(failure))) => failure.into_parts(),
            // A trigger of the user's that rolls back: what the work says of it counts.
            (RolledBack::LeftTheTransaction, Some(Err(failure)))
                if failure.class() == FailureClass::Permanent =>
            {
                failure.into_parts()
            }
            // What the work made of it may be what a statement answered that the store had ended.
            (why, Some(Err(failure))) => {
                let (fault, _) = Failure::transient(sentence(why)).into_parts();
                (fault, failure.into_parts().1)
            }
            (why, _) => Failure::transient(sentence(why)).into_parts(),
        };
        let delivered = if fault.class == FailureClass::Permanent {
            let fault = bounded(fault, self.inner.settings.result_limit);
            self.record_failure(store, delivery, change, fault).await?
        } else {
            Delivered::Ran(self.as_it_was(delivery, &change, &fault).await)
        };
        Ok(match (delivered, source) {
            (Delivered::Ran(Err(error)), Some(source)) => Delivered::Ran(Err(error.with_source(source))),
            (delivered, _) => delivered,
        })
    }

    async fn record_failure<S: Transact, T: DeserializeOwned>(
        &self,
        store: &S,
        delivery: &Delivery,
        change: Change,
        fault: Fault,
    ) -> Result<Delivered<T>, Error> {
        let report = Report::Fault(fault);
        let work: Work<S> = Box::new(move |_, found| settlement(found, &report));
        let now = match store.transact(delivery.id.clone(), change, work).await {
            Ok(Transacted::Committed(now)) => *now,
            // Another delivery claimed it meanwhile: this one hears what came of that, as if it had lost the race at once.
            Ok(Transacted::Found { snapshot, unmet }) => {
                return self.not_granted(delivery, snapshot, unmet).await;
            }
            Ok(Transacted::RolledBack(_)) => {
                let said =
                    "the effect failed and did not happen, but that could not be recorded; deliver it again";
                return Err(Error::new(Code::Store, said));
            }
            Err(error) if error.outcome_unknown => self.ask_again(delivery, error).await?,
            Err(error) => return Err(error.into()),
        };
        self.inner.waiters.publish(&now);
        Ok(Delivered::Ran(Err(answer::ended(&now, Some(now.record.body.epoch)))))
    }

    /// The answer where everything is as it was before: what was in doubt still is, and what was not did not happen.
    async fn as_it_was<T: DeserializeOwned>(
        &self,
        delivery: &Delivery,
        change: &Change,
        fault: &Fault,
    ) -> Result<Done<T>, Error> {
        let id = || Some(delivery.id.clone());
        if !matches!(change.guard.expected, Expected::At { status: Status::Indeterminate, .. }) {
            let said =
                format!("the transaction was rolled back, so that nothing happened: {}", fault.message);
            return Err(Error::new(Code::Released, said).with(|about| about.id = id()));
        }
        match self.inner.store.read(&delivery.id).await {
            // Somebody found out meanwhile.
            Ok(Some(found)) if found.record.body.status == Status::Succeeded => {
                Ok(answer::replay(&found.record))
            }
            Ok(Some(found)) => Err(answer::ended(&found, None)),
            // A ledger that does not answer takes no doubt away.
            _ => Err(Error::new(Code::Indeterminate, "nobody knows whether an earlier execution happened")
                .with(|about| about.id = id())),
        }
    }

    /// The commit may have reached the disk. What is there now says so.
    async fn ask_again(&self, delivery: &Delivery, error: StoreError) -> Result<Snapshot, Error> {
        match self.inner.store.read(&delivery.id).await {
            Ok(Some(found)) if claimed(&found.record, delivery.plan.claim) != OwnClaim::Another => {
                self.inner.waiters.publish(&found);
                Ok(found)
            }
            Ok(_) => Err(error.into()),
            Err(_) => {
                let said = "the ledger did not say whether the transaction was committed: it happened as a whole or not at \
                            all, and delivering it again is safe";
                Err(Error::new(Code::Store, said).with_source(error).with(|about| {
                    about.id = Some(delivery.id.clone());
                    about.is_whole_or_nothing = true;
                }))
            }
        }
    }
}

/// The work, with the settlement that its success asks for.
fn settled_work<S, T, F>(work: F, left: &Left<T>, limit: usize) -> Work<S>
where
    S: Transact,
    T: Serialize + Send + 'static,
    F: for<'t> FnOnce(&S::Statements<'t>) -> Result<T, Failure> + Send + 'static,
{
    let left = left.clone();
    Box::new(move |statements, found| {
        let said = work(statements);
        let change = said.as_ref().ok().and_then(|value| {
            let kept = keep(value, limit);
            let object_id = S::object_id(statements);
            settlement(found, &Report::Success { kept, object_id })
        });
        *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        change
    })
}

fn settlement(found: &Snapshot, report: &Report) -> Option<Change> {
    let body = &found.record.body;
    match settle(found, body.claim, body.epoch, report) {
        SettleStep::Write(change) => Some(change),
        SettleStep::Already | SettleStep::Refused(_) | SettleStep::Lost | SettleStep::Unheard => None,
    }
}

/// The value as the work gave it; one that got lost on the way is in the record.
fn committed<T: DeserializeOwned>(said: Option<Result<T, Failure>>, now: &Snapshot) -> Done<T> {
    match said {
        Some(Ok(value)) => Done::Executed(value),
        Some(Err(_)) | None => answer::replay(&now.record),
    }
}

fn sentence(why: RolledBack) -> &'static str {
    match why {
        RolledBack::ByTheWork | RolledBack::Unsettled => "its outcome could not be settled",
        RolledBack::Panicked => "it panicked",
        RolledBack::TookTooLong => "it took longer than the ledger's transaction may",
        RolledBack::BrokeAConstraint => "what it left behind breaks a constraint",
        RolledBack::LeftTheTransaction => "one of its statements ended the transaction",
    }
}
