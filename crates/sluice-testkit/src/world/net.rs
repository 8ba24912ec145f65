//! The way between a process and its ledger: late, lost, or twice.

use super::dice::Dice;
use super::plan::{Fate, Mishap, Op, Point, Weather};
use super::scheduler::Owner;
use super::stage::Stage;
use crate::block_on;
use futures_channel::oneshot;
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::change::Change;
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::ports::BoxFuture;
use sluice_core::record::Snapshot;
use sluice_core::store::{
    Condition, Ledger, Page, Query, Renewed, Store, StoreError, StoreErrorKind, Swept, Upkeep, Written,
};
use sluice_core::trail::{Event, EventDraft, EventKind, LedgerEvent};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a process waits for an answer of its ledger before it calls it lost.
const PATIENCE: Duration = Duration::from_secs(2);

/// Draws how messages travel.
#[derive(Debug)]
pub(super) struct Ways {
    weather: Weather,
    dice: Dice,
    sent: BTreeMap<Op, u32>,
    planned: Vec<(Op, u32, Fate)>,
}

/// How one message travels.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    there: Duration,
    back: Duration,
    request_lost: bool,
    answer_lost: bool,
    doubled: bool,
}

impl Way {
    fn short() -> Self {
        let millisecond = Duration::from_millis(1);
        Self { there: millisecond, back: millisecond, ..Self::default() }
    }
}

impl Ways {
    pub fn new(weather: Weather, dice: Dice, mishaps: &[Mishap]) -> Self {
        let planned = mishaps.iter().filter_map(|mishap| match mishap {
            Mishap::Message(op, nth, fate) => Some((*op, *nth, *fate)),
            _ => None,
        });
        Self { weather, dice, sent: BTreeMap::new(), planned: planned.collect() }
    }

    /// From now on nothing goes wrong.
    pub fn calm(&mut self) {
        self.weather = Weather::default();
        self.planned.clear();
    }

    /// People sit at the ledger's own machine: only what was planned happens to what they say.
    fn next(&mut self, op: Op, owner: Owner) -> Way {
        let mut way = if owner == Owner::WORLD { Way::short() } else { self.drawn() };
        let sent = self.sent.entry(op).or_default();
        *sent += 1;
        for (_, _, fate) in self.planned.iter().filter(|(of, nth, _)| *of == op && nth == sent) {
            match fate {
                Fate::RequestLost => way.request_lost = true,
                Fate::AnswerLost => way.answer_lost = true,
                Fate::Doubled => way.doubled = true,
                Fate::Late(ms) => way.there += Duration::from_millis(*ms),
            }
        }
        way
    }

    fn drawn(&mut self) -> Way {
        let Weather { loss, doubled, late, late_ms } = self.weather.clone();
        let delay = |dice: &mut Dice| {
            let usual = Duration::from_micros(dice.between(50, 900));
            if dice.percent(late) { usual + dice.ms(0, late_ms) } else { usual }
        };
        let mut way = Way { there: delay(&mut self.dice), back: delay(&mut self.dice), ..Way::default() };
        way.request_lost = self.dice.percent(loss);
        way.answer_lost = self.dice.percent(loss);
        way.doubled = self.dice.percent(doubled);
        way
    }
}

/// The ledger as one process reaches it.
#[derive(Debug)]
pub struct NetStore {
    stage: Arc<Stage>,
    owner: Owner,
}

impl NetStore {
    /// The way of this process.
    pub(super) fn new(stage: &Arc<Stage>, owner: Owner) -> Self {
        Self { stage: stage.clone(), owner }
    }

    /// The message leaves at once; it arrives, and is done, whatever becomes of the process meanwhile.
    fn send<T: Send + 'static>(
        &self,
        op: Op,
        writes: bool,
        work: impl Fn(&Stage) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, StoreError>> {
        let (stage, owner) = (self.stage.clone(), self.owner);
        if !stage.passes(owner, Point::Asks(op)) {
            return Box::pin(std::future::pending());
        }
        let way = stage.ways().next(op, owner);
        let (reply, answer) = oneshot::channel();
        let net = stage.clone();
        stage.scheduler.spawn(Owner::WORLD, async move {
            let told = net.travel(way, writes, owner, op, work).await;
            let _ = reply.send(told);
        });
        Box::pin(async move {
            let told = answer.await.unwrap_or_else(|_| Err(lost(writes)));
            if stage.passes(owner, Point::Heard(op)) { told } else { std::future::pending().await }
        })
    }
}

