//! The world as the runtime sees it: the same ports as in the real one.

use super::dice::SeededChance;
use super::lock;
use super::scheduler::{Owner, Scheduler};
use sluice_core::Error;
use sluice_core::holder::{GoneBecause, Holder, Liveness};
use sluice_core::ids::ClaimId;
use sluice_core::ports::{BoxFuture, Clock, Evidence, Ports, Sleep, Spawn, Unrecorded, Witness};
use sluice_core::record::LedgerTime;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the clock on the wall says when virtual time is zero: in November 2023.
const EPOCH_MS: i64 = 1_700_000_000_000;

/// A host's clocks. They may run a little too fast or slow, and the one on the wall may step.
#[derive(Debug)]
pub struct HostClock {
    scheduler: Scheduler,
    drift_ppm: i64,
    wall_ms: AtomicI64,
    follows_wall: AtomicBool,
}

impl HostClock {
    /// Clocks that are so many millionths too fast.
    pub fn new(scheduler: &Scheduler, drift_ppm: i64) -> Arc<Self> {
        let (scheduler, wall_ms) = (scheduler.clone(), AtomicI64::new(0));
        Arc::new(Self { scheduler, drift_ppm, wall_ms, follows_wall: AtomicBool::new(false) })
    }

    /// A planted bug: what should never step steps with the wall.
    pub(super) fn steps_with_the_wall(&self) {
        self.follows_wall.store(true, Ordering::Relaxed);
    }

    /// Sets the clock on the wall forward or back.
    pub fn step_wall(&self, ms: i64) {
        self.wall_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

/// A time on a clock that is so many millionths too fast.
fn scaled(time: Duration, ppm: i64) -> Duration {
    let nanos = i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
    let scaled = nanos.saturating_add(nanos.saturating_mul(i128::from(ppm)) / 1_000_000);
    Duration::from_nanos(u64::try_from(scaled).unwrap_or(u64::MAX))
}

impl Clock for HostClock {
    fn elapsed(&self) -> Duration {
        let steady = scaled(self.scheduler.now(), self.drift_ppm);
        if !self.follows_wall.load(Ordering::Relaxed) {
            return steady;
        }
        let step = self.wall_ms.load(Ordering::Relaxed);
        let by = Duration::from_millis(step.unsigned_abs());
        if step >= 0 { steady.saturating_add(by) } else { steady.saturating_sub(by) }
    }

    fn wall(&self) -> LedgerTime {
        let steady = scaled(self.scheduler.now(), self.drift_ppm);
        let passed = i64::try_from(steady.as_millis()).unwrap_or(i64::MAX);
        LedgerTime(EPOCH_MS.saturating_add(passed).saturating_add(self.wall_ms.load(Ordering::Relaxed)))
    }
}

/// Tasks and sleeps of one process.
#[derive(Debug)]
struct Tasks {
    scheduler: Scheduler,
    owner: Owner,
    clock: Arc<HostClock>,
}

impl Spawn for Tasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> bool {
        self.scheduler.spawn(self.owner, task);
        true
    }

    fn spawn_dedicated(&self, _name: &str, task: BoxFuture<'static, ()>) -> bool {
        self.spawn(task)
    }
}

impl Sleep for Tasks {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // A clock that is too fast wakes its sleepers too early.
        let real = scaled(duration, -self.clock.drift_ppm).max(Duration::from_nanos(1));
        Box::pin(self.scheduler.sleep(real))
    }
}

/// Which processes live, and which of their effects may still act, as a host's locks would show it.
#[derive(Debug, Default)]
pub struct Lives {
    dead: Mutex<BTreeSet<u32>>,
    acting: Mutex<BTreeSet<ClaimId>>,
    running: Mutex<BTreeSet<ClaimId>>,
    in_effect: Mutex<BTreeSet<ClaimId>>,
    over: Mutex<BTreeSet<ClaimId>>,
    claims: Mutex<std::collections::BTreeMap<String, ClaimId>>,
    lies: bool,
}

impl Lives {
    pub(super) fn new(lies: bool) -> Self {
        Self { lies, ..Self::default() }
    }

    /// A process is gone.
    pub fn died(&self, owner: Owner) {
        lock(&self.dead).insert(owner.0);
    }

    /// An effect runs under this claim from now on.
    pub fn runs(&self, claim: ClaimId) {
        lock(&self.in_effect).insert(claim);
    }

