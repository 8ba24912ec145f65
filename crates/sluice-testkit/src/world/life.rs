//! Processes that come and go, what they run, and people who look after it. The runtime in them is the real one.

use super::dice::Dice;
use super::handler::{Handled, Handler, Line};
use super::net::NetStore;
use super::plan::{Care, Delivered, Intended, Plan, Point, TargetPlan};
use super::ports::{self, Drawer, Host};
use super::scheduler::Owner;
use super::stage::Stage;
use super::target::{Reply, Request};
use crate::invariants::{Answer, Knowledge};
use crate::plants::How;
use sluice::{
    Asked, Ctx, Done, EffectSpec, Error, Failure, MarkAnswer, OnFailed, OnIndeterminate, Probe, Prober,
    Resolved, Sluice, TakenIn, Wait,
};
use sluice_core::decide::{Judgement, Ruling, VerdictStep};
use sluice_core::downstream::Profile;
use sluice_core::holder::Liveness;
use sluice_core::ids::{ClaimId, RecordId};
use sluice_core::key::{Key, Namespace, Request as Compared};
use sluice_core::outcome::{Kept, NotKept};
use sluice_core::ports::Witness;
use sluice_core::record::{Snapshot, Terms};
use sluice_core::retry::{Backoff, Budget, Retry};
use sluice_core::state::Status;
use sluice_core::store::Query;
use std::sync::{Arc, Mutex};
use std::time::Duration;

impl Plan {
    /// The intents by name.
    ///
    /// # Panics
    /// Where a plan names what is no name.
    pub fn ids(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.intents.iter().map(Intended::id)
    }
}

impl Intended {
    /// It by name.
    ///
    /// # Panics
    /// Where it is no name.
    pub fn id(&self) -> RecordId {
        let named = Namespace::new(self.namespace.as_str())
            .and_then(|namespace| Key::new(self.key.as_str()).map(|key| RecordId::new(namespace, key)));
        named.unwrap_or_else(|error| panic!("a plan names {self:?}: {error}"))
    }

    fn spec(&self, delivered: &Delivered, target: &TargetPlan) -> EffectSpec {
        let id = self.id();
        let terms = Terms {
            lease: self.lease,
            attempt_timeout: self.timeout,
            declares_marks: self.marks,
            repeatable: self.repeatable,
            remember: self.remember,
            ..Terms::default()
        };
        EffectSpec {
            namespace: Some(id.namespace),
            fingerprint: Some(Compared::bytes([delivered.request.to_string()])),
            terms,
            wait: if delivered.patience.is_zero() { Wait::No } else { Wait::For(delivered.patience) },
            on_duplicate: delivered.on_duplicate,
            retry: Retry { backoff: Backoff { tries: self.tries, ..Backoff::default() }, ..Retry::default() },
            downstream: self.by_key.then(|| profile(target)),
            on_indeterminate: match (self.probes, self.by_key && target.honours_keys.is_some()) {
                (true, _) => Some(OnIndeterminate::Probe),
                (false, true) => Some(OnIndeterminate::Reclaim),
                (false, false) => None,
            },
            on_failed: if delivered.reruns { OnFailed::Rerun } else { OnFailed::Replay },
            ..EffectSpec::new(id.key)
        }
    }
}

/// What a careful user knows of the target.
fn profile(target: &TargetPlan) -> Profile {
    Profile {
        name: "the target".to_owned(),
        header: Some("Idempotency-Key".to_owned()),
        remembers: target.honours_keys,
        replays_failures: target.replays_failures,
        ..Profile::default()
    }
}

/// Asks the target's books. While something is on its way nobody can tell.
fn prober(stage: &Arc<Stage>) -> Prober {
    let stage = stage.clone();
    Prober::new(move |asked: Asked| {
        let stage = stage.clone();
        async move {
            stage.scheduler.sleep(Duration::from_millis(50)).await;
            let receipt = stage.target().receipt(&asked.id, asked.epoch);
            Ok(match receipt {
                Some(receipt) => Probe::Landed(receipt),
                None if stage.is_on_its_way(&asked.id) => Probe::StillUnknown,
                None => {
                    // Noted before it is said: its answer can get lost.
                    stage.observer().cleared(&asked.id, asked.epoch);
                    Probe::DidNotLand
                }
            })
        }
    })
}

