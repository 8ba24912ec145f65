//! What everything else does: the network, the target, time, people, and recovery.

use super::compact::Rec;
use super::moves::Move;
use super::rules::{Ask, Proof, Reply};
use super::state::{Cause, Phase, Request, State, Target, Worker};
use super::workers::{Nexts, heard_before};
use super::world::{Violation, World};
use sluice_core::state::Status;

impl World<'_> {
    /// Everything that could happen next.
    pub fn nexts(&self, state: &State) -> Nexts {
        let mut nexts = Vec::new();
        self.workers_move(state, &mut nexts);
        self.network_moves(state, &mut nexts);
        self.orphans_move(state, &mut nexts);
        self.time_moves(state, &mut nexts);
        self.people_move(state, &mut nexts);
        self.recovery_moves(state, &mut nexts);
        nexts
    }

    fn network_moves(&self, state: &State, nexts: &mut Nexts) {
        for (place, request) in state.wire.iter().enumerate() {
            nexts.push((Move::Arrive(*request), self.take(state, place, true, false)));
            if request.heard_by.is_none() || state.left.faults == 0 {
                continue;
            }
            let mut faulty = state.clone();
            faulty.left.faults -= 1;
            nexts.push((Move::AnswerLost(*request), self.take(&faulty, place, false, false)));
            nexts.push((Move::Doubled(*request), self.take(&faulty, place, true, true)));
            unheard(&mut faulty, request);
            faulty.wire[place].heard_by = None;
            nexts.push((Move::Slow(*request), Ok(faulty)));
        }
    }

    /// The ledger takes a request. One that is never taken is lost.
    fn take(&self, state: &State, place: usize, answered: bool, doubled: bool) -> Result<State, Violation> {
        let mut next = state.clone();
        let request = state.wire[place];
        if doubled {
            next.wire[place].heard_by = None;
        } else {
            next.wire.remove(place);
        }
        let applied = self.apply(&mut next, &request)?;
        if answered {
            self.hear(&mut next, &request, applied)?;
        } else {
            unheard(&mut next, &request);
        }
        Ok(next)
    }

    /// What a process that is gone began lands or does not, all the same.
    fn orphans_move(&self, state: &State, nexts: &mut Nexts) {
        for intent in self.intents() {
            for grant in &state.truth(intent).grants {
                let held = |worker: &Worker| {
                    worker.claim() == Some(grant.claim) && matches!(worker, Worker::Holding { .. })
                };
                if !state.workers.iter().any(held) {
                    Self::resolve(state, intent, grant.claim, nexts);
                }
            }
        }
    }

    /// What is under way at the target lands, or never will.
    pub fn resolve(state: &State, intent: u8, claim: u8, nexts: &mut Nexts) {
        for (target, moved) in
            [(Target::Landed, Move::Land { claim }), (Target::Missed, Move::Miss { claim })]
        {
            let mut next = state.clone();
            if let Some(grant) =
                next.grant_mut(intent, claim).filter(|grant| grant.target == Target::UnderWay)
            {
                grant.target = target;
                nexts.push((moved, Ok(next)));
            }
        }
    }

    fn time_moves(&self, state: &State, nexts: &mut Nexts) {
        for intent in self.intents() {
            let under_way = state.truth(intent).grants.iter().any(|grant| grant.target == Target::UnderWay);
            match state.row(intent).lease {
                Phase::Live => {
                    let mut next = state.clone();
                    Self::end_lease(&mut next, intent);
                    nexts.push((Move::LeaseEnds { intent }, Ok(next)));
                }
                // The assumption of the promise: nothing takes hold later than this.
                Phase::Ended if state.row(intent).record.is_some_and(is_open) && !under_way => {
                    let mut next = state.clone();
                    next.row_mut(intent).lease = Phase::Quiet;
                    nexts.push((Move::QuietPasses { intent }, Ok(next)));
                }
                _ => {}
            }
        }
        if state.left.reboots > 0 {
            let mut next = state.clone();
            next.left.reboots -= 1;
            Self::reboot(&mut next);
            nexts.push((Move::Reboot, Ok(next)));
        }
    }

    fn people_move(&self, state: &State, nexts: &mut Nexts) {
        for intent in self.intents() {
            for proof in self.proofs(state, intent) {
                if let Reply::Lapse(edit) = self.look(state, intent, Ask::Lapse { proof }) {
                    let lapse = Request { intent, heard_by: None, cause: Cause::Lapse, edit };
                    self.send(state, lapse, Move::Lapse { intent, proof }, nexts);
                }
                self.judge(state, intent, proof, nexts);
            }
            if self.effect(intent).again
                && let Reply::Write(edit) = self.look(state, intent, Ask::Reopen)
            {
                let reopen = Request { intent, heard_by: None, cause: Cause::Reopen, edit };
                self.send(state, reopen, Move::Reopen { intent }, nexts);
            }
        }
    }

    /// A person looks at the target and says what is there now. A lie says the opposite, or does not wait.
    fn judge(&self, state: &State, intent: u8, proof: Proof, nexts: &mut Nexts) {
        let Some(found) =
            state.row(self.rules.row(intent)).record.filter(|found| found.status == Status::Indeterminate)
        else {
            return;
        };
        for epoch in found.doubts() {
            let is_there = |epoch| {
                let mut grants = state.truth(intent).grants.iter();
                grants.any(|grant| grant.epoch == epoch && grant.target == Target::Landed)
            };
            for (landed, force) in [(true, false), (false, false), (false, true)] {
                let lie = force || landed != is_there(epoch);
                if lie && state.left.lies == 0 {
                    continue;
                }
                if let Reply::Write(edit) =
                    self.look(state, intent, Ask::Verdict { epoch, landed, force, proof })
                {
                    let mut told = state.clone();
                    told.left.lies -= u8::from(lie);
                    let cause = Cause::Verdict { epoch, landed, lie };
                    let verdict = Request { intent, heard_by: None, cause, edit };
                    self.send(&told, verdict, Move::Judge { intent, epoch, landed, force, proof }, nexts);
                }
            }
        }
    }

    /// What people and recovery write goes over the network as well, one at a time; or at once, where they are quick.
    fn send(&self, state: &State, request: Request, moved: Move, nexts: &mut Nexts) {
        let mut next = state.clone();
        if !self.bounds.slow_operator {
            let applied = self.apply(&mut next, &request).map(|_| next);
            nexts.push((moved, applied));
        } else if !state.wire.iter().any(is_operators) {
            next.wire.push(request);
            nexts.push((moved, Ok(next)));
        }
    }

    /// What was left behind is offered once, by whoever runs later.
    fn recovery_moves(&self, state: &State, nexts: &mut Nexts) {
        for (place, said) in state.spool.iter().enumerate() {
            let mut next = state.clone();
            next.spool.remove(place);
            let ask = Ask::Word { claim: said.claim, epoch: said.epoch, word: said.word };
            let taken = match self.look(state, said.intent, ask) {
                Reply::Write(edit) => {
                    let cause = Cause::Word(said.epoch, said.word);
                    self.apply(&mut next, &Request { intent: said.intent, heard_by: None, cause, edit })
                        .map(|_| next)
                }
                Reply::Unheard => {
                    Err(format!("the ledger does not know the claim of delivery {}", said.claim))
                }
                _ => {
                    heard_before(&mut next, *said);
                    Ok(next)
                }
            };
            nexts.push((Move::TakeIn { claim: said.claim, word: said.word }, taken));
        }
    }
}

/// Whether anything could still depend on its lease.
fn is_open(found: Rec) -> bool {
    matches!(found.status, Status::InFlight | Status::Indeterminate)
}

fn is_operators(request: &Request) -> bool {
    matches!(request.cause, Cause::Lapse | Cause::Verdict { .. } | Cause::Reopen)
}

fn unheard(state: &mut State, request: &Request) {
    let waiting = state.workers.iter_mut().filter(|worker| worker.claim() == request.heard_by);
    waiting.for_each(Worker::unheard);
}