    /// An attempt under this claim has come to its end. The lock stays: another one may follow.
    pub fn ran(&self, claim: ClaimId) {
        lock(&self.in_effect).remove(&claim);
        if lock(&self.over).contains(&claim) {
            lock(&self.running).remove(&claim);
        }
    }

    /// The holder of this claim has said its word, or has given up saying it: no further attempt follows.
    pub fn settled(&self, claim: ClaimId) {
        lock(&self.over).insert(claim);
        if !lock(&self.in_effect).contains(&claim) {
            lock(&self.running).remove(&claim);
        }
    }

    /// Something of this claim may act from now on, also when its process is gone.
    pub fn acts(&self, claim: ClaimId) {
        lock(&self.acting).insert(claim);
    }

    /// Nothing of this claim acts any more.
    pub fn acts_no_more(&self, claim: ClaimId) {
        lock(&self.acting).remove(&claim);
    }

    fn judge(&self, holder: &Holder) -> Liveness {
        let claim = holder.lock.as_ref().and_then(|lock_name| lock(&self.claims).get(lock_name).copied());
        let lives = !lock(&self.dead).contains(&holder.pid);
        match claim {
            // A lock is held for one claim, from before it is asked for until what ran under it has ended.
            Some(claim) if lives && lock(&self.running).contains(&claim) => Liveness::Alive(Some(holder.pid)),
            Some(claim) if lock(&self.acting).contains(&claim) && !self.lies => Liveness::Alive(None),
            Some(_) => Liveness::Gone(GoneBecause::LockFree),
            None => Liveness::Unknown,
        }
    }
}

/// What one process can prove of another.
struct HostWitness {
    lives: Arc<Lives>,
    owner: Owner,
    host: usize,
    has_locks: bool,
}

impl fmt::Debug for HostWitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostWitness").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Witness for HostWitness {
    fn describe(&self, claim: ClaimId) -> Result<Holder, Error> {
        let name = format!("{claim}");
        lock(&self.lives.claims).insert(name.clone(), claim);
        lock(&self.lives.running).insert(claim);
        Ok(Holder {
            machine: format!("host-{}", self.host),
            boot: "boot".to_owned(),
            pid: self.owner.0,
            lock: self.has_locks.then_some(name),
            ..Holder::default()
        })
    }

    fn judge(&self, holder: &Holder) -> Liveness {
        let same_host = holder.machine == format!("host-{}", self.host);
        if self.has_locks && same_host && holder.lock.is_some() {
            self.lives.judge(holder)
        } else {
            Liveness::Unknown
        }
    }
}

/// Outcomes that a ledger did not take, as a host's disk keeps them for the next process.
#[derive(Debug)]
pub struct Drawer {
    kept: Mutex<Vec<Unrecorded>>,
    lives: Arc<Lives>,
}

impl Drawer {
    /// An empty one.
    pub fn new(lives: &Arc<Lives>) -> Arc<Self> {
        Arc::new(Self { kept: Mutex::default(), lives: lives.clone() })
    }

    /// Takes out what is there.
    pub fn take(&self) -> Vec<Unrecorded> {
        std::mem::take(&mut lock(&self.kept))
    }

    /// Puts one back.
    pub fn put(&self, unrecorded: Unrecorded) {
        lock(&self.kept).push(unrecorded);
    }
}

impl Evidence for Drawer {
    fn keep(&self, unrecorded: Unrecorded) -> BoxFuture<'_, bool> {
        // Its holder has no more to say; a command would end here, and give its lock back.
        self.lives.settled(unrecorded.claim);
        self.put(unrecorded);
        Box::pin(std::future::ready(true))
    }
}

/// A process on a host.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its number.
    pub number: usize,
    /// Its clocks.
    pub clock: Arc<HostClock>,
    /// What its disk keeps of unrecorded outcomes.
    pub drawer: Arc<Drawer>,
    /// Whether its processes prove by locks that they live.
    pub has_locks: bool,
}

/// The ports of one process.
pub fn ports(scheduler: &Scheduler, owner: Owner, host: &Host, lives: &Arc<Lives>, seed: u64) -> Ports {
    let tasks = Arc::new(Tasks { scheduler: scheduler.clone(), owner, clock: host.clock.clone() });
    let (lives, has_locks) = (lives.clone(), host.has_locks);
    Ports {
        clock: host.clock.clone(),
        chance: Arc::new(SeededChance::new(seed)),
        spawn: tasks.clone(),
        sleep: tasks,
        witness: Arc::new(HostWitness { lives, owner, host: host.number, has_locks }),
        evidence: host.drawer.clone(),
    }
}
