//! A world in virtual time: one thread, tokio's paused clock, and a ledger that can be away or lose its answers.

#![allow(dead_code, reason = "every test file uses a part of it")]

use sluice::core::change::Change;
use sluice::core::deliveries::{Deliveries, Tally};
use sluice::core::holder::{Holder, Liveness};
use sluice::core::ids::{ClaimId, Epoch, RecordId};
use sluice::core::ports::{BoxFuture, Chance, Clock, Evidence, Ports, Sleep, Spawn, Unrecorded, Witness};
use sluice::core::record::{LedgerTime, Snapshot};
use sluice::core::store::{
    Condition, Ledger, Page, Query, Renewed, Store, StoreError, StoreErrorKind, Swept, Upkeep, Written,
};
use sluice::core::trail::{Event, EventDraft, LedgerEvent};
use sluice::{Builder, Error, MemoryStore, Sluice};
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// Runs a test in virtual time: it takes no real time to sleep.
pub fn in_virtual_time(test: impl Future<Output = ()>) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(test);
}

pub fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[derive(Debug)]
pub struct VirtualClock(Instant);

impl Clock for VirtualClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> LedgerTime {
        LedgerTime(i64::try_from(self.0.elapsed().as_millis()).unwrap())
    }
}

#[derive(Debug)]
pub struct Numbers(AtomicU64);

impl Chance for Numbers {
    fn bits(&self) -> [u8; 16] {
        let n = self.0.fetch_add(1, Ordering::SeqCst);
        let mut bits = [0; 16];
        bits[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        bits[8..].copy_from_slice(&n.to_le_bytes());
        bits
    }
}

#[derive(Debug)]
pub struct Tasks;

impl Spawn for Tasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> bool {
        drop(tokio::spawn(task));
        true
    }

    fn spawn_dedicated(&self, _name: &str, task: BoxFuture<'static, ()>) -> bool {
        self.spawn(task)
    }
}

#[derive(Debug)]
pub struct Naps;

impl Sleep for Naps {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[derive(Debug)]
pub struct NobodyKnows;

impl Witness for NobodyKnows {
    fn describe(&self, _claim: ClaimId) -> Result<Holder, Error> {
        Ok(Holder::default())
    }

    fn judge(&self, _holder: &Holder) -> Liveness {
        Liveness::Unknown
    }
}

#[derive(Debug, Default)]
pub struct Drawer(pub Mutex<Vec<Unrecorded>>);

impl Evidence for Drawer {
    fn keep(&self, unrecorded: Unrecorded) -> BoxFuture<'_, bool> {
        self.0.lock().unwrap().push(unrecorded);
        Box::pin(std::future::ready(true))
    }
}

pub struct World {
    pub store: Arc<Flaky>,
    pub ports: Ports,
    pub drawer: Arc<Drawer>,
}

impl World {
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(VirtualClock(Instant::now()));
        let chance = Arc::new(Numbers(AtomicU64::new(1)));
        let drawer = Arc::new(Drawer::default());
        let inner = MemoryStore::in_world(clock.clone(), chance.as_ref(), 1000);
        let ports = Ports {
            clock,
            chance,
            spawn: Arc::new(Tasks),
            sleep: Arc::new(Naps),
            witness: Arc::new(NobodyKnows),
            evidence: drawer.clone(),
        };
        Self { store: Arc::new(Flaky::around(inner)), ports, drawer }
    }

    pub fn builder(&self) -> Builder {
        Sluice::open_shared(self.store.clone()).ports(self.ports.clone())
    }

    /// A worker of its own on the same ledger.
    pub fn worker(&self) -> Sluice {
        self.builder().build()
    }
}

/// What happens to the next change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Lost,
    AnswerLost,
    Doubled,
}

/// A memory ledger that can be away, and lose or double what it is asked.
#[derive(Debug)]
pub struct Flaky {
    inner: MemoryStore,
    away: AtomicBool,
    fates: Mutex<Vec<Fate>>,
    pub reads: AtomicUsize,
    pub renewals: AtomicUsize,
}

impl Flaky {
    fn around(inner: MemoryStore) -> Self {
        Self {
            inner,
            away: AtomicBool::new(false),
            fates: Mutex::default(),
            reads: AtomicUsize::new(0),
            renewals: AtomicUsize::new(0),
        }
    }

    pub fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// The fates of the next changes, the last one first.
    pub fn next(&self, fates: &[Fate]) {
        *self.fates.lock().unwrap() = fates.to_vec();
    }

    fn here(&self) -> Result<(), StoreError> {
        if self.away.load(Ordering::SeqCst) {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the ledger is away"));
        }
        Ok(())
    }
}

fn no_answer() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the answer got lost").with_outcome_unknown()
}

impl Upkeep for Flaky {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        self.inner.sweep(limit)
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.inner.condition()
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.inner.accept_clock(by, reason)
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.count_deliveries(tallies)
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        self.inner.deliveries(id)
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        self.inner.ledger_events(limit)
    }
}

impl Store for Flaky {
    fn ledger(&self) -> &Ledger {
        self.inner.ledger()
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        Box::pin(async move {
            self.reads.fetch_add(1, Ordering::SeqCst);
            self.here()?;
            self.inner.read(id).await
        })
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        Box::pin(async move {
            self.here()?;
            let fate = self.fates.lock().unwrap().pop();
            match fate {
                Some(Fate::Lost) => Err(no_answer()),
                Some(Fate::AnswerLost) => {
                    self.inner.apply(id, change).await?;
                    Err(no_answer())
                }
                Some(Fate::Doubled) => {
                    self.inner.apply(id.clone(), change.clone()).await?;
                    self.inner.apply(id, change).await
                }
                None => self.inner.apply(id, change).await,
            }
        })
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        Box::pin(async move {
            self.renewals.fetch_add(1, Ordering::SeqCst);
            self.here()?;
            self.inner.renew(id, claim, epoch, lease).await
        })
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.here()?;
            self.inner.notice(id, event).await
        })
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        self.inner.events(id)
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        self.inner.list(query)
    }
}
