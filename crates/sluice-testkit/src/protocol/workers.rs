//! What processes do: they ask, mark, begin, and say how it ended.

use super::bounds::Effect;
use super::compact::Word;
use super::core_rules::{own_claim, renewal};
use super::moves::Move;
use super::plants::Plant;
use super::rules::{Ask, Reply};
use super::state::{Cause, Request, Spooled, State, Target, Worker};
use super::world::{Violation, World, tell};
use sluice_core::decide::OwnClaim;
use sluice_core::store::Renewed;

/// Everything that could happen next, and what it would lead to.
pub(super) type Nexts = Vec<(Move, Result<State, Violation>)>;

impl World<'_> {
    /// What the processes could do next.
    pub fn workers_move(&self, state: &State, nexts: &mut Nexts) {
        if let Some(idle) = state.workers.iter().position(|worker| *worker == Worker::Idle) {
            self.deliver(state, idle, nexts);
        }
        for (place, worker) in state.workers.iter().enumerate() {
            match *worker {
                Worker::Idle => continue,
                Worker::Asking { claim, waits, .. } => {
                    if !waits {
                        nexts.push((Move::AskAgain { claim }, Ok(ask_again(state, place))));
                        nexts.push((Move::GiveUp { claim }, self.give_up(state, place)));
                    }
                }
                Worker::Holding { claim, waits, .. } => {
                    if !waits {
                        self.hold(state, place, nexts);
                    }
                    Self::target(state, claim, place, nexts);
                }
                Worker::Speaking { claim, epoch, intent, word, waits } => {
                    if !waits {
                        let said = self.say(state.clone(), place, Spooled { intent, claim, epoch, word });
                        nexts.push((Move::SayAgain { claim }, said));
                    }
                }
            }
            Self::crash(state, place, nexts);
        }
    }

    fn deliver(&self, state: &State, idle: usize, nexts: &mut Nexts) {
        if state.left.deliveries == 0 {
            return;
        }
        let claim = state.fresh_claim();
        for intent in self.intents() {
            for proof in self.proofs(state, intent) {
                // Whatever else it hears is checked in every state, and a lapse is anybody's.
                if let Reply::Claim(edit) = self.look(state, intent, Ask::Arrive { claim, proof }) {
                    let mut next = state.clone();
                    next.left.deliveries -= 1;
                    next.workers[idle] = Worker::Asking { intent, claim, edit, waits: true };
                    next.wire.push(Request { intent, heard_by: Some(claim), cause: Cause::Claim, edit });
                    nexts.push((Move::Deliver { intent, claim, proof }, Ok(next)));
                }
            }
        }
    }

    /// Looks whether a claim whose answer never came was granted all the same; if so, nothing was begun under it.
    fn give_up(&self, state: &State, place: usize) -> Result<State, Violation> {
        let Worker::Asking { intent, claim, .. } = state.workers[place] else { return Ok(state.clone()) };
        let mut next = state.clone();
        next.workers[place] = Worker::Idle;
        match state.row(self.rules.row(intent)).record.filter(|found| found.claim == claim) {
            Some(found) => {
                let word = Spooled { intent, claim, epoch: found.epoch, word: Word::NotStarted };
                self.say(next, place, word)
            }
            None => Ok(next),
        }
    }

    fn hold(&self, state: &State, place: usize, nexts: &mut Nexts) {
        let Worker::Holding { intent, claim, epoch, stop, overdue, .. } = state.workers[place] else {
            return;
        };
        let Some(grant) = state.grant(intent, claim) else { return };
        let effect = self.effect(intent);
        let early = self.has(Plant::MarkNotNeeded);
        if grant.target == Target::Untouched && !stop && (grant.live || effect.marks) {
            if effect.marks && !early {
                nexts.push((Move::Mark { claim }, Ok(self.mark(state, place))));
            } else if grant.live {
                nexts.push((Move::Begin { claim }, Ok(begun(state.clone(), place))));
            }
            let renewed = renewal(state.row(self.rules.row(intent)), claim, epoch, effect);
            if !matches!(renewed, Renewed::Extended { landed_elsewhere: false, .. }) {
                nexts.push((Move::Renew { claim }, Ok(stopped(state.clone(), place))));
            }
        }
        for word in words(grant.target, effect, overdue, !grant.live || stop) {
            let said = Spooled { intent, claim, epoch, word };
            nexts.push((Move::Say { claim, word }, self.say(state.clone(), place, said)));
            if state.left.faults > 0 && word != Word::Overdue {
                let mut next = state.clone();
                next.left.faults -= 1;
                next.workers[place] = Worker::Idle;
                next.spool.push(said);
                nexts.push((Move::Spool { claim, word }, Ok(next)));
            }
        }
    }

    fn mark(&self, state: &State, place: usize) -> State {
        let Worker::Holding { intent, claim, epoch, .. } = state.workers[place] else { return state.clone() };
        let mut next = state.clone();
        match self.look(state, intent, Ask::Mark { claim, epoch }) {
            Reply::Write(edit) => {
                if let Worker::Holding { waits, .. } = &mut next.workers[place] {
                    *waits = true;
                }
                next.wire.push(Request { intent, heard_by: Some(claim), cause: Cause::Mark, edit });
                next
            }
            Reply::Already => begun(next, place),
            _ => stopped(next, place),
        }
    }

    /// Offers an outcome to the ledger, under whatever it says by now.
    fn say(&self, mut next: State, place: usize, said: Spooled) -> Result<State, Violation> {
        let Spooled { intent, claim, epoch, word } = said;
        match self.look(&next, intent, Ask::Word { claim, epoch, word }) {
            Reply::Write(edit) => {
                next.workers[place] = Worker::Speaking { intent, claim, epoch, word, waits: true };
                next.wire.push(Request {
                    intent,
                    heard_by: Some(claim),
                    cause: Cause::Word(epoch, word),
                    edit,
                });
            }
            Reply::Unheard => return Err(format!("the ledger does not know the claim of delivery {claim}")),
            _ => {
                heard_before(&mut next, said);
                next.workers[place] = after(said);
            }
        }
        Ok(next)
    }

    /// What the target could do next with what this process began.
    fn target(state: &State, claim: u8, place: usize, nexts: &mut Nexts) {
        if let Some(intent) = state.workers[place].intent() {
            Self::resolve(state, intent, claim, nexts);
        }
    }

    fn crash(state: &State, place: usize, nexts: &mut Nexts) {
        let Some(claim) = state.workers[place].claim().filter(|_| state.left.crashes > 0) else { return };
        let mut next = state.clone();
        next.left.crashes -= 1;
        next.workers[place] = Worker::Idle;
        let asked = next.wire.iter_mut().filter(|request| request.heard_by == Some(claim));
        asked.for_each(|request| request.heard_by = None);
        nexts.push((Move::Crash { claim }, Ok(next)));
    }

    /// A process hears what became of its request.
    pub fn hear(&self, next: &mut State, request: &Request, applied: bool) -> Result<(), Violation> {
        let Some(claim) = request.heard_by else { return Ok(()) };
        let Some(place) = next.workers.iter().position(|worker| worker.claim() == Some(claim)) else {
            return Ok(());
        };
        next.workers[place].unheard();
        match (request.cause, next.workers[place]) {
            (Cause::Claim, Worker::Asking { intent, .. }) => {
                return self.hear_of_claim(next, place, intent, claim);
            }
            (Cause::Mark, _) if applied => *next = begun(next.clone(), place),
            (Cause::Word(epoch, word), _) if applied => {
                next.workers[place] = after(Spooled { intent: request.intent, claim, epoch, word });
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it was granted is told by the record that came with the answer (F14).
    fn hear_of_claim(&self, next: &mut State, place: usize, intent: u8, claim: u8) -> Result<(), Violation> {
        let Some(found) = next.row(self.rules.row(intent)).record else {
            return Err("a claim was refused, and there is no record".to_owned());
        };
        let epoch = found.epoch;
        next.workers[place] = match own_claim(&found, claim, self.effect(intent)) {
            OwnClaim::Granted => {
                Worker::Holding { intent, claim, epoch, waits: false, stop: false, overdue: false }
            }
            OwnClaim::Ended => {
                Worker::Speaking { intent, claim, epoch, word: Word::NotStarted, waits: false }
            }
            // From here on it waits for that epoch, and changes nothing any more.
            OwnClaim::Another if self.has(Plant::AnothersClaim) => {
                Worker::Holding { intent, claim, epoch, waits: false, stop: false, overdue: false }
            }
            OwnClaim::Another => Worker::Idle,
        };
        Ok(())
    }
}

fn ask_again(state: &State, place: usize) -> State {
    let mut next = state.clone();
    if let Worker::Asking { intent, claim, edit, waits } = &mut next.workers[place] {
        *waits = true;
        next.wire.push(Request { intent: *intent, heard_by: Some(*claim), cause: Cause::Claim, edit: *edit });
    }
    next
}

/// From now on the effect may land.
fn begun(mut next: State, place: usize) -> State {
    if let Worker::Holding { intent, claim, .. } = next.workers[place]
        && let Some(grant) = next.grant_mut(intent, claim)
    {
        grant.target = Target::UnderWay;
    }
    next
}

fn stopped(mut next: State, place: usize) -> State {
    if let Worker::Holding { stop, .. } = &mut next.workers[place] {
        *stop = true;
    }
    next
}

/// What a process does after its word arrived: what is overdue goes on, and starts nothing more.
fn after(said: Spooled) -> Worker {
    let Spooled { intent, claim, epoch, word } = said;
    match word {
        Word::Overdue => Worker::Holding { intent, claim, epoch, waits: false, stop: true, overdue: true },
        _ => Worker::Idle,
    }
}

/// The ledger knows the word already, or refuses it; either way it was told.
pub(super) fn heard_before(next: &mut State, said: Spooled) {
    if said.word == Word::Success {
        tell(next.truth_mut(said.intent), said.epoch);
    }
}

/// What a holder may say by what the target did. A lost answer leaves it without knowledge. What was overdue once may be
/// followed by a refused second attempt, of which it says "transient" whatever became of the first.
fn words(target: Target, effect: Effect, overdue: bool, over: bool) -> Vec<Word> {
    match target {
        Target::Untouched if over => vec![Word::NotStarted],
        Target::Untouched if effect.marks => vec![Word::Unclassified],
        Target::UnderWay if effect.overdue && !overdue => vec![Word::Overdue],
        Target::Untouched | Target::UnderWay => vec![],
        Target::Landed if overdue && effect.second_attempt => {
            vec![Word::Success, Word::Unknown, Word::Transient]
        }
        Target::Landed => vec![Word::Success, Word::Unknown],
        Target::Missed => vec![Word::Permanent, Word::Transient, Word::Unknown],
    }
}
