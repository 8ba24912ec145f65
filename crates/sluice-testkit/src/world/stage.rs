//! What everybody in a world shares: time, the ledger, the target, what goes wrong, and who watches.

use super::dice::Dice;
use super::lock;
use super::net::Ways;
use super::plan::{Mishap, Plan, Point, TargetFate};
use super::ports::{HostClock, Lives};
use super::scheduler::{Owner, Scheduler};
use super::target::{Reply, Request, Target};
use crate::block_on;
use crate::invariants::{Knowledge, Observer};
use crate::plants::How;
use sluice_core::change::Change;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::store::{Store, StoreError, Swept, Written};
use sluice_core::trail::EventKind;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The common ground of one world.
pub struct Stage {
    pub(super) scheduler: Scheduler,
    pub(super) lives: Arc<Lives>,
    pub(super) plan: Plan,
    pub(super) begun: Duration,
    pub(super) planted: Option<How>,
    pub(super) ledger_clock: Arc<HostClock>,
    store: Arc<dyn Store>,
    ways: Mutex<Ways>,
    target: Mutex<Target>,
    points: Mutex<Points>,
    observer: Mutex<Observer>,
    trace: Mutex<String>,
    is_calm: AtomicBool,
    dice: Mutex<Dice>,
    // How many requests of each intent are on their way to the target.
    flying: Mutex<BTreeMap<RecordId, usize>>,
}

/// How often each process came to each point, and which process is which worker now.
#[derive(Debug, Default)]
struct Points {
    reached: BTreeMap<(usize, Point), u32>,
    workers: BTreeMap<Owner, usize>,
    // Workers that died at a point, with how long they stay away.
    fallen: Vec<(usize, Duration)>,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("seed", &self.plan.seed).finish_non_exhaustive()
    }
}

/// What a stage is made of.
pub(super) struct Props {
    pub scheduler: Scheduler,
    pub store: Arc<dyn Store>,
    pub ledger_clock: Arc<HostClock>,
    pub ways: Ways,
    pub target: Target,
    pub dice: Dice,
    pub planted: Option<How>,
    pub lives: Arc<Lives>,
}

impl Stage {
    pub(super) fn new(plan: Plan, props: Props) -> Arc<Self> {
        let observer = Observer::new(&plan);
        Arc::new(Self {
            begun: props.scheduler.now(),
            planted: props.planted,
            scheduler: props.scheduler,
            lives: props.lives,
            ledger_clock: props.ledger_clock,
            store: props.store,
            ways: Mutex::new(props.ways),
            target: Mutex::new(props.target),
            points: Mutex::default(),
            observer: Mutex::new(observer),
            trace: Mutex::default(),
            is_calm: AtomicBool::new(false),
            dice: Mutex::new(props.dice),
            flying: Mutex::default(),
            plan,
        })
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    pub(super) fn ways(&self) -> MutexGuard<'_, Ways> {
        lock(&self.ways)
    }

