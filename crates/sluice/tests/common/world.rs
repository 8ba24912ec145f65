//! A world in virtual time: one thread, tokio's paused clock, and a ledger that can be away or lose its answers.

#![allow(dead_code, reason = "every test file uses a part of it")]

use sluice::core::holder::{Holder, Liveness};
use sluice::core::ids::ClaimId;
use sluice::core::ports::{BoxFuture, Chance, Clock, Evidence, Ports, Sleep, Spawn, Unrecorded, Witness};
use sluice::core::record::LedgerTime;
use sluice::{Builder, Error, MemoryStore, Sluice};
use sluice_testkit::faults::{Call, Fault, FaultyStore};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
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
    pub store: Arc<FaultyStore>,
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
        Self { store: FaultyStore::over(Arc::new(inner)), ports, drawer }
    }

    pub fn builder(&self) -> Builder {
        Sluice::open_shared(self.store.clone()).ports(self.ports.clone())
    }

    /// Plans what goes wrong with the next changes, in their order.
    pub fn next(&self, faults: &[Fault]) {
        for (after, fault) in faults.iter().enumerate() {
            self.store.plan(Call::Apply, self.store.calls(Call::Apply) + after + 1, fault.clone());
        }
    }

    /// A worker of its own on the same ledger.
    pub fn worker(&self) -> Sluice {
        self.builder().build()
    }
}
