//! The ledger, the target and the clock of a modelled world.

use super::bounds::{Bounds, EPOCHS, Effect};
use super::check;
use super::compact::{Rec, Word};
use super::edit::Lease;
use super::plants::Plant;
use super::rules::{Ask, Proof, Question, Reply, Rules};
use super::state::{Cause, Grant, Left, Phase, Request, Row, State, Target, Truth, Worker};

/// What must never be, and was.
pub(super) type Violation = String;

/// Within its bounds and with its rules, all that can happen.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub bounds: &'a Bounds,
    pub rules: Rules,
}

impl<'a> World<'a> {
    pub fn new(bounds: &'a Bounds, plant: Option<Plant>) -> Self {
        assert!(usize::from(bounds.deliveries) <= EPOCHS, "no intent has more than {EPOCHS} epochs");
        Self { bounds, rules: Rules::new(plant) }
    }

    /// Nothing has happened.
    pub fn begin(&self) -> State {
        let intents = self.bounds.effects.len();
        let row = Row { record: None, lease: Phase::Ended, filed: Vec::new() };
        State {
            rows: vec![row; intents],
            truth: vec![Truth::default(); intents],
            workers: vec![Worker::Idle; self.bounds.workers],
            wire: Vec::new(),
            spool: Vec::new(),
            left: Left {
                deliveries: self.bounds.deliveries,
                crashes: self.bounds.crashes,
                reboots: self.bounds.reboots,
                faults: self.bounds.faults,
                lies: self.bounds.lies,
            },
        }
    }

    pub fn effect(&self, intent: u8) -> Effect {
        self.bounds.effects[usize::from(intent)]
    }

    /// Every intent.
    pub fn intents(&self) -> impl Iterator<Item = u8> + use<> {
        (0..).take(self.bounds.effects.len())
    }

    pub fn has(&self, plant: Plant) -> bool {
        self.rules.plant == Some(plant)
    }

    /// Whether requests that were made for an older version can be dropped, because the guard refuses them for ever. Where
    /// the guard is what is broken they stay.
    pub fn forgets_stale(&self) -> bool {
        let guards = [
            Plant::GuardForgetsVersion,
            Plant::GuardForgetsEpoch,
            Plant::GuardForgetsGrant,
            Plant::OneRowPerKey,
        ];
        !guards.into_iter().any(|plant| self.has(plant))
    }

    /// Looks at the ledger and asks a rule about what it finds.
    pub fn look(&self, state: &State, intent: u8, ask: Ask) -> Reply {
        let row = state.row(self.rules.row(intent));
        let found = row.record.map(|found| (found, row.lease));
        self.rules.ask(Question { found, effect: self.effect(intent), ask })
    }

    /// What could be proved of the newest holder, if anybody cared to. Nobody has to.
    pub fn proofs(&self, state: &State, intent: u8) -> [Proof; 2] {
        let claim = state.row(self.rules.row(intent)).record.map(|found| found.claim);
        match claim {
            None => [Proof::Unknown; 2],
            Some(claim) if state.lives(intent, claim) => [Proof::Unknown, Proof::Alive],
            Some(_) => [Proof::Unknown, Proof::Gone],
        }
    }

    /// Writes a change if its guard holds; whether it did.
    pub fn apply(&self, state: &mut State, request: &Request) -> Result<bool, Violation> {
        let effect = self.effect(request.intent);
        let place = self.rules.row(request.intent);
        let row = state.row(place);
        if self.rules.check(row, &request.edit, effect).is_err() {
            return Ok(false);
        }
        let before = row.record;
        check::change(state, request, before.as_ref(), effect)?;
        write(state.row_mut(place), &request.edit.set, request.edit.lease);
        Self::witness(state, request);
        Ok(true)
    }

    /// Keeps the model's own account of what was written.
    fn witness(state: &mut State, request: &Request) {
        let (claim, epoch) = (request.edit.set.claim, request.edit.set.epoch);
        let truth = state.truth_mut(request.intent);
        match request.cause {
            Cause::Claim => {
                let grant = Grant { claim, epoch, live: true, target: Target::Untouched, told: false };
                truth.grants.push(grant);
            }
            Cause::Word(epoch, Word::Success) | Cause::Verdict { epoch, landed: true, lie: false } => {
                tell(truth, epoch);
            }
            Cause::Verdict { lie: true, .. } => truth.lied = true,
            _ => {}
        }
    }

    /// The lease of an intent's newest grant ends, and with it those of older ones.
    pub fn end_lease(state: &mut State, intent: u8) {
        state.row_mut(intent).lease = Phase::Ended;
        state.truth_mut(intent).grants.iter_mut().for_each(|grant| grant.live = false);
    }

    /// The host of all processes and of the ledger is started anew.
    pub fn reboot(state: &mut State) {
        state.workers.iter_mut().for_each(|worker| *worker = Worker::Idle);
        state.wire.iter_mut().for_each(|request| request.heard_by = None);
        state.rows.iter_mut().for_each(|row| row.lease = Phase::Reboot);
        let grants = state.truth.iter_mut().flat_map(|truth| &mut truth.grants);
        grants.for_each(|grant| grant.live = false);
    }
}

/// The ledger was told that this epoch landed.
pub(super) fn tell(truth: &mut Truth, epoch: u8) {
    truth.grants.iter_mut().filter(|grant| grant.epoch == epoch).for_each(|grant| grant.told = true);
}

/// A store without any rule: it writes what the change says.
fn write(row: &mut Row, set: &Rec, lease: Lease) {
    let version = row.record.map_or(0, |found| found.version);
    if let Some(found) = row.record.filter(|found| set.epoch > found.epoch) {
        row.filed.push((found.claim, found.epoch));
    }
    row.record = Some(*set);
    row.record.iter_mut().for_each(|record| record.version = version + 1);
    row.lease = match (lease, row.lease) {
        (Lease::Grant, _) => Phase::Live,
        (Lease::Settle, Phase::Reboot) => Phase::Ended,
        (_, kept) => kept,
    };
}