impl Stage {
    async fn travel<T>(
        &self,
        way: Way,
        writes: bool,
        owner: Owner,
        op: Op,
        work: impl Fn(&Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if way.request_lost {
            self.scheduler.sleep(PATIENCE).await;
            return Err(lost(writes));
        }
        self.scheduler.sleep(way.there).await;
        if self.is_ledger_away() {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the ledger is away"));
        }
        let mut told = work(self);
        if way.doubled && writes {
            told = work(self);
        }
        self.passes(owner, Point::Done(op));
        if way.answer_lost {
            self.scheduler.sleep(PATIENCE).await;
            return Err(lost(writes));
        }
        self.scheduler.sleep(way.back).await;
        told
    }
}

fn lost(writes: bool) -> StoreError {
    let error = StoreError::new(StoreErrorKind::Unavailable, "the answer got lost");
    if writes { error.with_outcome_unknown() } else { error }
}

fn op_of(change: &Change) -> Op {
    match change.event.kind {
        EventKind::Claimed | EventKind::Reclaimed => Op::Claim,
        EventKind::Marked => Op::Mark,
        EventKind::Succeeded
        | EventKind::Failed
        | EventKind::Released
        | EventKind::Unknown
        | EventKind::Evidence => Op::Settle,
        _ => Op::Other,
    }
}

impl Upkeep for NetStore {
    fn sweep(&self, limit: usize) -> BoxFuture<'_, Result<Swept, StoreError>> {
        self.send(Op::Other, true, move |stage| stage.swept(limit))
    }

    fn condition(&self) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.send(Op::Other, false, |stage| block_on(stage.store().condition()))
    }

    fn accept_clock(&self, by: String, reason: String) -> BoxFuture<'_, Result<Condition, StoreError>> {
        self.send(Op::Other, true, move |stage| {
            block_on(stage.store().accept_clock(by.clone(), reason.clone()))
        })
    }

    fn count_deliveries(&self, tallies: Vec<(RecordId, Tally)>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.send(Op::Other, true, move |stage| block_on(stage.store().count_deliveries(tallies.clone())))
    }

    fn circuit(&self, name: String, change: Option<SharedChange>) -> BoxFuture<'_, Result<Seen, StoreError>> {
        self.send(Op::Other, true, move |stage| block_on(stage.store().circuit(name.clone(), change.clone())))
    }

    fn circuits(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(String, Shared)>, StoreError>> {
        self.send(Op::Read, false, move |stage| block_on(stage.store().circuits(after.clone(), limit)))
    }

    fn deliveries<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Deliveries>, StoreError>> {
        let id = id.clone();
        self.send(Op::Read, false, move |stage| block_on(stage.store().deliveries(&id)))
    }

    fn ledger_events(&self, limit: usize) -> BoxFuture<'_, Result<Vec<LedgerEvent>, StoreError>> {
        self.send(Op::Read, false, move |stage| block_on(stage.store().ledger_events(limit)))
    }
}

impl Store for NetStore {
    fn ledger(&self) -> &Ledger {
        self.stage.store().ledger()
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let id = id.clone();
        self.send(Op::Read, false, move |stage| block_on(stage.store().read(&id)))
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        self.send(op_of(&change), true, move |stage| stage.applied(&id, change.clone()))
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        self.send(Op::Renew, true, move |stage| {
            block_on(stage.store().renew(id.clone(), claim, epoch, lease))
        })
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        // A word that is refused is a holder's last one too, whether or not the notice of it arrives.
        event.claim.into_iter().for_each(|claim| self.stage.lives.settled(claim));
        self.send(Op::Other, true, move |stage| block_on(stage.store().notice(id.clone(), event.clone())))
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        let id = id.clone();
        self.send(Op::Read, false, move |stage| block_on(stage.store().events(&id)))
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        self.send(Op::Read, false, move |stage| block_on(stage.store().list(query.clone())))
    }
}
