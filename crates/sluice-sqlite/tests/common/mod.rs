//! What the tests share: a way to wait, a clock that steps when told to, and changes to write.

#![allow(dead_code, reason = "not every test needs everything")]

use sluice_core::change::{Change, GrantGuard, LeaseGuard, LeaseSet};
use sluice_core::holder::Holder;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::key::{Key, Namespace};
use sluice_core::outcome::{Kept, Outcome};
use sluice_core::record::{Body, Downstream, Labels, Snapshot, Terms};
use sluice_core::state::{Status, Transition};
use sluice_core::store::{Store, StoreError, Written};
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::unresolved::Unresolved;
use sluice_sqlite::{LedgerClock, Options, SqliteStore};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    thread_local!(static WAKER: Waker = Arc::new(Unpark(thread::current())).into());
    let mut future = pin!(future);
    WAKER.with(|waker| {
        loop {
            match future.as_mut().poll(&mut Context::from_waker(waker)) {
                Poll::Ready(value) => return value,
                Poll::Pending => thread::park(),
            }
        }
    })
}

/// A folder that is removed at the end, and a ledger's path in it.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.db");
        Self { folder, path }
    }

    pub fn open(&self) -> SqliteStore {
        open(&self.path, Options::default())
    }

    /// The ledger as SQLite itself sees it.
    pub fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }
}

pub fn open(path: &Path, options: Options) -> SqliteStore {
    wait(SqliteStore::open_with(path, options)).unwrap()
}

/// A host whose clocks only move when told to.
#[derive(Debug)]
pub struct FakeClock {
    boot: Mutex<Arc<str>>,
    boottime_ns: AtomicI64,
    wall_ms: AtomicI64,
}

impl FakeClock {
    pub fn new() -> Arc<Self> {
        let boot = Mutex::new("boot-1".into());
        Arc::new(Self { boot, boottime_ns: 1_000_000_000.into(), wall_ms: 1_700_000_000_000.into() })
    }

    pub fn options(self: &Arc<Self>) -> Options {
        let clock: Arc<dyn LedgerClock> = Arc::<Self>::clone(self);
        Options { clock: Some(clock), ..Options::default() }
    }

    /// Time passes, on both clocks.
    pub fn pass(&self, time: Duration) {
        self.boottime_ns.fetch_add(i64::try_from(time.as_nanos()).unwrap(), Ordering::SeqCst);
        self.step_wall(i64::try_from(time.as_millis()).unwrap());
    }

    pub fn step_wall(&self, ms: i64) {
        self.wall_ms.fetch_add(ms, Ordering::SeqCst);
    }

    pub fn reboot(&self, boot: &str) {
        *self.boot.lock().unwrap() = boot.into();
        self.boottime_ns.store(5_000_000, Ordering::SeqCst);
    }
}

impl LedgerClock for FakeClock {
    fn boot_id(&self) -> Arc<str> {
        Arc::clone(&self.boot.lock().unwrap())
    }

    fn boottime_ns(&self) -> i64 {
        self.boottime_ns.load(Ordering::SeqCst)
    }

    fn wall_ms(&self) -> i64 {
        self.wall_ms.load(Ordering::SeqCst)
    }
}

pub fn id(key: &str) -> RecordId {
    RecordId::new(Namespace::new("test").unwrap(), Key::new(key).unwrap())
}

/// A claim id that no other call gives.
pub fn claim_id() -> ClaimId {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = u128::from(LAST.fetch_add(1, Ordering::Relaxed)) << 64 | u128::from(std::process::id());
    ClaimId::from_bytes(number.to_be_bytes())
}

pub fn body(claim: ClaimId, lease: Duration) -> Body {
    Body {
        status: Status::InFlight,
        epoch: Epoch::FIRST,
        claim,
        holder: Holder { machine: "m".into(), boot: "b".into(), pid: 7, ..Holder::default() },
        terms: Terms { lease, ..Terms::default() },
        marked: false,
        labels: Labels { tool: Some("charge".into()), ..Labels::default() },
        fingerprint: None,
        unresolved: Unresolved::default(),
        landed: BTreeSet::default(),
        evidence: None,
        outcome: Outcome::None,
        downstream: Downstream { key: "k".into(), rotation: 0, first_used: None },
    }
}

pub const LEASE: Duration = Duration::from_secs(30);

pub fn first_claim(claim: ClaimId) -> Change {
    let mut event = EventDraft::new(EventKind::Claimed).about(Epoch::FIRST, Some(claim));
    event.status = Some(Status::InFlight);
    Change::first_claim(body(claim, LEASE), event)
}

/// The next grant of a record that was released.
pub fn next_claim(found: &Snapshot, claim: ClaimId) -> Change {
    let epoch = found.record.body.epoch.next();
    let event = EventDraft::new(EventKind::Claimed).about(epoch, Some(claim));
    let change = Change::of(found, Transition::Claim, event, |set| {
        set.epoch = epoch;
        set.claim = claim;
    });
    change.unwrap().when_grant(GrantGuard::Unused(claim)).and_lease(LeaseSet::Grant(LEASE))
}

pub fn success(found: &Snapshot, result: &[u8]) -> Change {
    let (claim, epoch) = (found.record.body.claim, found.record.body.epoch);
    let event = EventDraft::new(EventKind::Succeeded).about(epoch, Some(claim));
    let change = Change::of(found, Transition::Succeed, event, |set| {
        set.landed.insert(epoch);
        set.outcome = Outcome::Success(Kept::within(result.to_vec(), usize::MAX));
    });
    change.unwrap().when_grant(GrantGuard::Held(claim, epoch)).and_lease(LeaseSet::Settle)
}

pub fn release(found: &Snapshot) -> Change {
    let event = EventDraft::new(EventKind::Released).about(found.record.body.epoch, None);
    Change::of(found, Transition::Release, event, |_| {}).unwrap().and_lease(LeaseSet::Settle)
}

pub fn mark(found: &Snapshot) -> Change {
    let event = EventDraft::new(EventKind::Marked).about(found.record.body.epoch, None);
    Change::of(found, Transition::Mark, event, |set| set.marked = true).unwrap().when_lease(LeaseGuard::Live)
}

pub fn applied(written: Result<Written, StoreError>) -> Snapshot {
    match written.unwrap() {
        Written::Applied(snapshot) => *snapshot,
        Written::Found { snapshot, unmet } => panic!("refused for {unmet:?}, found {snapshot:?}"),
    }
}

pub fn apply(store: &SqliteStore, key: &str, change: Change) -> Snapshot {
    applied(wait(store.apply(id(key), change)))
}

pub fn claim(store: &SqliteStore, key: &str) -> Snapshot {
    apply(store, key, first_claim(claim_id()))
}

pub fn read(store: &SqliteStore, key: &str) -> Option<Snapshot> {
    wait(store.read(&id(key))).unwrap()
}
