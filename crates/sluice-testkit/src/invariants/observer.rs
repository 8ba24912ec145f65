//! Watches a world, and says what must not have happened.

use super::edges::is_legal;
use super::report::{Invariant, Violation};
use super::thrift::Thrift;
use crate::world::{Intended, Plan, Request};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::record::Record;
use sluice_core::state::Status;
use sluice_core::trail::{Event, EventDraft, EventKind};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What an execution knows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// The target said that it took hold.
    Landed,
    /// The target said that it did not, or nothing was sent.
    DidNotLand,
    /// Nothing came back.
    Unknown,
}

/// What a delivery was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It happened, with this receipt where it was kept.
    Done(Option<String>),
    /// It did not happen, as far as this epoch.
    DidNotHappen(Option<Epoch>),
    /// Anything else.
    Other(&'static str),
}

#[derive(Debug)]
struct Execution {
    epoch: Epoch,
    landed: bool,
    knowledge: Knowledge,
    // An earlier attempt under the same claim may have taken hold.
    in_doubt: bool,
}

impl Execution {
    fn could_take_hold(&self) -> bool {
        self.knowledge != Knowledge::DidNotLand || self.in_doubt
    }
}

/// What is known of one intent.
#[derive(Debug)]
struct Watched {
    intended: Intended,
    executions: BTreeMap<ClaimId, Execution>,
    // In this life of the record, and ever.
    landings: usize,
    landings_ever: usize,
    // Executions of which a true verdict said that they did not land.
    cleared: BTreeSet<Epoch>,
    told_done: bool,
    // The newest epoch up to which "did not happen" was told.
    told_not: Option<Epoch>,
    landings_known: BTreeSet<Epoch>,
    // When each key was first sent.
    keys: BTreeMap<String, Duration>,
    // A record that was forgotten begins anew with its first epoch; what was told of its last life may come late.
    was_forgotten: bool,
}

/// Watches, and takes part in nothing.
#[derive(Debug)]
pub struct Observer {
    watched: BTreeMap<RecordId, Watched>,
    is_honest: bool,
    honours_keys: Option<Duration>,
    violations: Vec<Violation>,
    thrift: Thrift,
    /// How many executions there were.
    pub executions: usize,
    /// How many answers of each kind were told: done, did not happen, other.
    pub answers: [usize; 3],
}

impl Observer {
    /// Watches the intents of this plan.
    pub fn new(plan: &Plan) -> Self {
        let watched = plan.ids().zip(&plan.intents).map(|(id, intended)| {
            let watched = Watched {
                intended: intended.clone(),
                executions: BTreeMap::new(),
                landings: 0,
                landings_ever: 0,
                cleared: BTreeSet::new(),
                told_done: false,
                told_not: None,
                landings_known: BTreeSet::new(),
                keys: BTreeMap::new(),
                was_forgotten: false,
            };
            (id, watched)
        });
        Self {
            watched: watched.collect(),
            is_honest: plan.is_honest(),
            honours_keys: plan.target.honours_keys,
            violations: Vec::new(),
            thrift: Thrift::new(plan),
            executions: 0,
            answers: [0; 3],
        }
    }

