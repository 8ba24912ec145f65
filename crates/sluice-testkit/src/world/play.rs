//! Plays a plan from its beginning to the quiet at its end.

use super::dice::{Dice, SeededChance};
use super::handler::Handler;
use super::life::{Person, Process, operate};
use super::net::{NetStore, Ways};
use super::plan::{Care, Delivered, Mishap, Plan};
use super::ports::{self, Drawer, Host, HostClock, Lives};
use super::scheduler::{Owner, Scheduler};
use super::stage::{Props, Stage};
use super::target::Target;
use crate::block_on;
use crate::invariants::Violation;
use crate::plants::{How, PlantedStore};
use sluice::{MemoryStore, Sluice};
use sluice_core::outcome::digest;
use sluice_core::policy::OnDuplicate;
use sluice_core::state::Status;
use sluice_core::store::Store;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long all is quiet before everything has to have ended: the longest lease, the quiet period, and retries.
const QUIET: Duration = Duration::from_mins(5);
const SECOND: Duration = Duration::from_secs(1);

/// A world that has not begun.
pub struct World {
    plan: Plan,
    handler: Option<Handler>,
    planted: Option<How>,
    is_naive: bool,
    stops_at_people: bool,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// What happened in a world.
#[derive(Clone, Debug)]
pub struct Told {
    /// The seed.
    pub seed: u64,
    /// What must be true and was not.
    pub violations: Vec<Violation>,
    /// Everything that happened, a line each.
    pub trace: String,
    /// How many executions acted on the target.
    pub executions: usize,
    /// How many of them took hold.
    pub landings: usize,
    /// The same for each intent of the plan.
    pub landings_each: Vec<usize>,
    /// How many answers were told: done, did not happen, other.
    pub answers: [usize; 3],
    /// In which states the records ended, before and after people had looked.
    pub ended: BTreeMap<&'static str, usize>,
    /// How many records waited for a person when all was quiet.
    pub parked: usize,
    /// How long it took, in virtual time.
    pub virtual_time: Duration,
}

impl Told {
    /// SHA-256 of the trace in lower-case hex: one seed, one digest.
    pub fn digest(&self) -> String {
        sluice_core::key::lower_hex(&digest(self.trace.as_bytes()))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        write!(f, "seed {}\n{}", self.seed, self.trace)
    }
}

impl World {
    /// A world of this plan, on a ledger as it should be.
    pub fn new(plan: Plan) -> Self {
        Self { plan, handler: None, planted: None, is_naive: false, stops_at_people: false }
    }

    /// The same with a bug planted in it.
    pub fn with(plan: Plan, planted: How) -> Self {
        Self { planted: Some(planted), ..Self::new(plan) }
    }

    /// The same with a user's own handler in place of the world's: it gets every delivery, the process's handle to the
    /// ledger, and a line to the target.
    #[must_use]
    pub fn handled_by(self, handler: Handler) -> Self {
        Self { handler: Some(handler), ..self }
    }

    /// The same with processes that know no ledger: they act, and act again where they hear nothing good.
    #[must_use]
    pub fn naively(self) -> Self {
        Self { is_naive: true, ..self }
    }

    /// Ends the world when all is quiet, before people look and everything is delivered once more.
    #[must_use]
    pub fn until_people_look(self) -> Self {
        Self { stops_at_people: true, ..self }
    }

    /// Plays it.
    pub fn run(self) -> Told {
        let mut play = Play::new(self.plan, self.planted);
        play.is_naive = self.is_naive;
        play.handler = self.handler;
        play.storm();
        play.calm(self.stops_at_people);
        play.end()
    }
}

struct Play {
    stage: Arc<Stage>,
    hosts: Vec<Host>,
    // Each worker's process, and when a new one starts where it died.
    processes: Vec<(Option<Process>, Option<Duration>)>,
    owners: u32,
    parked: usize,
    is_naive: bool,
    handler: Option<Handler>,
}

impl Play {
    fn new(plan: Plan, planted: Option<How>) -> Self {
        let mut dice = Dice::new(plan.seed);
        let scheduler = Scheduler::new(dice.fork());
        let ledger_clock = HostClock::new(&scheduler, 0);
        if matches!(planted, Some(How::LeasesByWall)) {
            ledger_clock.steps_with_the_wall();
        }
        let inner = MemoryStore::in_world(ledger_clock.clone(), &SeededChance::new(dice.bits()), 10_000);
        let ways = Ways::new(plan.weather.clone(), dice.fork(), &plan.mishaps);
        let target = Target::new(plan.target.clone(), dice.fork());
        let hosts = plan.workers.iter().map(|worker| (worker.host, worker)).collect::<BTreeMap<_, _>>();
        let lives = Arc::new(Lives::new(matches!(planted, Some(How::WitnessLies))));
        let hosts = (0..=hosts.keys().copied().max().unwrap_or(0)).map(|number| Host {
            number,
            clock: HostClock::new(&scheduler, hosts.get(&number).map_or(0, |worker| worker.drift_ppm)),
            drawer: Drawer::new(&lives),
            has_locks: hosts.get(&number).is_some_and(|worker| worker.has_locks),
        });
        let hosts = hosts.collect();
        let dice = dice.fork();
        let inner: Arc<dyn Store> = Arc::new(inner);
        let store = planted.map_or_else(|| inner.clone(), |how| PlantedStore::over(inner.clone(), how));
        let props = Props { scheduler, store, ledger_clock, ways, target, dice, planted, lives };
        let stage = Stage::new(plan, props);
        let processes = stage.plan.workers.iter().map(|_| (None, Some(Duration::ZERO))).collect();
        Self { stage, hosts, processes, owners: 0, parked: 0, is_naive: false, handler: None }
    }

