//! One intent in two stores and in the model, with its holders and with what truly happened.

use super::checks::Cause;
use super::ops::{Act, Op};
use sluice_core::change::Change;
use sluice_core::decide::{self, Arrival, Judgement, Plan, Ruling, SettleStep, Step, VerdictStep};
use sluice_core::holder::Liveness;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::key::Match;
use sluice_core::outcome::{Fault, Kept, NotKept};
use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate, WhileRunning};
use sluice_core::ports::Report;
use sluice_core::record::{Downstream, Labels, Snapshot, Terms};
use sluice_core::state::Status;
use sluice_core::store::{Renewed, Store, Written};
use sluice_testkit::conformance::Subject;
use sluice_testkit::model::Model;
use sluice_testkit::{block_on, sample};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// One execution.
#[derive(Clone, Debug)]
pub struct Grant {
    pub claim: ClaimId,
    pub epoch: Epoch,
    /// Whether its effect truly took hold.
    pub landed: bool,
    marks: bool,
    may: May,
}

/// What a holder may still do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum May {
    /// It is provably gone.
    Nothing,
    /// It has ended, and may say again what it knows.
    Speak,
    /// It runs.
    Act,
}

pub struct World<'a> {
    pub model: Model,
    pub grants: Vec<Grant>,
    /// Whether somebody said something untrue, so that the record need not be true.
    pub lied: bool,
    /// What happened at least once.
    pub seen: BTreeSet<&'static str>,
    subjects: [&'a dyn Subject; 2],
    id: RecordId,
    now: Duration,
    earlier: Option<Snapshot>,
    asking: ClaimId,
}

type Done = Result<Option<Cause>, String>;

impl<'a> World<'a> {
    pub fn new(memory: &'a dyn Subject, sqlite: &'a dyn Subject, key: &str) -> Self {
        Self {
            model: Model::default(),
            grants: Vec::new(),
            lied: false,
            seen: BTreeSet::new(),
            subjects: [memory, sqlite],
            id: sample::id(key),
            now: Duration::ZERO,
            earlier: None,
            asking: sample::claim_id(),
        }
    }

    /// Lets one thing happen; why the record changed, if it did.
    pub fn perform(&mut self, op: &Op) -> Done {
        let passed = Duration::from_millis(op.advance_ms);
        self.subjects.iter().for_each(|subject| subject.advance(passed));
        self.now += passed;
        let current = self.model.snapshot(self.now);
        let found = if op.stale { self.earlier.clone().or(current) } else { current };
        match (&op.act, found) {
            (Act::Arrive { marks, holder }, found) => self.arrive(found.as_ref(), *marks, *holder),
            (_, None) => Ok(None),
            (Act::Mark(which), Some(found)) => self.mark(&found, *which),
            (Act::Renew(which), Some(_)) => self.renew(*which).map(|()| None),
            (Act::Perform { holder, lands }, Some(_)) => {
                self.act(*holder, *lands);
                Ok(None)
            }
            (Act::Say { holder, class, success }, Some(found)) => {
                let fault = sample::fault(*class);
                self.say(&found, *holder, fault, *success)
            }
            (Act::Lapse(holder), Some(found)) => {
                self.bury(*holder);
                let change = decide::lapse(&found, *holder);
                change.map_or(Ok(None), |change| self.write(&change, Cause::Lapse))
            }
            (Act::Verdict { epoch, landed, honest, force, holder }, Some(found)) => {
                self.bury(*holder);
                let epoch = epoch.map(Epoch);
                let landed = if *honest { self.truth(epoch, &found) } else { *landed };
                self.judge(&found, epoch, landed, *force, *holder)
            }
        }
    }

    fn arrive(&mut self, found: Option<&Snapshot>, marks: bool, holder: Liveness) -> Done {
        self.bury(holder);
        self.asking = sample::claim_id();
        let plan = Plan {
            claim: self.asking,
            terms: Terms { declares_marks: marks, ..Terms::default() },
            labels: Labels::default(),
            fingerprint: None,
            downstream: Downstream::default(),
            first_sent: None,
            target: None,
            replacement: None,
        };
        let arrival = Arrival {
            request: Match::Neither,
            holder,
            on_duplicate: OnDuplicate::Replay,
            while_running: WhileRunning::Wait,
            on_indeterminate: OnIndeterminate::Refuse,
            on_failed: OnFailed::Replay,
        };
        match decide::arrive(found, arrival, &plan) {
            Step::Lapse(change) => self.write(&change, Cause::Lapse),
            Step::Claim(change) => self.write(&change, Cause::Claim),
            Step::Wait(_) | Step::Hold(_) | Step::Answer(_) => Ok(None),
        }
    }

