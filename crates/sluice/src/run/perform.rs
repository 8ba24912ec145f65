//! Performs a claimed effect to its end, and settles what it says.

use super::claim::Claimed;
use super::settle::{Settled, settle};
use super::tries::{How, after_failure, may_send_again};
use super::{Caught, Either, caught, race};
use crate::answer;
use crate::circuits::Pass;
use crate::ctx::Ctx;
use crate::done::Done;
use crate::heart::Beating;
use crate::held::Held;
use crate::sluice::Sluice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_core::decide::Tries;
use sluice_core::key::check_plain;
use sluice_core::outcome::{Fault, Kept, NotKept};
use sluice_core::ports::{Report, Unrecorded};
use sluice_core::retry::{Next, Stop};
use sluice_core::state::Status;
use sluice_core::{Code, Error, Failure, FailureClass};
use std::error::Error as StdError;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

type Answer<T> = oneshot::Sender<Result<Claimed<T>, Error>>;

/// Performs the effect and tells the caller. An attempt that takes too long is settled as unknown and answered at
/// once; what has started runs on to its end all the same and reports late. One that failed may be repeated.
pub(super) async fn perform<T, F, Fut>(
    sluice: &Sluice,
    held: &Arc<Held>,
    how: &How,
    pass: &Pass,
    mut effect: F,
    answer: Answer<T>,
) where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: FnMut(Ctx) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, Failure>> + Send + 'static,
{
    let _over = Over(held);
    let beating = match begin(sluice, held, how) {
        Ok(beating) => beating,
        Err(failure) => {
            let ended = Ended { outcome: Ok(Err(failure)), tries: Tries::default(), stop: None };
            return Box::pin(conclude::<T>(sluice, held, ended, Some(answer))).await;
        }
    };
    let mut tries = Tries::default();
    loop {
        let number = tries.made().saturating_add(1);
        held.begins(number);
        let ctx = Ctx::new(sluice.inner.clone(), held.clone(), number);
        let mut attempt = pin!(caught(|| effect(ctx)));
        let outcome = match bounded_by(sluice, held, how, attempt.as_mut()).await {
            Either::First(outcome) => outcome,
            Either::Second(why) => {
                pass.heard(Some(FailureClass::Overdue));
                let overdue = Ended { outcome: Ok(Err(Failure::overdue(why))), tries, stop: None };
                Box::pin(conclude::<T>(sluice, held, overdue, Some(answer))).await;
                held.cancel();
                drop(beating);
                let ended = Ended { outcome: attempt.await, tries, stop: None }.counted();
                return Box::pin(conclude(sluice, held, ended, None)).await;
            }
        };
        let Ok(Err(failure)) = &outcome else {
            pass.heard(outcome.is_err().then_some(FailureClass::Unclassified));
            drop(beating);
            return conclude(sluice, held, Ended { outcome, tries, stop: None }.counted(), Some(answer))
                .await;
        };
        let stop = match after_failure(sluice, held, how, &mut tries, failure, pass).await {
            Next::Again { after } => {
                held.begins(0);
                Box::pin(race(sluice.inner.ports.sleep.sleep(after), held.over(0))).await;
                may_send_again(sluice, held, how, tries).err()
            }
            Next::Stop(stop) => Some(stop),
        };
        if stop.is_some() {
            drop(beating);
            return conclude(sluice, held, Ended { outcome, tries, stop }, Some(answer)).await;
        }
    }
}

const LATE: &str = "the effect took longer than its timeout";
const PAST: &str = "the deadline passed while the effect ran";

/// Follows an attempt to its end, or for as long as it may take; then it says why no longer. Where the deadline passes
/// first, the attempt is told to stop, and has its grace to do so.
async fn bounded_by<A: Future>(
    sluice: &Sluice,
    held: &Held,
    how: &How,
    mut attempt: Pin<&mut A>,
) -> Either<A::Output, &'static str> {
    let sleep = |left| sluice.inner.ports.sleep.sleep(left);
    let deadline = how.left(sluice.inner.ports.clock.elapsed());
    let (left, why) = match (held.attempt_timeout, deadline) {
        (None, None) => return Either::First(attempt.await),
        (Some(timeout), left) if left.is_none_or(|left| timeout <= left) => (timeout, LATE),
        (_, left) => (left.unwrap_or_default(), PAST),
    };
    if let Either::First(outcome) = race(attempt.as_mut(), sleep(left)).await {
        return Either::First(outcome);
    }
    if why == LATE || how.grace.is_zero() {
        return Either::Second(why);
    }
    held.cancel();
    match race(attempt, sleep(how.grace)).await {
        Either::First(outcome) => Either::First(outcome),
        Either::Second(()) => Either::Second(why),
    }
}