    /// Things happen and go wrong, each at its time.
    fn storm(&mut self) {
        let mut agenda = Agenda::of(&self.stage.plan);
        loop {
            self.raise();
            let Some((at, thing)) = agenda.next() else { break };
            self.pass_to(at);
            self.happens(thing);
        }
        self.pass_to(self.stage.plan.storm);
    }

    /// Lets time pass, in steps, so that whoever died comes back in time.
    fn pass_to(&mut self, at: Duration) {
        while self.stage.now() < at {
            let next =
                self.processes.iter().filter_map(|(_, back)| *back).filter(|back| *back > self.stage.now());
            let step = next.min().unwrap_or(at).min(at).min(self.stage.now() + SECOND);
            self.stage.scheduler.run_until(self.stage.begun + step);
            self.raise();
        }
    }

    /// Buries the dead and starts new processes in their places.
    fn raise(&mut self) {
        let now = self.stage.now();
        for (worker, away) in self.stage.take_fallen() {
            self.processes[worker] = (None, Some(now + away));
        }
        for worker in 0..self.processes.len() {
            if matches!(self.processes[worker], (None, Some(back)) if back <= now) {
                self.owners += 1;
                let owner = Owner(self.owners);
                self.stage.takes_part(owner, worker);
                let host = &self.hosts[self.stage.plan.workers[worker].host];
                self.processes[worker] = (Some(Process::start(&self.stage, owner, host)), None);
            }
        }
    }

    fn happens(&mut self, thing: Thing) {
        match thing {
            Thing::Delivery(delivered) => {
                if let (Some(process), _) = &self.processes[delivered.worker] {
                    if self.is_naive {
                        process.act_naively(&self.stage, &delivered);
                    } else {
                        process.deliver(&self.stage, &delivered, self.handler.clone());
                    }
                }
            }
            Thing::Mishap(mishap) => self.goes_wrong(mishap),
            Thing::Operator(care) => self.look(care),
        }
    }

    fn goes_wrong(&mut self, mishap: Mishap) {
        match mishap {
            Mishap::Dies(worker, _, away) => {
                if let (Some(process), _) = &self.processes[worker] {
                    self.stage.dies(process.owner, worker, format_args!("by itself"));
                    self.processes[worker] = (None, Some(self.stage.now() + away));
                }
            }
            Mishap::Stops(worker, _, length) => {
                if let (Some(process), _) = &self.processes[worker] {
                    self.stage.stops(process.owner, worker, length);
                }
            }
            Mishap::LedgerWall(_, ms) => self.stage.ledger_clock.step_wall(ms),
            Mishap::Sweep(_) => {
                let swept = self.stage.swept(1000);
                self.stage.says(format_args!("sweep: {swept:?}"));
            }
            Mishap::Skip(_, length) => {
                let end = self.stage.now() + length;
                self.stage.says(format_args!("{length:?} pass"));
                self.stage.scheduler.run_until(self.stage.begun + end);
            }
            Mishap::DiesAt(..)
            | Mishap::StopsAt(..)
            | Mishap::LedgerAway(..)
            | Mishap::Message(..)
            | Mishap::Target(..) => {}
        }
    }

    fn look(&mut self, care: Care) {
        // At the same machine as the first worker, so that its locks tell something.
        let host = Host {
            drawer: Drawer::new(&self.stage.lives),
            ..self.hosts[self.stage.plan.workers[0].host].clone()
        };
        let (stage, seed) = (&self.stage, self.stage.plan.seed ^ 0xada);
        let ports = ports::ports(&stage.scheduler, Owner::WORLD, &host, &stage.lives, seed);
        let (store, witness) = (Arc::new(NetStore::new(stage, Owner::WORLD)), ports.witness.clone());
        let operator = Person { sluice: Sluice::open_shared(store).ports(ports).build(), witness };
        stage.scheduler.spawn(Owner::WORLD, operate(stage.clone(), operator, care));
    }

