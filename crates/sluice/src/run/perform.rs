//! Performs a claimed effect to its end, and settles what it says.

use super::claim::Claimed;
use super::settle::{Settled, settle};
use super::{Caught, Either, caught, race};
use crate::answer;
use crate::ctx::Ctx;
use crate::done::Done;
use crate::heart::Beating;
use crate::held::Held;
use crate::sluice::Sluice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_core::key::check_plain;
use sluice_core::outcome::{Fault, Kept, NotKept};
use sluice_core::ports::{Report, Unrecorded};
use sluice_core::state::Status;
use sluice_core::{Code, Error, Failure};
use std::error::Error as StdError;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::oneshot;

type Answer<T> = oneshot::Sender<Result<Claimed<T>, Error>>;

/// Performs the effect and tells the caller. An attempt that takes too long is settled as unknown and answered at
/// once; what has started runs on to its end all the same and reports late.
pub(super) async fn perform<T, F, Fut>(sluice: &Sluice, held: &Arc<Held>, mut effect: F, answer: Answer<T>)
where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: FnMut(Ctx) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, Failure>> + Send + 'static,
{
    let _over = Over(held);
    let (beating, ctx) = match begin(sluice, held) {
        Ok(begun) => begun,
        Err(failure) => return Box::pin(conclude::<T>(sluice, held, Ok(Err(failure)), Some(answer))).await,
    };
    let mut attempt = pin!(caught(move || effect(ctx)));
    let ended = match held.attempt_timeout {
        None => attempt.await,
        Some(timeout) => match race(attempt.as_mut(), sluice.inner.ports.sleep.sleep(timeout)).await {
            Either::First(ended) => ended,
            Either::Second(()) => {
                let overdue = Failure::overdue("the effect took longer than its timeout");
                Box::pin(conclude::<T>(sluice, held, Ok(Err(overdue)), Some(answer))).await;
                held.cancel();
                drop(beating);
                return Box::pin(conclude(sluice, held, attempt.await, None)).await;
            }
        },
    };
    drop(beating);
    conclude(sluice, held, ended, Some(answer)).await;
}

/// Whatever still holds the context in the end, a task that the effect left behind say, must start nothing more.
struct Over<'h>(&'h Held);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Readies an attempt; the failure says why nothing was begun.
fn begin(sluice: &Sluice, held: &Arc<Held>) -> Result<(Beating, Ctx), Failure> {
    let Some(beating) = sluice.inner.heart.keep(held.clone()) else {
        return Err(Failure::not_started("nothing could be started that keeps the lease alive"));
    };
    let ctx = Ctx::new(sluice.inner.clone(), held.clone(), 1);
    // Where the grant took longer than the lease, nothing may be begun any more.
    match ctx.may_send() {
        Ok(_) => Ok((beating, ctx)),
        Err(_) => Err(Failure::not_started("the claim was granted too late to be used")),
    }
}

type Ended<T> = Result<Result<T, Failure>, Caught>;

pub(super) async fn conclude<T: Serialize + DeserializeOwned>(
    sluice: &Sluice,
    held: &Held,
    ended: Ended<T>,
    answer: Option<Answer<T>>,
) {
    let (report, value, source) = report(sluice, held, ended);
    let settled = settle(sluice, held, &report).await;
    sluice.settled_one();
    if let Some(answer) = answer {
        let result = told(settled, report, value, held).map_err(|error| match source {
            Some(source) => error.with_source(source),
            None => error,
        });
        // The caller may be gone; the ledger has the outcome all the same.
        let _ = answer.send(Ok(Claimed::Ran(result)));
    }
}

type Source = Option<Box<dyn StdError + Send + Sync>>;

fn report<T: Serialize>(sluice: &Sluice, held: &Held, ended: Ended<T>) -> (Report, Option<T>, Source) {
    match ended {
        Ok(Ok(value)) => {
            let kept = keep(&value, sluice.inner.settings.result_limit);
            (Report::Success { kept, object_id: held.object_id() }, Some(value), None)
        }
        Ok(Err(failure)) => {
            let (fault, source) = failure.into_parts();
            (Report::Fault(bounded(fault, sluice.inner.settings.result_limit)), None, source)
        }
        Err(Caught) => {
            let (fault, source) = Failure::unclassified("the effect panicked").into_parts();
            (Report::Fault(fault), None, source)
        }
    }
}

/// A success survives its result: whatever cannot be written down so that it reads back equal is not kept. Writing it
/// down runs the caller's code, and a panic there must not lose the success.
fn keep<T: Serialize>(value: &T, limit: usize) -> Kept {
    let written = catch_unwind(AssertUnwindSafe(|| {
        check_plain(value).ok()?;
        serde_json::to_vec(value).ok()
    }));
    match written {
        Ok(Some(text)) => Kept::within(text, limit),
        Ok(None) | Err(_) => Kept::absent(NotKept::NotStorable),
    }
}

fn bounded(mut fault: Fault, limit: usize) -> Fault {
    let size = fault.detail.as_ref().map_or(0, String::len);
    if size > limit {
        fault.detail = None;
    }
    fault
}

fn told<T: Serialize + DeserializeOwned>(
    settled: Settled,
    report: Report,
    value: Option<T>,
    held: &Held,
) -> Result<Done<T>, Error> {
    match (settled, value) {
        (Settled::Recorded(_), Some(value)) => Ok(Done::Executed(value)),
        // Done all the same, by an older execution or by a verdict; what is recorded stands.
        (Settled::Recorded(now), None) | (Settled::Refused(now), _)
            if now.record.body.status == Status::Succeeded =>
        {
            Ok(answer::replay(&now.record))
        }
        (Settled::Recorded(now), None) | (Settled::Refused(now), _) => {
            Err(answer::ended(&now, Some(held.epoch)))
        }
        (Settled::Unrecorded { is_spooled }, value) => {
            Err(unrecorded(held, whole(report, value), is_spooled))
        }
    }
}

/// The error may be the last copy of a result, so it carries all of it, however large.
fn whole<T: Serialize>(report: Report, value: Option<T>) -> Report {
    match (report, value) {
        (Report::Success { kept, object_id }, Some(value)) if kept.value == Err(NotKept::TooLarge) => {
            Report::Success { kept: keep(&value, usize::MAX), object_id }
        }
        (report, _) => report,
    }
}

fn unrecorded(held: &Held, report: Report, is_spooled: bool) -> Error {
    let said = match &report {
        Report::Success { .. } => "the effect happened, but the ledger could not be told",
        Report::Fault(_) => "the effect did not succeed, and the ledger could not be told",
    };
    let unrecorded = Unrecorded { id: held.id.clone(), claim: held.claim, epoch: held.epoch, report };
    Error::new(Code::Indeterminate, said).with(|about| {
        about.id = Some(held.id.clone());
        about.epoch = Some(held.epoch);
        about.unrecorded = Some(unrecorded);
        about.is_spooled = is_spooled;
    })
}