/// One process that lives.
#[derive(Clone)]
pub(super) struct Process {
    pub owner: Owner,
    pub sluice: Sluice,
}

impl Process {
    /// Starts a process. The first thing it does is to take in what earlier ones on its host could not write down.
    pub fn start(stage: &Arc<Stage>, owner: Owner, host: &Host) -> Self {
        // Mixed twice: streams that only begin at different places of one sequence would meet, and share claim ids.
        let seed = Dice::new(stage.plan.seed).bits() ^ Dice::new(!u64::from(owner.0)).bits();
        let ports = ports::ports(&stage.scheduler, owner, host, &stage.lives, seed);
        let store = Arc::new(NetStore::new(stage, owner));
        let mut builder = Sluice::open_shared(store).ports(ports).sweep_every(0);
        if let Some(reserve) = stage.plan.reserve.filter(|_| !matches!(stage.planted, Some(How::BudgetOff))) {
            builder = builder.retry_budget(Budget { reserve, per_second_milli: 0, ..Budget::default() });
        }
        if matches!(stage.planted, Some(How::BreakerOff)) {
            builder = builder.breaker(None);
        }
        let sluice = builder.build();
        stage.observer().started();
        let process = Self { owner, sluice };
        stage.scheduler.spawn(owner, process.clone().take_in(host.drawer.clone()));
        process
    }

    async fn take_in(self, drawer: Arc<Drawer>) {
        for unrecorded in drawer.take() {
            match self.sluice.take_in(unrecorded.clone()).await {
                Ok(TakenIn::Recorded | TakenIn::Refused) => {}
                Ok(TakenIn::Unheard) | Err(_) => drawer.put(unrecorded),
            }
        }
    }

    /// Takes in what its host keeps, and lapses what has ended.
    pub fn recover(&self, stage: &Arc<Stage>, host: &Host) {
        let (process, drawer) = (self.clone(), host.drawer.clone());
        stage.scheduler.spawn(self.owner, async move {
            process.clone().take_in(drawer).await;
            let _ = process.sluice.recover().await;
        });
    }

    /// Delivers an intent to it.
    pub fn deliver(&self, stage: &Arc<Stage>, delivered: &Delivered, handler: Option<Handler>) {
        let intended = stage.plan.intents[delivered.intent].clone();
        let (stage, delivered, process) = (stage.clone(), delivered.clone(), self.clone());
        stage.clone().scheduler.spawn(self.owner, async move {
            let (id, mut spec, owner) =
                (intended.id(), intended.spec(&delivered, &stage.plan.target), process.owner);
            if matches!(stage.planted, Some(How::NoFingerprint)) {
                spec.fingerprint = None;
            }
            if let (Some(How::WindowIgnored), Some(target)) = (stage.planted, &mut spec.downstream) {
                target.remembers = target.remembers.map(|remembers| remembers * 1000);
            }
            let prober = intended.probes.then(|| prober(&stage));
            let used: Arc<Mutex<Vec<ClaimId>>> = Arc::default();
            let marker = process.sluice.clone();
            let (acting, asked, claims) = (stage.clone(), delivered.request, used.clone());
            let effect = move |ctx: Ctx| {
                let (stage, intended, claim) = (acting.clone(), intended.clone(), ctx.claim());
                let marker = marker.clone();
                super::lock(&claims).push(claim);
                async move {
                    stage.lives.runs(claim);
                    let ended = effect(&stage, &marker, owner, intended, asked, ctx).await;
                    stage.lives.ran(claim);
                    ended
                }
            };
            let told = match handler {
                None => process.sluice.run_probing::<String, _, _>(spec, prober, effect).await,
                Some(handler) => {
                    let line = Line::new(&stage, owner, id.clone(), delivered.request);
                    let ended = handler(Handled { sluice: process.sluice, spec, line: line.clone() }).await;
                    line.hangs_up();
                    ended
                }
            };
            for claim in super::lock(&used).drain(..) {
                stage.lives.settled(claim);
            }
            let told = answer(&told);
            stage.says(format_args!("{id} is told {told:?} by process {}", owner.0));
            stage.observer().told(&id, delivered.request, &told);
        });
    }
}