    /// All is quiet: everything has to end by itself, or wait for a person; then people look, and it has to end.
    fn calm(&mut self, stops_at_people: bool) {
        self.stage.says(format_args!("all is quiet"));
        self.stage.calm();
        for (process, back) in &mut self.processes {
            if process.is_none() {
                *back = Some(Duration::ZERO);
            }
        }
        self.raise();
        self.recover();
        self.wait();
        if stops_at_people {
            self.parked = self.check_quiet(true);
            return;
        }
        self.recover();
        self.wait();
        self.deliver_all();
        self.parked = self.check_quiet(true);
        self.look(Care::Honest);
        self.wait();
        self.deliver_all();
        self.check_quiet(false);
    }

    /// What nobody delivers again lapses, and what could not be written down is taken in.
    fn recover(&self) {
        if self.is_naive {
            return;
        }
        for (worker, (process, _)) in self.processes.iter().enumerate() {
            if let Some(process) = process {
                process.recover(&self.stage, &self.hosts[self.stage.plan.workers[worker].host]);
            }
        }
    }

    fn wait(&mut self) {
        let end = self.stage.now() + QUIET;
        self.pass_to(end);
    }

    fn deliver_all(&mut self) {
        for intent in 0..self.stage.plan.intents.len() {
            let (at, patience) = (self.stage.now(), Duration::from_mins(1));
            let on_duplicate = OnDuplicate::Replay;
            let delivered =
                Delivered { at, worker: 0, intent, request: 0, patience, reruns: false, on_duplicate };
            self.happens(Thing::Delivery(delivered));
        }
        self.wait();
    }

    fn check_quiet(&mut self, waits_for_person: bool) -> usize {
        let mut waiting = 0;
        for id in self.stage.plan.ids() {
            if let Ok(Some(found)) = block_on(self.stage.store().read(&id)) {
                waiting += usize::from(found.record.body.status == Status::Indeterminate);
                self.stage.observer().quiet(&found.record, waits_for_person);
            }
        }
        waiting
    }

    fn end(self) -> Told {
        let (mut ended, mut landings_each) = (BTreeMap::new(), Vec::new());
        for id in self.stage.plan.ids() {
            landings_each.push(self.stage.target().landings(&id).len());
            let Ok(Some(found)) = block_on(self.stage.store().read(&id)) else { continue };
            *ended.entry(found.record.body.status.as_str()).or_default() += 1;
            if let Ok(events) = block_on(self.stage.store().events(&id)) {
                self.stage.observer().ended(&found.record, &events);
            }
        }
        let mut observer = self.stage.observer();
        observer.over(self.stage.scheduler.is_restless());
        // Tasks hold the stage and the stage holds them.
        self.stage.scheduler.end();
        Told {
            seed: self.stage.plan.seed,
            violations: observer.violations().to_vec(),
            trace: self.stage.take_trace(),
            executions: observer.executions,
            landings: landings_each.iter().sum(),
            landings_each,
            answers: observer.answers,
            ended,
            parked: self.parked,
            virtual_time: self.stage.now(),
        }
    }
}

/// One thing on the agenda.
enum Thing {
    Delivery(Delivered),
    Mishap(Mishap),
    Operator(Care),
}

/// What happens when, in order.
struct Agenda(std::vec::IntoIter<(Duration, Thing)>);

impl Agenda {
    fn of(plan: &Plan) -> Self {
        let deliveries = plan.deliveries.iter().map(|one| (one.at, Thing::Delivery(one.clone())));
        let mishaps = plan.mishaps.iter().filter_map(|mishap| {
            let at = match mishap {
                Mishap::Dies(_, at, _)
                | Mishap::Stops(_, at, _)
                | Mishap::LedgerWall(at, _)
                | Mishap::Sweep(at)
                | Mishap::Skip(at, _) => *at,
                _ => return None,
            };
            Some((at, Thing::Mishap(*mishap)))
        });
        let operators = plan.operators.iter().map(|one| (one.at, Thing::Operator(one.care)));
        let mut things: Vec<_> = deliveries.chain(mishaps).chain(operators).collect();
        things.sort_by_key(|(at, _)| *at);
        Self(things.into_iter())
    }

    fn next(&mut self) -> Option<(Duration, Thing)> {
        self.0.next()
    }
}
