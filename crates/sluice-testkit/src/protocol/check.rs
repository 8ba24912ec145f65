//! What must be true, judged by the model's own account of what really happened and never by the rules it checks.

use super::bounds::Effect;
use super::compact::Rec;
use super::core_rules::shows_double_effect;
use super::rules::{Ask, Reply};
use super::state::{Cause, Grant, Request, State, Target, Truth, Worker};
use super::world::{Violation, World};
use sluice_core::decide::Answer;
use sluice_core::state::Status;

type Checked = Result<(), Violation>;

fn demand(holds: bool, broken: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(broken()) }
}

/// What must be true of a change that is about to be written.
pub(super) fn change(state: &State, request: &Request, before: Option<&Rec>, effect: Effect) -> Checked {
    let after = &request.edit.set;
    let truth = state.truth(request.intent);
    if request.cause == Cause::Claim {
        granted(truth, after)?;
    }
    let Some(before) = before else {
        return demand(request.cause == Cause::Claim, || "a record without a claim".into());
    };
    demand(after.epoch == before.epoch || request.cause == Cause::Claim, || {
        format!("epoch {} became epoch {} without a claim", before.epoch, after.epoch)
    })?;
    demand(before.status != Status::Succeeded || after.status == Status::Succeeded, || {
        "a success did not stay one".into()
    })?;
    lapsed(state, request, before)?;
    let reclaimed = request.cause == Cause::Claim && effect.repeatable;
    let by_word = matches!(request.cause, Cause::Word(..) | Cause::Verdict { .. });
    demand(
        before.status != Status::Indeterminate
            || after.status == Status::Indeterminate
            || by_word
            || reclaimed,
        || format!("indeterminate became {} by neither a word nor a verdict nor a reclaim", after.status),
    )?;
    let mut forgotten = before.doubts().filter(|epoch| !after.doubts_about(*epoch));
    let stray =
        forgotten.find(|epoch| !may_resolve(request.cause, *epoch) && after.status != Status::Succeeded);
    demand(stray.is_none(), || format!("the doubt about epoch {} vanished", stray.unwrap_or_default()))
}

/// A claim id is granted once, and so is an epoch.
fn granted(truth: &Truth, after: &Rec) -> Checked {
    let mut grants = truth.grants.iter();
    demand(grants.clone().all(|grant| grant.epoch != after.epoch), || {
        format!("epoch {} is granted a second time", after.epoch)
    })?;
    demand(grants.all(|grant| grant.claim != after.claim), || {
        format!("claim {} is granted a second time", after.claim)
    })
}

/// Only a lease that ended lapses, or one of which nothing lives any more.
fn lapsed(state: &State, request: &Request, before: &Rec) -> Checked {
    let holder = state.grant(request.intent, before.claim);
    let may_lapse = holder.is_some_and(|grant| !grant.live || !state.lives(request.intent, grant.claim));
    demand(request.cause != Cause::Lapse || may_lapse, || "a live lease lapsed under a living holder".into())
}

/// Whether that cause may settle that epoch's doubt.
fn may_resolve(cause: Cause, doubted: u8) -> bool {
    match cause {
        Cause::Word(epoch, _) | Cause::Verdict { epoch, .. } => epoch == doubted,
        _ => false,
    }
}

/// What must be true of every state.
pub(super) fn state(world: &World<'_>, state: &State) -> Checked {
    for worker in &state.workers {
        known_to_hold(state, worker)?;
    }
    for intent in world.intents() {
        let named = |broken: String| format!("intent {}: {broken}", super::moves::name(intent));
        record(world, state, intent).and_then(|()| answers(world, state, intent)).map_err(named)?;
    }
    Ok(())
}

/// Whoever believes that it holds a claim was granted it, at that epoch.
fn known_to_hold(state: &State, worker: &Worker) -> Checked {
    let (Worker::Holding { intent, claim, epoch, .. } | Worker::Speaking { intent, claim, epoch, .. }) =
        worker
    else {
        return Ok(());
    };
    let granted = state.grant(*intent, *claim).is_some_and(|grant| grant.epoch == *epoch);
    demand(granted, || {
        format!("delivery {claim} believes that it holds epoch {epoch}, which it was never granted")
    })
}

fn record(world: &World<'_>, state: &State, intent: u8) -> Checked {
    let (truth, effect) = (state.truth(intent), world.effect(intent));
    let landings = truth.grants.iter().filter(|grant| grant.target == Target::Landed).count();
    demand(landings < 2 || effect.repeatable || truth.lied, || format!("it landed {landings} times"))?;
    let Some(found) = &state.row(world.rules.row(intent)).record else {
        return demand(truth.grants.is_empty(), || "a grant without a record".into());
    };
    told(truth, found, effect)?;
    if truth.lied {
        return Ok(());
    }
    match found.status {
        Status::Succeeded => demand(landings > 0, || "it succeeded, and nothing landed".into())?,
        Status::Failed | Status::Released => nothing_happened(state, intent, found, truth, effect)?,
        Status::InFlight | Status::Indeterminate => remembered(state, intent, found, truth, effect)?,
    }
    let untrue = found.landed().find(|epoch| !has_landed(truth, *epoch));
    demand(untrue.is_none(), || format!("the ledger says that epoch {} landed", untrue.unwrap_or_default()))
}