impl Process {
    /// Acts on a delivery as a handler without a ledger does: again where it hears nothing good, three times at most, with
    /// a key of its own for each delivery.
    pub fn act_naively(&self, stage: &Arc<Stage>, delivered: &Delivered) {
        let intended = stage.plan.intents[delivered.intent].clone();
        let (stage, owner) = (stage.clone(), self.owner);
        stage.clone().scheduler.spawn(owner, async move {
            let id = intended.id();
            for tried in 1..=3 {
                stage.scheduler.sleep(stage.draw_ms(intended.think_ms)).await;
                let request = stage.naive_request(&id);
                stage.reaches(owner, Point::Acts).await;
                let reply = stage.act(request);
                stage.reaches(owner, Point::Acted).await;
                match reply.await.ok().flatten() {
                    Some(Reply::Receipt(_) | Reply::Declined) => return,
                    Some(Reply::Down) | None => stage.scheduler.sleep(Duration::from_secs(1 << tried)).await,
                }
            }
        });
    }
}

fn answer(result: &Result<Done<String>, Error>) -> Answer {
    match result {
        Ok(Done::Executed(receipt) | Done::Replayed(receipt, _)) => Answer::Done(Some(receipt.clone())),
        Ok(Done::WithoutValue(_)) => Answer::Done(None),
        Err(error) if error.did_not_happen() => Answer::DidNotHappen(error.details().epoch),
        Err(error) => Answer::Other(error.code().as_str()),
    }
}

/// The effect as a careful user writes it: it marks, looks whether it may still act, acts, and says what it knows.
async fn effect(
    stage: &Arc<Stage>,
    marker: &Sluice,
    owner: Owner,
    intended: Intended,
    asked: u32,
    ctx: Ctx,
) -> Result<String, Failure> {
    stage.observer().begun();
    stage.reaches(owner, Point::Begins).await;
    let think = stage.draw_ms(intended.think_ms);
    stage.scheduler.sleep(think).await;
    if intended.marks && intended.marks_outside {
        match marker.mark(&intended.id(), ctx.claim(), ctx.epoch()).await {
            Ok(MarkAnswer::Marked) => {}
            // The command ends with a status that says nothing.
            Ok(MarkAnswer::Lost) | Err(_) => return Err(Failure::unclassified("no mark")),
        }
    } else if intended.marks {
        ctx.mark().await.map_err(Failure::not_begun)?;
    }
    stage.reaches(owner, Point::Acts).await;
    ctx.may_send().map_err(Failure::not_begun)?;
    let request = Request {
        id: intended.id(),
        claim: ctx.claim(),
        epoch: ctx.epoch(),
        key: ctx.downstream_key().to_owned(),
        asked,
    };
    let reply = stage.act(request.clone());
    stage.reaches(owner, Point::Acted).await;
    let reply = reply.await.ok().flatten();
    stage.reaches(owner, Point::Answered).await;
    if let Some(Reply::Receipt(_) | Reply::Declined) = reply {
        stage.observer().answered();
    }
    let (knowledge, said) = match reply {
        Some(Reply::Receipt(receipt)) => (Knowledge::Landed, Ok(receipt)),
        Some(Reply::Declined) => (Knowledge::DidNotLand, Err(Failure::permanent("declined").from_target())),
        Some(Reply::Down) => (Knowledge::DidNotLand, Err(Failure::transient("down"))),
        None if matches!(stage.planted, Some(How::SilenceIsNo)) => {
            (Knowledge::Unknown, Err(Failure::transient("no answer")))
        }
        None if intended.marks_outside => (Knowledge::Unknown, Err(Failure::unclassified("no answer"))),
        None => (Knowledge::Unknown, Err(Failure::unknown("no answer"))),
    };
    stage.learns(&request, knowledge);
    said
}

