//! Claims, and performs what was claimed, on a task that outlives the caller.

use super::delivery::Delivery;
use super::perform::{Ended, conclude, perform};
use super::settle::settle;
use crate::answer::too_late;
use crate::circuits::Pass;
use crate::ctx::Ctx;
use crate::done::Done;
use crate::held::Held;
use crate::sluice::Sluice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_core::change::{Change, Unmet};
use sluice_core::decide::{OwnClaim, Tries, claimed};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::ports::{Report, Unrecorded};
use sluice_core::record::Snapshot;
use sluice_core::store::{StoreError, Written};
use sluice_core::{Code, Error, Failure};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How often a claim whose answer got lost is asked for again.
const ASK_AGAIN: u32 = 5;

/// Whether this runtime has a timer. Without one the first wait would break down in the middle of an effect.
fn can_wait(sluice: &Sluice) -> bool {
    let wait = || drop(sluice.inner.ports.sleep.sleep(Duration::ZERO));
    catch_unwind(AssertUnwindSafe(wait)).is_ok()
}

/// How a claim went.
pub(crate) enum Claimed<T> {
    /// It was granted, and this is what came of it.
    Ran(Result<Done<T>, Error>),
    /// Another delivery was faster; this one is bound to that epoch.
    LostTo(Epoch, Box<Snapshot>),
    /// It would have repeated what nobody knows, and the target may have forgotten the key.
    Forgotten(Box<Snapshot>),
}

/// Claims and performs. From the first write on everything happens on a task of its own, so that a caller that
/// goes away can leave neither a claim without an effect nor half an effect. What seldom happens is boxed, so that the
/// task of every effect need not have room for it.
pub(crate) async fn claim_and_perform<T, F, Fut>(
    sluice: &Sluice,
    delivery: &Delivery,
    change: Box<Change>,
    pass: Pass,
    effect: F,
) -> Result<Claimed<T>, Error>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: FnMut(Ctx) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, Failure>> + Send + 'static,
{
    if !can_wait(sluice) {
        return Err(Error::new(
            Code::Config,
            "the async runtime has no timer, so nothing was started: enable_time()",
        ));
    }
    let (answer, outcome) = oneshot::channel();
    let (sluice, id, claim, how) =
        (sluice.clone(), delivery.id.clone(), delivery.plan.claim, delivery.how.clone());
    let spawn = sluice.inner.ports.spawn.clone();
    let running = sluice.inner.running.begin();
    let task = async move {
        let _running = running;
        let asked_at = sluice.inner.ports.clock.elapsed();
        let epoch = change.set.epoch;
        match claim_durably(&sluice, &id, claim, &change).await {
            Ok(Granted::Here(snapshot)) => {
                let held = Arc::new(Held::granted(snapshot.into(), asked_at).used_as(&how));
                sluice.inner.circuits.called(&how.budget);
                perform(&sluice, &held, &how, &pass, effect, answer).await;
            }
            Ok(Granted::TooLate(snapshot)) => {
                let held = Held::granted(snapshot.into(), Duration::ZERO);
                let late = Failure::not_started("the claim had ended before it was heard of");
                let ended = Ended { outcome: Ok(Err(late)), tries: Tries::default(), stop: None };
                Box::pin(conclude::<T>(&sluice, &held, ended, Some(answer))).await;
            }
            // Nobody is left to hear it where the send fails; the ledger has it all the same.
            Ok(Granted::Elsewhere(snapshot)) => {
                let _ = answer.send(Ok(Claimed::LostTo(snapshot.record.body.epoch, snapshot)));
            }
            Ok(Granted::Forgotten(snapshot)) => {
                let _ = answer.send(Ok(Claimed::Forgotten(snapshot)));
            }
            Err(error) => {
                let unheard = is_unheard(&error);
                drop(answer.send(Err(error)));
                if unheard {
                    Box::pin(withdraw(&sluice, &id, claim, epoch)).await;
                }
            }
        }
    };
    if !spawn.spawn(Box::pin(task)) {
        return Err(Error::new(
            Code::Config,
            "run was called outside of an async runtime, so nothing was started",
        ));
    }
    outcome.await.unwrap_or_else(|_| {
        let said = "the task that ran the effect ended without a word";
        Err(Error::new(Code::Indeterminate, said).with(|about| about.id = Some(delivery.id.clone())))
    })
}