/// What the ledger was told of landings it shows, and two of them as a double effect.
fn told(truth: &Truth, found: &Rec, effect: Effect) -> Checked {
    let told = || truth.grants.iter().filter(|grant| grant.told);
    let lost = told().find(|grant| !found.knows_landed(grant.epoch));
    demand(lost.is_none(), || "the ledger was told of a success and does not show it".into())?;
    demand(told().count() < 2 || shows_double_effect(found, effect), || {
        "two landings are known, and no double effect is shown".into()
    })
}

/// Nothing landed, and nothing may land any more.
fn nothing_happened(state: &State, intent: u8, found: &Rec, truth: &Truth, effect: Effect) -> Checked {
    for grant in &truth.grants {
        let Grant { epoch, .. } = grant;
        demand(grant.target != Target::Landed, || format!("{}, and epoch {epoch} landed", found.status))?;
        demand(!may_land(state, intent, *grant, effect), || {
            format!("{}, and epoch {epoch} may still land", found.status)
        })?;
    }
    Ok(())
}

/// Whatever landed or may land is known, in doubt, or the one that runs; and what is indeterminate can be resolved.
fn remembered(state: &State, intent: u8, found: &Rec, truth: &Truth, effect: Effect) -> Checked {
    for grant in &truth.grants {
        let epoch = grant.epoch;
        let runs = found.status == Status::InFlight && epoch == found.epoch;
        let known = found.knows_landed(epoch) || found.doubts_about(epoch) || runs;
        let lands = may_land(state, intent, *grant, effect);
        demand(known || !(grant.target == Target::Landed || lands), || {
            format!("epoch {epoch} landed or may land, and the ledger has forgotten it")
        })?;
        demand(runs || found.status == Status::Indeterminate || !lands, || {
            format!("epoch {} runs while epoch {epoch} may still land", found.epoch)
        })?;
    }
    demand(found.status != Status::Indeterminate || found.doubts().next().is_some(), || {
        "indeterminate without an epoch that a verdict could be about".into()
    })
}

fn has_landed(truth: &Truth, epoch: u8) -> bool {
    truth.grants.iter().any(|grant| grant.epoch == epoch && grant.target == Target::Landed)
}

/// Whether an execution may still take hold: it is under way, or its holder may begin it.
fn may_land(state: &State, intent: u8, grant: Grant, effect: Effect) -> bool {
    let may_begin = |worker: &Worker| matches!(worker, Worker::Holding { claim, stop: false, .. } if *claim == grant.claim);
    let untouched = grant.target == Target::Untouched && grant.live && !effect.marks;
    let held = || state.workers.iter().any(|worker| worker.intent() == Some(intent) && may_begin(worker));
    grant.target == Target::UnderWay || untouched && held()
}

/// What a delivery that arrives now hears is true, and so is what one hears that waited for any epoch.
fn answers(world: &World<'_>, state: &State, intent: u8) -> Checked {
    let truth = state.truth(intent);
    if truth.lied {
        return Ok(());
    }
    for proof in world.proofs(state, intent) {
        let heard = world.look(state, intent, Ask::Arrive { claim: u8::MAX, proof });
        let all = |state: &State| truth.grants.iter().all(|grant| is_harmless(world, state, intent, *grant));
        honest(heard, truth, all(state), "arrives")?;
        for grant in &truth.grants {
            let heard = world.look(state, intent, Ask::Waiting { bound: grant.epoch, proof });
            honest(heard, truth, is_harmless(world, state, intent, *grant), "waited")?;
        }
    }
    Ok(())
}

fn is_harmless(world: &World<'_>, state: &State, intent: u8, grant: Grant) -> bool {
    grant.target != Target::Landed && !may_land(state, intent, grant, world.effect(intent))
}

/// Judges an answer: a success landed, and what is said not to have happened did not and will not.
fn honest(heard: Reply, truth: &Truth, harmless: bool, who: &str) -> Checked {
    let Reply::Answer(answer) = heard else { return Ok(()) };
    let holds = match answer {
        Answer::Replay | Answer::AlreadyProcessed => {
            truth.grants.iter().any(|grant| grant.target == Target::Landed)
        }
        Answer::Released | Answer::Failed { .. } => harmless,
        _ => true,
    };
    demand(holds, || format!("a delivery that {who} hears {answer:?}, which is not true"))
}

/// Whether nothing is left to do: every intent is settled, and nobody is busy.
pub(super) fn is_settled(state: &State) -> bool {
    let settled = |status| matches!(status, Status::Succeeded | Status::Failed | Status::Released);
    let rows = state.rows.iter().all(|row| row.record.is_none_or(|found| settled(found.status)));
    rows && state.workers.iter().all(|worker| *worker == Worker::Idle) && state.spool.is_empty()
}