    /// What was seen that must not be.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn broken(&mut self, invariant: Invariant, seen: String) {
        self.violations.push(Violation { invariant, seen });
    }

    /// An execution acts on the target.
    pub fn sent(&mut self, request: &Request, now: Duration) {
        self.executions += 1;
        let Some(watched) = self.watched.get_mut(&request.id) else {
            return self.broken(Invariant::I9, format!("{} was never asked for", request.id));
        };
        let could = |run: &&Execution| run.could_take_hold() && !watched.cleared.contains(&run.epoch);
        let doubtful = watched.executions.values().find(could).map(|other| other.epoch);
        let first = *watched.keys.entry(request.key.clone()).or_insert(now);
        let earlier = watched.executions.remove(&request.claim);
        let wasted = self.thrift.sent(earlier.is_some(), now);
        let run = Execution {
            epoch: request.epoch,
            landed: earlier.as_ref().is_some_and(|run| run.landed),
            knowledge: Knowledge::Unknown,
            in_doubt: earlier.as_ref().is_some_and(Execution::could_take_hold),
        };
        watched.executions.insert(request.claim, run);
        let by_key = watched.intended.by_key && self.honours_keys.is_some();
        let excused = watched.intended.repeatable || by_key;
        if let Some(seen) = wasted {
            self.broken(Invariant::I6, seen);
        }
        let Some(doubtful) = doubtful.filter(|_| self.is_honest) else { return };
        if !excused {
            let seen = format!("{} {} began while {doubtful} could take hold", request.id, request.epoch);
            self.broken(Invariant::I1, seen);
        }
        let is_past = self.honours_keys.is_some_and(|window| now.saturating_sub(first) > window);
        if by_key && is_past && !self.watched[&request.id].intended.repeatable {
            let seen = format!("{} {} was sent under a key that is forgotten", request.id, request.epoch);
            self.broken(Invariant::I11, seen);
        }
    }

    /// A process starts.
    pub fn started(&mut self) {
        self.thrift.started();
    }

    /// An attempt begins.
    pub fn begun(&mut self) {
        self.thrift.begun();
    }

    /// The target gave an answer that is no trouble, and an execution heard it.
    pub fn answered(&mut self) {
        self.thrift.answered();
    }

    /// The target says that it took hold.
    pub fn landed(&mut self, request: &Request) {
        let Some(watched) = self.watched.get_mut(&request.id) else { return };
        watched.landings += 1;
        watched.landings_ever += 1;
        if let Some(run) = watched.executions.get_mut(&request.claim) {
            run.landed = true;
        }
        // A target that honours keys takes a repeated request for the same one.
        let excused = watched.intended.repeatable && self.honours_keys.is_none();
        let landings = watched.landings;
        let told_not = watched.told_not.filter(|told| request.epoch <= *told);
        if landings > 1 && self.is_honest && !excused {
            self.broken(Invariant::I1, format!("{} took hold {landings} times", request.id));
        }
        if let (Some(told), true) = (told_not, self.is_honest) {
            self.broken(
                Invariant::I3,
                format!(
                    "{} took hold in {} after \"did not happen\" was told of {told}",
                    request.id, request.epoch
                ),
            );
        }
    }

    /// An execution knows more of itself.
    pub fn learned(&mut self, request: &Request, knowledge: Knowledge) {
        let run =
            self.watched.get_mut(&request.id).and_then(|watched| watched.executions.get_mut(&request.claim));
        if let Some(run) = run {
            run.knowledge = knowledge;
        }
    }

    /// An operator says, truly, that an epoch did not land.
    pub fn cleared(&mut self, id: &RecordId, epoch: Epoch) {
        if let Some(watched) = self.watched.get_mut(id) {
            watched.cleared.insert(epoch);
        }
    }

    /// That word was not taken.
    pub fn not_cleared(&mut self, id: &RecordId, epoch: Epoch) {
        if let Some(watched) = self.watched.get_mut(id) {
            watched.cleared.remove(&epoch);
        }
    }

    /// A record changed.
    pub fn changed(&mut self, before: Option<&Record>, after: &Record, events: &[EventDraft]) {
        let id = &after.id;
        let (from, to) = (before.map(|record| record.body.status), after.body.status);
        let expected = before.map_or(1, |record| record.version.0 + 1);
        if after.version.0 != expected {
            self.broken(
                Invariant::I7,
                format!("{id} has version {} after {}", after.version.0, expected - 1),
            );
        }
        if before.is_some_and(|record| after.body.epoch < record.body.epoch) {
            self.broken(Invariant::I8, format!("the epoch of {id} went back"));
        }
        let Some(event) = events.last() else {
            return self.broken(Invariant::I7, format!("{id} changed without an event"));
        };
        if !is_legal(from, to, event.kind) {
            let from = from.map_or("no record", Status::as_str);
            self.broken(Invariant::I8, format!("{id}: {from} → {to} by {}", event.kind.as_str()));
        }
        self.check_doubt(before, after, event);
    }

    /// *Failed* and *released* need every execution that was sent to be known not to have landed.
    fn check_doubt(&mut self, before: Option<&Record>, after: &Record, event: &EventDraft) {
        let Some(watched) = self.watched.get_mut(&after.id) else {
            return self.broken(Invariant::I9, format!("{} was never asked for", after.id));
        };
        watched.landings_known.extend(after.body.landed.iter().copied());
        let mut broken = Vec::new();
        let left = before.is_some_and(|record| record.body.status == Status::Indeterminate);
        let may_repeat =
            watched.intended.repeatable || watched.intended.by_key && self.honours_keys.is_some();
        if left && event.kind == EventKind::Reclaimed && !may_repeat {
            broken.push(format!("{} was run again although nobody knows and it is not repeatable", after.id));
        }
        if matches!(after.body.status, Status::Failed | Status::Released) {
            let doubtful = watched
                .executions
                .values()
                .find(|run| (run.landed || run.could_take_hold()) && !watched.cleared.contains(&run.epoch));
            broken.extend(doubtful.map(|run| {
                format!(
                    "{} is {} by {}, and {} may have taken hold",
                    after.id,
                    after.body.status,
                    event.kind.as_str(),
                    run.epoch
                )
            }));
        }
        if self.is_honest {
            for seen in broken {
                self.broken(Invariant::I3, seen);
            }
        }
    }

    /// A record was forgotten.
    pub fn forgotten(&mut self, record: &Record) {
        if matches!(record.body.status, Status::InFlight | Status::Indeterminate) {
            self.broken(
                Invariant::I3,
                format!("{} was forgotten while it was {}", record.id, record.body.status),
            );
        }
        if let Some(watched) = self.watched.get_mut(&record.id) {
            watched.was_forgotten = true;
            watched.landings = 0;
            watched.told_not = None;
            watched.executions.clear();
            watched.cleared.clear();
            watched.landings_known.clear();
            watched.keys.clear();
        }
    }

    /// A delivery of that request was told something.
    pub fn told(&mut self, id: &RecordId, request: u32, answer: &Answer) {
        let Some(watched) = self.watched.get_mut(id) else { return };
        let (landings, honest) = (watched.landings_ever, self.is_honest);
        match answer {
            Answer::Done(receipt) => {
                self.answers[0] += 1;
                watched.told_done = true;
                let own = |receipt: &String| {
                    receipt.starts_with(&format!("{id} #")) && receipt.ends_with(&format!(" of {request}"))
                };
                if receipt.as_ref().is_some_and(|receipt| !own(receipt)) {
                    self.broken(
                        Invariant::I9,
                        format!("request {request} of {id} got the receipt {receipt:?}"),
                    );
                } else if landings == 0 && honest {
                    self.broken(Invariant::I2, format!("{id} was told done, and never took hold"));
                }
            }
            Answer::DidNotHappen(epoch) => {
                self.answers[1] += 1;
                if !watched.was_forgotten {
                    watched.told_not = watched.told_not.max(*epoch);
                }
                let landed = |run: &Execution| run.landed && epoch.is_none_or(|epoch| run.epoch <= epoch);
                if watched.executions.values().any(landed) && honest && !watched.was_forgotten {
                    self.broken(Invariant::I3, format!("{id} was told not to have happened, and took hold"));
                }
            }
            Answer::Other(code) => {
                self.answers[2] += 1;
                if let Some(seen) = self.thrift.refused(code) {
                    self.broken(Invariant::I6, seen);
                }
            }
        }
    }

    /// When all is quiet: every record has ended, or waits for a person.
    pub fn quiet(&mut self, record: &Record, waits_for_person: bool) {
        let ended = match record.body.status {
            Status::InFlight => false,
            Status::Indeterminate => waits_for_person,
            Status::Succeeded | Status::Failed | Status::Released => true,
        };
        if !ended {
            self.broken(Invariant::I10, format!("{} is {} when all is quiet", record.id, record.body.status));
        }
    }

    /// At the end: the record and its events as the ledger has them.
    pub fn ended(&mut self, record: &Record, events: &[Event]) {
        let mut versions: Vec<_> =
            events.iter().filter_map(|event| event.version.map(|version| version.0)).collect();
        versions.dedup();
        if !versions.iter().copied().eq(1..=record.version.0) {
            self.broken(
                Invariant::I7,
                format!("{} has version {} and events of {versions:?}", record.id, record.version.0),
            );
        }
        let Some(watched) = self.watched.get(&record.id) else { return };
        let known = watched.landings_known.len();
        if known > 1 && !record.body.double_effect() {
            self.broken(Invariant::I1, format!("{} took hold {known} times, and is not flagged", record.id));
        }
    }

    /// At the very end; a restless world never came to one.
    pub fn over(&mut self, is_restless: bool) {
        if is_restless {
            self.broken(Invariant::I10, "something goes round and round".to_owned());
        }
        let mut broken = Vec::new();
        for (id, watched) in &self.watched {
            if watched.told_done && watched.landings_ever == 0 && self.is_honest {
                broken.push(format!("{id} was told done, and never took hold"));
            }
        }
        for seen in broken {
            self.broken(Invariant::I1, seen);
        }
    }
}