    /// Takes note of a grant that was just written. No claim id is ever granted twice.
    pub fn note_grant(&mut self, cause: Cause) -> Result<(), String> {
        let Some(record) = self.model.record.as_ref().filter(|_| cause == Cause::Claim) else {
            return Ok(());
        };
        let body = &record.body;
        if self.grants.iter().any(|grant| grant.claim == body.claim || grant.epoch == body.epoch) {
            return Err(format!("{} or {} was granted twice", body.claim, body.epoch));
        }
        self.grants.push(Grant {
            claim: body.claim,
            epoch: body.epoch,
            landed: false,
            marks: body.terms.declares_marks,
            may: May::Act,
        });
        if self.grants.len() > 1 {
            self.seen.insert("granted twice");
        }
        Ok(())
    }

    fn mark(&mut self, found: &Snapshot, which: usize) -> Done {
        let Some(grant) = self.grant(which).filter(|grant| grant.may == May::Act).cloned() else {
            return Ok(None);
        };
        match decide::mark(found, grant.claim, grant.epoch) {
            SettleStep::Write(change) => self.write(&change, Cause::Mark),
            SettleStep::Lost => {
                self.seen.insert("a mark too late");
                Ok(None)
            }
            SettleStep::Already | SettleStep::Refused(_) | SettleStep::Unheard => Ok(None),
        }
    }

    /// A renewal must be answered alike, and the model is moved by what both said.
    fn renew(&mut self, which: usize) -> Result<(), String> {
        let Some(grant) = self.grant(which).cloned() else {
            return Ok(());
        };
        let renewals = self
            .stores()
            .map(|store| block_on(store.renew(self.id.clone(), grant.claim, grant.epoch, sample::LEASE)));
        let [memory, sqlite] = renewals.map(|renewed| renewed.map_err(|error| error.to_string()));
        let (memory, sqlite) = (memory?, sqlite?);
        if memory != sqlite {
            return Err(format!("a renewal was {memory:?} in memory and {sqlite:?} in SQLite"));
        }
        let record = self.model.record.as_ref().map(|record| &record.body);
        let holds = record.is_some_and(|body| {
            body.status == Status::InFlight
                && body.claim == grant.claim
                && self.model.lease(self.now).is_live()
        });
        if holds != matches!(memory, Renewed::Extended { .. }) {
            return Err(format!("a renewal was {memory:?} where {grant:?} and {:?}", self.model));
        }
        if holds {
            self.model.renew(self.now + sample::LEASE);
        }
        Ok(())
    }

    /// A holder starts its effect only under a live lease, and past its mark where it declared one.
    fn act(&mut self, which: usize, lands: bool) {
        let live = self.model.lease(self.now).is_live();
        let Some(body) = self.model.record.as_ref().map(|record| record.body.clone()) else {
            return;
        };
        let Some(grant) = self.grant_mut(which) else {
            return;
        };
        let may =
            live && body.status == Status::InFlight && body.epoch == grant.epoch && grant.may == May::Act;
        if may && (!grant.marks || body.marked) {
            grant.landed |= lands;
        }
    }

    /// A holder that knows that its effect took hold never says that it did not, nor the other way round.
    fn say(&mut self, found: &Snapshot, which: usize, fault: Fault, success: bool) -> Done {
        let Some(grant) = self.grant_mut(which).filter(|grant| grant.may >= May::Speak) else {
            return Ok(None);
        };
        let definite = !fault.class.is_unknown();
        let report = if grant.landed && (success || definite) {
            Report::Success { kept: Kept::within(grant.epoch.to_string().into_bytes(), 100), object_id: None }
        } else {
            Report::Fault(fault)
        };
        grant.may = May::Speak;
        let (claim, epoch) = (grant.claim, grant.epoch);
        match decide::settle(found, claim, epoch, &report) {
            SettleStep::Write(change) => return self.write(&change, Cause::Word(epoch)),
            SettleStep::Refused(_) => drop(self.seen.insert("a word refused")),
            SettleStep::Already => drop(self.seen.insert("a word known before")),
            // A look from before the grant knows nothing of it.
            SettleStep::Unheard if found.record.body.epoch < epoch => {}
            SettleStep::Lost | SettleStep::Unheard => {
                return Err("a word, told that its claim is not known".into());
            }
        }
        Ok(None)
    }

