//! A duplicate waits for the epoch it is bound to.

use super::delivery::Delivery;
use super::{Either, race};
use crate::answer;
use crate::done::Done;
use crate::effect::Wait;
use crate::sluice::Sluice;
use serde::de::DeserializeOwned;
use sluice_core::decide::{Answer, Arrival, Step, waiting};
use sluice_core::ids::Epoch;
use sluice_core::key::Match;
use sluice_core::policy::OnDuplicate;
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::{Code, Error};
use std::time::Duration;

/// Waits until the bound epoch ended, or the delivery's patience did.
pub(super) async fn wait<T: DeserializeOwned>(
    sluice: &Sluice,
    delivery: &Delivery,
    bound: Epoch,
    seen: Snapshot,
) -> Result<Done<T>, Error> {
    let arrival = delivery.arrival(sluice, Some(&seen));
    if !matches!(arrival.request, Match::Same | Match::Neither) {
        let answer = Answer::Conflict(arrival.request);
        sluice.remark(delivery, answer).await;
        return answer::tell(answer, &delivery.id, Some(&seen), Some(bound), arrival.holder);
    }
    if seen.record.body.status == Status::InFlight
        && let Some(answer) = refused(delivery, arrival)
    {
        return answer::tell(answer, &delivery.id, Some(&seen), Some(bound), arrival.holder);
    }
    let patience = delivery.patience(sluice);
    let mut last = Some(seen.clone());
    let outcome = outcome(sluice, delivery, bound, seen, &mut last);
    if patience == Duration::MAX {
        return outcome.await;
    }
    let over = sluice.inner.ports.sleep.sleep(patience);
    match race(outcome, over).await {
        Either::First(result) => result,
        Either::Second(()) => Err(timed_out(sluice, delivery, bound, last.as_ref())),
    }
}

/// A delivery that lost the race for the claim is refused where it would have been refused a moment later.
fn refused(delivery: &Delivery, arrival: Arrival) -> Option<Answer> {
    match (delivery.on_duplicate, delivery.wait) {
        (OnDuplicate::Conflict, _) => Some(Answer::Duplicate),
        (_, Wait::No) => Some(Answer::InFlight),
        _ => None,
    }
    .filter(|_| !arrival.holder.is_gone())
}

async fn outcome<T: DeserializeOwned>(
    sluice: &Sluice,
    delivery: &Delivery,
    bound: Epoch,
    seen: Snapshot,
    last: &mut Option<Snapshot>,
) -> Result<Done<T>, Error> {
    let mut looks = sluice.inner.waiters.follow(&delivery.id, &seen);
    let mut found = Some(seen);
    loop {
        let arrival = delivery.arrival(sluice, found.as_ref());
        match waiting(found.as_ref(), bound, arrival) {
            Step::Lapse(change) => {
                sluice.lapse(&delivery.id, change).await?;
                found = sluice.inner.store.read(&delivery.id).await?;
                continue;
            }
            Step::Answer(answer) => {
                return answer::tell(answer, &delivery.id, found.as_ref(), Some(bound), arrival.holder);
            }
            Step::Wait(_) | Step::Hold(_) | Step::Claim(_) => {}
        }
        if looks.changed().await.is_ok() {
            found.clone_from(&looks.borrow_and_update());
        } else {
            // The looker ended with the runtime it ran on: look oneself, and follow another one.
            sluice.inner.ports.sleep.sleep(sluice.inner.waiters.pause()).await;
            found = sluice.inner.store.read(&delivery.id).await?;
            if let Some(seen) = &found {
                looks = sluice.inner.waiters.follow(&delivery.id, seen);
            }
        }
        last.clone_from(&found);
    }
}

fn timed_out(sluice: &Sluice, delivery: &Delivery, bound: Epoch, last: Option<&Snapshot>) -> Error {
    let holder = delivery.arrival(sluice, last).holder;
    let about = last.map(|seen| answer::about(seen, Some(bound))).unwrap_or_default();
    let (code, said) = if delivery.is_too_late(sluice) {
        (Code::Deadline, "the deadline passed while the same intent was running elsewhere")
    } else {
        (Code::WaitTimeout, "the same intent is still running elsewhere")
    };
    Error::new(code, said).about(about).with(|about| {
        about.id = Some(delivery.id.clone());
        about.safe_after = last.map(|seen| seen.lease.remaining());
        if let sluice_core::holder::Liveness::Alive(pid) = holder {
            about.pid = pid;
        }
    })
}