/// Whatever still holds the context in the end, a task that the effect left behind say, must start nothing more.
struct Over<'h>(&'h Held);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Readies the first attempt; the failure says why nothing was begun.
fn begin(sluice: &Sluice, held: &Arc<Held>, how: &How) -> Result<Beating, Failure> {
    let Some(beating) = sluice.inner.heart.keep(held.clone()) else {
        return Err(Failure::not_started("nothing could be started that keeps the lease alive"));
    };
    let now = sluice.inner.ports.clock.elapsed();
    if how.left(now).is_some_and(|left| left.is_zero()) {
        return Err(Failure::not_started("the deadline had passed by the time that the claim was granted"));
    }
    // Where the grant took longer than the lease, nothing may be begun any more.
    match held.may_send(now) {
        Some(_) => Ok(beating),
        None => Err(Failure::not_started("the claim was granted too late to be used")),
    }
}

/// How the last attempt ended, after which others, and why there is none more.
pub(super) struct Ended<T> {
    pub outcome: Result<Result<T, Failure>, Caught>,
    pub tries: Tries,
    pub stop: Option<Stop>,
}

impl<T> Ended<T> {
    /// How long the last answer asked to wait.
    fn retry_after(&self) -> Option<Duration> {
        self.outcome.as_ref().ok()?.as_ref().err()?.retry_after()
    }

    /// Counts the last attempt, where nothing was decided about another one.
    fn counted(mut self) -> Self {
        match &self.outcome {
            Ok(Ok(_)) => {}
            Ok(Err(failure)) => self.tries.failed(failure.class(), failure.proves_no_earlier_one_landed()),
            Err(Caught) => self.tries.failed(FailureClass::Unclassified, false),
        }
        self
    }
}

pub(super) async fn conclude<T: Serialize + DeserializeOwned>(
    sluice: &Sluice,
    held: &Held,
    ended: Ended<T>,
    answer: Option<Answer<T>>,
) {
    let (stop, retry_after) = (ended.stop, ended.retry_after());
    let (report, value, source) = report(sluice, held, ended);
    let settled = settle(sluice, held, &report).await;
    sluice.settled_one();
    if let Some(answer) = answer {
        let result = told(settled, report, value, held).map_err(|error| {
            let error = if stop.is_some() { answer::stopped(&error, stop, retry_after) } else { error };
            match source {
                Some(source) => error.with_source(source),
                None => error,
            }
        });
        // The caller may be gone; the ledger has the outcome all the same.
        let _ = answer.send(Ok(Claimed::Ran(result)));
    }
}

type Source = Option<Box<dyn StdError + Send + Sync>>;

fn report<T: Serialize>(sluice: &Sluice, held: &Held, ended: Ended<T>) -> (Report, Option<T>, Source) {
    let Ended { outcome, tries, stop } = ended;
    match outcome {
        Ok(Ok(value)) => {
            let kept = keep(&value, sluice.inner.settings.result_limit);
            (Report::Success { kept, object_id: held.object_id() }, Some(value), None)
        }
        Ok(Err(failure)) => {
            let (fault, source) = failure.into_parts();
            let fault = bounded(fault, sluice.inner.settings.result_limit);
            (Report::Fault(tries.word(fault, stop)), None, source)
        }
        Err(Caught) => {
            let (fault, source) = Failure::unclassified("the effect panicked").into_parts();
            (Report::Fault(tries.word(fault, stop)), None, source)
        }
    }
}

/// A success survives its result: whatever cannot be written down so that it reads back equal is not kept. Writing it
/// down runs the caller's code, and a panic there must not lose the success.
pub(super) fn keep<T: Serialize>(value: &T, limit: usize) -> Kept {
    let written = catch_unwind(AssertUnwindSafe(|| {
        check_plain(value).ok()?;
        serde_json::to_vec(value).ok()
    }));
    match written {
        Ok(Some(text)) => Kept::within(text, limit),
        Ok(None) | Err(_) => Kept::absent(NotKept::NotStorable),
    }
}

pub(super) fn bounded(mut fault: Fault, limit: usize) -> Fault {
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