    pub(super) fn target(&self) -> MutexGuard<'_, Target> {
        lock(&self.target)
    }

    /// Whoever watches; it takes part in nothing.
    pub fn observer(&self) -> MutexGuard<'_, Observer> {
        lock(&self.observer)
    }

    /// Time since the beginning of the world.
    pub fn now(&self) -> Duration {
        self.scheduler.now().saturating_sub(self.begun)
    }

    /// A time between these, in milliseconds.
    pub(super) fn draw_ms(&self, (least, most): (u64, u64)) -> Duration {
        // When all is quiet, everything is quick too.
        if self.is_calm() { Duration::from_millis(1) } else { lock(&self.dice).ms(least, most) }
    }

    /// Whether something of that intent is still on its way to the target.
    pub(super) fn is_on_its_way(&self, id: &RecordId) -> bool {
        lock(&self.flying).get(id).is_some_and(|flying| *flying > 0)
    }

    /// Writes a line of the trace.
    pub(super) fn says(&self, line: fmt::Arguments<'_>) {
        let now = self.now();
        // Writing to a text cannot fail.
        let _ = writeln!(lock(&self.trace), "{:>10.4}  {line}", now.as_secs_f64());
    }

    /// Takes the trace out.
    pub(super) fn take_trace(&self) -> String {
        std::mem::take(&mut lock(&self.trace))
    }

    /// From now on nothing goes wrong.
    pub(super) fn calm(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
        self.ways().calm();
        self.target().calm();
    }

    fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    pub(super) fn is_ledger_away(&self) -> bool {
        let now = self.now();
        !self.is_calm()
            && self.plan.mishaps.iter().any(|mishap| match mishap {
                Mishap::LedgerAway(from, length) => (*from..*from + *length).contains(&now),
                _ => false,
            })
    }

    /// A process is this worker from now on.
    pub(super) fn takes_part(&self, owner: Owner, worker: usize) {
        lock(&self.points).workers.insert(owner, worker);
    }

    /// Workers that died since the last call, and for how long they stay away.
    pub(super) fn take_fallen(&self) -> Vec<(usize, Duration)> {
        std::mem::take(&mut lock(&self.points).fallen)
    }

    /// A process comes to a point; false where it does not live to go on.
    pub(super) fn passes(&self, owner: Owner, point: Point) -> bool {
        let mut points = lock(&self.points);
        let Some(worker) = points.workers.get(&owner).copied() else { return owner == Owner::WORLD };
        let reached = points.reached.entry((worker, point)).or_default();
        *reached += 1;
        let nth = *reached;
        if self.is_calm() {
            return true;
        }
        for mishap in &self.plan.mishaps {
            match mishap {
                Mishap::DiesAt(who, at, count, away) if (*who, *at, *count) == (worker, point, nth) => {
                    points.workers.remove(&owner);
                    points.fallen.push((worker, *away));
                    drop(points);
                    self.dies(owner, worker, format_args!("at {point:?}"));
                    return false;
                }
                Mishap::StopsAt(who, at, count, length) if (*who, *at, *count) == (worker, point, nth) => {
                    self.stops(owner, worker, *length);
                }
                _ => {}
            }
        }
        true
    }

    /// The same for a point at which a stopped process really stops.
    pub(super) async fn reaches(&self, owner: Owner, point: Point) {
        if !self.passes(owner, point) {
            std::future::pending::<()>().await;
        }
        // Lets the scheduler choose, which passes over whoever is stopped.
        self.scheduler.sleep(Duration::from_nanos(1)).await;
    }

    pub(super) fn dies(&self, owner: Owner, worker: usize, why: fmt::Arguments<'_>) {
        self.says(format_args!("worker {worker} dies {why}"));
        lock(&self.points).workers.remove(&owner);
        self.lives.died(owner);
        self.scheduler.kill(owner);
    }

    pub(super) fn stops(&self, owner: Owner, worker: usize, length: Duration) {
        self.says(format_args!("worker {worker} stops for {length:?}"));
        self.scheduler.stop(owner);
        let scheduler = self.scheduler.clone();
        self.scheduler.spawn(Owner::WORLD, async move {
            scheduler.sleep(length).await;
            scheduler.go_on(owner);
        });
    }

    /// The ledger carries out a change, or refuses it; whoever watches sees what became of it.
    pub(super) fn applied(&self, id: &RecordId, change: Change) -> Result<Written, StoreError> {
        let before = block_on(self.store.read(id))?;
        let events: Vec<_> = change.events().cloned().collect();
        let written = block_on(self.store.apply(id.clone(), change))?;
        if let Written::Applied(after) = &written {
            let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
            let record = &after.record;
            self.says(format_args!(
                "{id} {}: {} → {}",
                record.body.epoch,
                kinds.join(", "),
                record.body.status
            ));
            let words = events.iter().filter(|event| is_word(event.kind));
            words.filter_map(|event| event.claim).for_each(|claim| self.lives.settled(claim));
            self.observer().changed(before.as_ref().map(|before| &before.record), record, &events);
        }
        Ok(written)
    }

    /// The ledger sweeps; whoever watches sees what is gone.
    pub(super) fn swept(&self, limit: usize) -> Result<Swept, StoreError> {
        let ids: Vec<_> = self.plan.ids().collect();
        let here = |id: &RecordId| block_on(self.store.read(id)).ok().flatten();
        let before: Vec<_> = ids.iter().filter_map(&here).collect();
        let swept = block_on(self.store.sweep(limit))?;
        for found in before {
            if here(&found.record.id).is_none() {
                self.says(format_args!("{} is forgotten", found.record.id));
                self.observer().forgotten(&found.record);
            }
        }
        Ok(swept)
    }

    /// An effect acts on the target. Its request travels on whatever becomes of the process; `None` is silence.
    pub(super) fn act(
        self: &Arc<Self>,
        request: Request,
    ) -> futures_channel::oneshot::Receiver<Option<Reply>> {
        let (heard, reply) = futures_channel::oneshot::channel();
        let given = |nth| self.given_fate(nth);
        let trip = self.target().trip(given);
        self.lives.acts(request.claim);
        let now = self.now();
        self.observer().sent(&request, now);
        *lock(&self.flying).entry(request.id.clone()).or_default() += 1;
        let stage = self.clone();
        self.scheduler.spawn(Owner::WORLD, async move {
            let late = if let TargetFate::LandsLate(ms) = trip.fate {
                Duration::from_millis(ms)
            } else {
                Duration::ZERO
            };
            stage.scheduler.sleep(trip.there + late).await;
            let before = stage.target().landings(&request.id).len();
            let reply = stage.target().arrives(request.clone(), trip.fate, stage.now());
            let landed = stage.target().landings(&request.id).len() > before;
            stage.says(format_args!("{} {}: {}", request.id, request.epoch, told(reply.as_ref(), landed)));
            if landed {
                stage.observer().landed(&request);
            }
            // The command's child ends once its request is answered, or its connection is cut.
            stage.lives.acts_no_more(request.claim);
            if let Some(flying) = lock(&stage.flying).get_mut(&request.id) {
                *flying = flying.saturating_sub(1);
            }
            stage.scheduler.sleep(trip.back).await;
            let silent = matches!(trip.fate, TargetFate::LandsSilently | TargetFate::Lost);
            let _ = heard.send(reply.filter(|_| !silent));
        });
        reply
    }

    fn given_fate(&self, nth: u32) -> Option<TargetFate> {
        let planned = self.plan.mishaps.iter().find_map(|mishap| match mishap {
            Mishap::Target(at, fate) if *at == nth => Some(*fate),
            _ => None,
        });
        planned.filter(|_| !self.is_calm())
    }

    /// A request that no ledger stands behind. Its key is the intent's own, so that a target that honours keys can help.
    pub(super) fn naive_request(&self, id: &RecordId) -> Request {
        let number = lock(&self.dice).bits();
        let claim = ClaimId::from_bytes((u128::from(number) << 64).to_be_bytes());
        Request { id: id.clone(), claim, epoch: Epoch::FIRST, key: id.to_string(), asked: 0 }
    }

    /// What the execution under a claim knows of itself from now on.
    pub(super) fn learns(&self, request: &Request, knowledge: Knowledge) {
        self.observer().learned(request, knowledge);
    }
}

fn is_word(kind: EventKind) -> bool {
    matches!(kind, EventKind::Succeeded | EventKind::Failed | EventKind::Released | EventKind::Unknown)
}

fn told(reply: Option<&Reply>, landed: bool) -> &'static str {
    match reply {
        Some(Reply::Receipt(_)) if landed => "took hold at the target",
        Some(Reply::Receipt(_)) => "is recognised by its key at the target",
        Some(Reply::Declined) => "is declined",
        Some(Reply::Down) => "is refused for now",
        None => "never reaches the target",
    }
}
