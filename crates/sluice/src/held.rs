//! What a holder knows of its claim: time left, the record as last seen, and whether to stop.

use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::lease::HeldLease;
use sluice_core::record::Snapshot;
use sluice_core::store::Renewed;
use std::sync::atomic::{AtomicBool, Ordering};
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
    state: Mutex<State>,
    stop: AtomicBool,
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
            stopped: Notify::new(),
            grant: snapshot.clone(),
            state: Mutex::new(State {
                lease: HeldLease::granted(asked_at, snapshot.lease.remaining(), lease),
                snapshot,
                object_id: None,
            }),
        }
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

    pub async fn cancelled(&self) {
        loop {
            let stopped = self.stopped.notified();
            if self.is_cancelled() {
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