enum Granted {
    /// To this delivery.
    Here(Box<Snapshot>),
    /// To this delivery, but it ended before the delivery heard of it.
    TooLate(Box<Snapshot>),
    /// To another one.
    Elsewhere(Box<Snapshot>),
    /// To nobody: the target may have forgotten the key.
    Forgotten(Box<Snapshot>),
}

/// Writes the claim. An answer that got lost is asked for again under the same claim id, which is granted once.
///
/// Once an answer got lost, no later error proves that nothing was written.
async fn claim_durably(
    sluice: &Sluice,
    id: &RecordId,
    claim: ClaimId,
    change: &Change,
) -> Result<Granted, Error> {
    let mut unheard = false;
    let mut asked = 0;
    loop {
        let error = match sluice.inner.store.apply(id.clone(), change.clone()).await {
            Ok(Written::Applied(snapshot)) => return Ok(Granted::Here(snapshot)),
            Ok(Written::Found { unmet: Unmet::Sent(why), .. }) => return Err(too_late(id, why)),
            Ok(Written::Found { snapshot: Some(found), unmet: Unmet::KeyAge }) => {
                return Ok(Granted::Forgotten(found));
            }
            Ok(Written::Found { snapshot: Some(found), .. }) => {
                return Ok(match claimed(&found.record, claim) {
                    OwnClaim::Granted => Granted::Here(found),
                    OwnClaim::Ended => Granted::TooLate(found),
                    OwnClaim::Another => Granted::Elsewhere(found),
                });
            }
            Ok(Written::Found { snapshot: None, .. }) => {
                let said = "the record vanished before it was claimed; deliver it again";
                return Err(Error::new(Code::Store, said));
            }
            Err(error) => error,
        };
        unheard |= error.outcome_unknown;
        if !unheard {
            return Err(error.into());
        }
        if asked == ASK_AGAIN {
            let said =
                "the ledger did not say whether the claim was written; nothing was run for this delivery";
            return Err(Error::new(Code::Store, said).with_source(error.with_outcome_unknown()));
        }
        asked += 1;
        sluice.inner.ports.sleep.sleep(Duration::from_millis(20 << asked)).await;
    }
}

/// Gives back a claim that may have been written although the ledger never said so: nothing was begun under it,
/// and without this word it would end as unknown.
async fn withdraw(sluice: &Sluice, id: &RecordId, claim: ClaimId, epoch: Epoch) {
    let never = || {
        let unheard = Failure::not_started("the ledger never said that the claim was granted");
        Report::Fault(unheard.into_parts().0)
    };
    let started = sluice.inner.ports.clock.elapsed();
    let mut pause = Duration::from_millis(100);
    let mut strangers = 0;
    while sluice.inner.ports.clock.elapsed().saturating_sub(started) < sluice.inner.settings.settle_patience {
        match sluice.inner.store.read(id).await {
            Ok(Some(found)) if found.record.body.claim == claim => {
                let held = Held::granted(found.into(), Duration::ZERO);
                settle(sluice, &held, &never()).await;
                return;
            }
            // It may still be on its way: look a few times more.
            Ok(_) if strangers < ASK_AGAIN => strangers += 1,
            Ok(_) => return,
            Err(_) => {}
        }
        sluice.inner.ports.sleep.sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(2));
    }
    // The ledger stayed away. Whoever takes this in later finds the claim, or finds that it was never written.
    let unrecorded = Unrecorded { id: id.clone(), claim, epoch, report: never() };
    sluice.inner.ports.evidence.keep(unrecorded).await;
}

fn is_unheard(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    source.and_then(|source| source.downcast_ref::<StoreError>()).is_some_and(|error| error.outcome_unknown)
}
