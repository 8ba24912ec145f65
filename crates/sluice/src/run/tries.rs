//! An attempt failed: is there another one under the same claim?

use crate::circuits::Pass;
use crate::held::Held;
use crate::sluice::Sluice;
use sluice_core::decide::{Tries, effective};
use sluice_core::downstream::{Profile, window_left};
use sluice_core::record::LedgerTime;
use sluice_core::retention::later;
use sluice_core::retry::{Failed, Next, Retry, Stop, next, within_window};
use sluice_core::{Failure, FailureClass};
use std::sync::Arc;
use std::time::Duration;

/// How one delivery's effect is attempted.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub retry: Retry,
    /// On the handle's own clock.
    pub deadline: Option<Duration>,
    /// How long an attempt that runs then may take to end, after it was told to.
    pub grace: Duration,
    pub target: Option<Arc<Profile>>,
    pub max_lease: Duration,
    /// Whose retry budget it draws on.
    pub budget: Arc<str>,
}

impl How {
    /// Time left until the deadline.
    pub fn left(&self, now: Duration) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(now))
    }

    /// For how much longer the target surely recognises the key of this claim.
    fn window(&self, held: &Held, now: Duration) -> Option<Duration> {
        let record = &held.grant.record;
        window_left(self.target.as_deref()?, record.key_first_used(), ledger_time(held, now))
    }
}

/// Ledger time, counted on the holder's own clock from before it asked for the claim, so that it is never too early.
fn ledger_time(held: &Held, now: Duration) -> LedgerTime {
    later(held.grant.record.updated, now.saturating_sub(held.asked_at))
}

/// What a failure means as far as the ledger knows it now.
///
/// Marks are made through the ledger, by this holder or by a process that it started: what was last seen here may be
/// older than a mark. Where the ledger cannot be asked, the point of no return may have been passed.
async fn effective_now(sluice: &Sluice, held: &Held, class: FailureClass) -> FailureClass {
    if effective(&held.snapshot().record.body, class) == class {
        return class;
    }
    match sluice.inner.store.read(&held.id).await {
        Ok(Some(now)) if now.record.body.claim == held.claim && now.record.body.epoch == held.epoch => {
            let class = effective(&now.record.body, class);
            held.saw(now.into());
            class
        }
        _ => class,
    }
}

/// Takes in a failed attempt and decides on another one.
pub(super) async fn after_failure(
    sluice: &Sluice,
    held: &Held,
    how: &How,
    tries: &mut Tries,
    failure: &Failure,
    pass: &Pass,
) -> Next {
    let class = effective_now(sluice, held, failure.class()).await;
    let now = sluice.inner.ports.clock.elapsed();
    let left = how.left(now);
    let snapshot = held.snapshot();
    let body = &snapshot.record.body;
    tries.failed(class, failure.proves_no_earlier_one_landed());
    pass.heard(Some(class));
    let failed = Failed {
        attempt: tries.made(),
        class,
        retry_after: failure.retry_after(),
        in_doubt: tries.is_in_doubt() || !body.unresolved.is_empty(),
        until_deadline: left,
        // Whoever was told to stop at the deadline did so for the deadline.
        may_send: held.may_send(now).is_some() || left.is_some_and(|left| left.is_zero()),
        attempt_timeout: held.attempt_timeout,
        window: how.window(held, now),
        circuit_allows: pass.still_allows(),
        is_cancelled: failure.is_final(),
    };
    next(&failed, &how.retry, sluice.inner.ports.chance.sample(), || sluice.inner.circuits.token(&how.budget))
}

/// Looks once more right before a further attempt is sent: the wait may have been longer than it was meant to be.
pub(super) fn may_send_again(sluice: &Sluice, held: &Held, how: &How, tries: Tries) -> Result<(), Stop> {
    let now = sluice.inner.ports.clock.elapsed();
    if held.may_send(now).is_none() {
        return Err(Stop::Lease);
    }
    if how.left(now).is_some_and(|left| left.is_zero()) {
        return Err(Stop::Deadline);
    }
    let in_doubt = tries.is_in_doubt() || !held.snapshot().record.body.unresolved.is_empty();
    if in_doubt {
        within_window(how.window(held, now), Duration::ZERO, held.attempt_timeout)?;
    }
    Ok(())
}