/// A person with a ledger and what its machine shows of holders.
pub(super) struct Person {
    pub sluice: Sluice,
    pub witness: Arc<dyn Witness>,
}

impl Person {
    fn sees_alive(&self, found: &Snapshot) -> bool {
        matches!(self.witness.judge(&found.record.body.holder), Liveness::Alive(_))
    }
}

/// A person who lists what nobody knows and says what is true, or not.
pub(super) async fn operate(stage: Arc<Stage>, operator: Person, care: Care) {
    let statuses = match care {
        // Whoever reopens is in a hurry, and tries it with whatever has ended.
        Care::Reopens => vec![Status::Failed, Status::Released, Status::Succeeded],
        _ => vec![Status::Indeterminate],
    };
    let query = Query { statuses, limit: 100, ..Query::default() };
    let Ok(page) = operator.sluice.store().list(query).await else { return };
    for found in page.items {
        if care == Care::Reopens {
            for _ in 0..2 {
                let _ = operator.sluice.reopen(&found.record.id, "ada", "the reason is gone").await;
            }
            continue;
        }
        for epoch in found.record.body.unresolved.epochs() {
            judge(&stage, &operator, &found, epoch, care).await;
        }
    }
}

/// How often an honest person comes back to a record that is not quiet yet.
const PATIENCE: u32 = 200;

async fn judge(
    stage: &Arc<Stage>,
    operator: &Person,
    found: &Snapshot,
    epoch: sluice_core::ids::Epoch,
    care: Care,
) {
    let id = &found.record.id;
    for _ in 0..PATIENCE {
        // `explain` tells where something of the last holder still runs; then a look is too early.
        if care != Care::Wrong && operator.sees_alive(found) {
            stage.scheduler.sleep(Duration::from_secs(1)).await;
            continue;
        }
        // Looked at anew each time: what was on its way may have arrived.
        let truth = stage.target().landings(id).iter().any(|landing| landing.request.epoch == epoch);
        let said = if care == Care::Wrong { !truth } else { truth };
        let judgement =
            if said { Judgement::Landed(Kept::absent(NotKept::NeverGiven)) } else { Judgement::DidNotLand };
        let ruling = Ruling {
            epoch: Some(epoch),
            judgement,
            by: "ada".to_owned(),
            reason: "looked".to_owned(),
            force: care == Care::Wrong,
        };
        // A word that may be taken is noted before it is given: its answer can get lost.
        if !said && care != Care::Wrong && !stage.is_on_its_way(id) {
            stage.observer().cleared(id, epoch);
        }
        match operator.sluice.resolve(id, &ruling).await {
            Ok(Resolved::Refused(step, _)) => {
                let pause = match *step {
                    VerdictStep::NotQuiet(left) => left,
                    VerdictStep::HolderLives(_) => Duration::from_secs(2),
                    _ => return,
                };
                stage.observer().not_cleared(id, epoch);
                stage.scheduler.sleep(pause).await;
            }
            Ok(_) if care == Care::Twice => {
                says_again(operator, id, ruling).await;
                return;
            }
            Ok(_) => return,
            Err(_) => stage.scheduler.sleep(Duration::from_secs(1)).await,
        }
    }
}

/// The same verdict comes again, and then somebody says the opposite without overruling anything: neither may change
/// what was decided.
async fn says_again(operator: &Person, id: &RecordId, ruling: Ruling) {
    let _ = operator.sluice.resolve(id, &ruling).await;
    let judgement = match ruling.judgement {
        Judgement::DidNotLand => Judgement::Landed(Kept::absent(NotKept::NeverGiven)),
        Judgement::Landed(_) => Judgement::DidNotLand,
    };
    let _ = operator.sluice.resolve(id, &Ruling { judgement, ..ruling }).await;
}
