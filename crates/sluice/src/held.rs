//! What a holder knows of its claim: time left, the record as last seen, and whether to stop.

use crate::run::How;
use sluice_core::downstream::Profile;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::lease::HeldLease;
use sluice_core::record::Snapshot;
use sluice_core::store::Renewed;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// One claim that this process holds.
#[derive(Debug)]
pub(crate) struct Held {
    pub id: RecordId,
    pub claim: ClaimId,
    pub epoch: Epoch,
    pub lease: Duration,
    pub attempt_timeout: Option<Duration>,
    /// As it was granted; what is sent to the target stays the same for as long as this claim lives.
    pub grant: Arc<Snapshot>,
    /// On the holder's own clock, before it asked for the claim.
    pub asked_at: Duration,
    /// What the target does with keys, where the delivery says so.
    pub target: Option<Arc<Profile>>,
    /// When the delivery's time is over, on the holder's own clock.
    pub deadline: Option<Duration>,
    /// When the lease is renewed no more, on the holder's own clock.
    renewed_until: Duration,
    state: Mutex<State>,
    stop: AtomicBool,
    /// Which attempt may act, from 1.
    attempt: AtomicU32,
    stopped: Notify,
}

#[derive(Debug)]
struct State {
    lease: HeldLease,
    snapshot: Arc<Snapshot>,
    object_id: Option<String>,
}

impl Held {
    /// Starts from what the store answered to the claim, and the holder's clock *before* it asked.
    pub fn granted(snapshot: Arc<Snapshot>, asked_at: Duration) -> Self {
        let body = &snapshot.record.body;
        let lease = body.terms.lease;
        Self {
            id: snapshot.record.id.clone(),
            claim: body.claim,
            epoch: body.epoch,
            lease,
            attempt_timeout: body.terms.attempt_timeout,
            stop: AtomicBool::new(false),
            attempt: AtomicU32::new(1),
            stopped: Notify::new(),
            grant: snapshot.clone(),
            asked_at,
            target: None,
            deadline: None,
            renewed_until: Duration::MAX,
            state: Mutex::new(State {
                lease: HeldLease::granted(asked_at, snapshot.lease.remaining(), lease),
                snapshot,
                object_id: None,
            }),
        }
    }

    /// Says how the claim is used.
    pub fn used_as(self, how: &How) -> Self {
        let renewed_until = self.asked_at.saturating_add(how.max_lease);
        Self { target: how.target.clone(), deadline: how.deadline, renewed_until, ..self }
    }

    /// Whether the lease was renewed for as long as it may be.
    pub fn is_exhausted(&self, now: Duration) -> bool {
        now >= self.renewed_until
    }

    /// A claim whose lease is long over and whose outcome is only now written down.
    pub fn late(snapshot: Arc<Snapshot>, claim: ClaimId, epoch: Epoch) -> Self {
        Self { claim, epoch, ..Self::granted(snapshot, Duration::ZERO) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn may_send(&self, now: Duration) -> Option<Duration> {
        if self.is_cancelled() { None } else { self.state().lease.may_send(now) }
    }

    /// The record as it was seen last; shared, since a record is a dozen texts.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.state().snapshot.clone()
    }

    pub fn saw(&self, snapshot: Arc<Snapshot>) {
        self.state().snapshot = snapshot;
    }

    pub fn set_object_id(&self, object_id: String) {
        self.state().object_id = Some(object_id);
    }

    pub fn object_id(&self) -> Option<String> {
        self.state().object_id.clone()
    }

    pub fn cancel(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.stopped.notify_waiters();
    }

    pub fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// From now on only that attempt may act: whatever an earlier one left behind is told to stop.
    pub fn begins(&self, attempt: u32) {
        self.attempt.store(attempt, Ordering::SeqCst);
        self.stopped.notify_waiters();
    }

    /// Whether that attempt must start nothing more.
    pub fn is_over(&self, attempt: u32) -> bool {
        self.is_cancelled() || self.attempt.load(Ordering::SeqCst) != attempt
    }

    /// Is ready once that attempt must start nothing more.
    pub async fn over(&self, attempt: u32) {
        loop {
            let stopped = self.stopped.notified();
            if self.is_over(attempt) {
                return;
            }
            stopped.await;
        }
    }

    /// Takes in what the store answered to a renewal that was asked for at that time.
    pub fn renewed(&self, asked_at: Duration, answer: Renewed) {
        match answer {
            Renewed::Extended { remaining, landed_elsewhere } => {
                self.state().lease = HeldLease::granted(asked_at, remaining, self.lease);
                if landed_elsewhere {
                    self.cancel();
                }
            }
            Renewed::Lost => self.cancel(),
        }
    }
}