    fn judge(
        &mut self,
        found: &Snapshot,
        epoch: Option<Epoch>,
        landed: bool,
        force: bool,
        holder: Liveness,
    ) -> Done {
        let judgement =
            if landed { Judgement::Landed(Kept::absent(NotKept::NeverGiven)) } else { Judgement::DidNotLand };
        let ruling = Ruling { epoch, judgement, by: "somebody".into(), reason: "looked".into(), force };
        match decide::verdict(found, &ruling, holder) {
            VerdictStep::Write(change, about) => {
                let written = self.write(&change, Cause::Verdict(about))?;
                let truly = self.grants.iter().any(|grant| grant.epoch == about && grant.landed);
                self.lied |= written.is_some() && truly != landed;
                return Ok(written);
            }
            VerdictStep::NotQuiet(_) => drop(self.seen.insert("a verdict too early")),
            _ => drop(self.seen.insert("a verdict refused")),
        }
        Ok(None)
    }

    fn truth(&self, epoch: Option<Epoch>, found: &Snapshot) -> bool {
        let about = epoch.or_else(|| found.record.body.unresolved.epochs().next());
        self.grants.iter().any(|grant| Some(grant.epoch) == about && grant.landed)
    }

    /// Whoever is proved gone says nothing more; the proof is always about the newest holder.
    fn bury(&mut self, holder: Liveness) {
        if let (true, Some(grant)) = (holder.is_gone(), self.grants.last_mut()) {
            grant.may = May::Nothing;
        }
    }

    fn grant(&self, which: usize) -> Option<&Grant> {
        self.grants.iter().rev().nth(which)
    }

    fn grant_mut(&mut self, which: usize) -> Option<&mut Grant> {
        self.grants.iter_mut().rev().nth(which)
    }

    fn stores(&self) -> [Arc<dyn Store>; 2] {
        self.subjects.map(Subject::store)
    }

    /// Writes a change to the model and to both stores, which must all say the same.
    fn write(&mut self, change: &Change, cause: Cause) -> Done {
        let earlier = self.model.snapshot(self.now);
        let said = self.model.apply(&self.id, change.clone(), self.now);
        let expected = self.model.snapshot(self.now);
        for store in self.stores() {
            let written =
                block_on(store.apply(self.id.clone(), change.clone())).map_err(|error| error.to_string())?;
            let (found, unmet) = match written {
                Written::Applied(found) => (Some(*found), Ok(())),
                Written::Found { snapshot, unmet } => (snapshot.map(|found| *found), Err(unmet)),
            };
            let alike = unmet == said && of_interest(found.as_ref()) == of_interest(expected.as_ref());
            if !alike {
                return Err(format!(
                    "{store:?} says {unmet:?} and {found:#?}, the model {said:?} and {expected:#?}"
                ));
            }
        }
        if said.is_err() {
            self.seen.insert("a change refused by its guard");
            return Ok(None);
        }
        self.earlier = earlier;
        if let Some(record) = &self.model.record {
            self.seen.insert(record.body.status.as_str());
            if record.body.double_effect() {
                self.seen.insert("double effect");
            }
        }
        Ok(Some(cause))
    }

    /// Both stores must have written exactly the events of the changes.
    pub fn compare_events(&self) -> Result<(), String> {
        for store in self.stores() {
            let events = block_on(store.events(&self.id)).map_err(|error| error.to_string())?;
            let drafts: Vec<_> = events.into_iter().map(|event| event.draft).collect();
            if drafts != self.model.events {
                return Err(format!("{store:?} wrote {drafts:#?}, the model {:#?}", self.model.events));
            }
        }
        Ok(())
    }
}

/// All but the times, which the model does not have.
fn of_interest(
    found: Option<&Snapshot>,
) -> Option<(u64, &sluice_core::record::Body, sluice_core::lease::LeaseView)> {
    found.map(|found| (found.record.version.0, &found.record.body, found.lease))
}
