//! `sluice run`: any command, once per intent.

mod answer;
pub mod args;
mod classify;
mod deliver;
mod document;
pub mod downstream;
mod effect;
mod moment;
pub mod probe;
pub mod result;
mod spec;
pub mod witness;

use crate::child::locks::Locks;
use crate::child::signals::listen;
use crate::contract::{Contracted, contracted};
use crate::crash::{Moment, reach};
use crate::exit;
use crate::open::place;
use crate::report::Fail;
use crate::spool::Spool;
use crate::warnings;
use answer::Answer;
use args::RunArgs;
use deliver::deliver;
use document::OutcomeFile;
use effect::Performer;
use serde_json::Value;
use sluice::core::ids::RecordId;
use sluice::core::key::JsonPointer;
use sluice::core::record::Record;
use sluice::{Done, EffectSpec, Error, Sluice, TakenIn};
use std::sync::Arc;
use std::time::Duration;
use witness::CommandWitness;

/// Room for two kept streams in their worst JSON form.
const RESULT_LIMIT: usize = 16 * 1024 * 1024;

/// How long a command may go on after its output, to count its delivery and to sweep.
const TIDY: Duration = Duration::from_millis(200);

pub async fn run(mut args: RunArgs) -> Result<u8, Fail> {
    let outcome = OutcomeFile::ready(args.outcome.as_deref())?;
    let contracted = contracted(&mut args);
    let args = Arc::new(args);
    let attempted = match contracted {
        Ok(contracted) => attempt(&args, contracted.as_ref()).await,
        Err(fail) => Err(fail),
    };
    match attempted {
        Ok((answer, sluice)) => {
            let status = answer.give(outcome);
            reach(Moment::Answered);
            // After the output: whoever waits for it has it by now.
            sluice.tidy(TIDY).await;
            Ok(status)
        }
        Err(fail) => {
            let status = fail.report();
            document::failed(&args, &fail, status, outcome);
            Ok(status)
        }
    }
}

async fn attempt(args: &Arc<RunArgs>, contracted: Option<&Contracted>) -> Result<(Answer, Sluice), Fail> {
    let place = place(args.store.store.as_deref())?;
    let object_id = args.object_id.as_deref().map(JsonPointer::parse).transpose()?;
    let wanted = spec::wanted(args, contracted)?;
    let warn = if args.key.is_some() { warnings::of_key } else { warnings::of_parts };
    warn(&wanted.suspicions);
    let (mut waiting, command) =
        listen().map_err(|_| Fail::Status(exit::BUG, "signals cannot be heard".to_owned()))?;
    let store = place.open_or_make().await?;
    let locks = Locks::beside(store.path());
    let witness =
        Arc::new(CommandWitness::new(locks.clone(), args.command.clone(), Performer::records(args)));
    let mut ports = sluice::system::ports();
    ports.witness = witness.clone();
    // Without a state folder an outcome that the ledger does not take stays in the message alone.
    let spool = Spool::of_store(&store);
    if let Some(spool) = &spool {
        ports.evidence = Arc::new(spool.clone());
    }
    let builder = Sluice::open_shared(store).ports(ports).result_limit(RESULT_LIMIT);
    let sluice = builder.settle_patience(args.settle_for).build();
    if let Some(spool) = &spool {
        take_in(&sluice, spool).await;
    }
    let performer = Arc::new(Performer::new(witness, place.url(), args.clone(), object_id, wanted.stdin));
    let result = deliver(&sluice, wanted.spec.clone(), &performer, &mut waiting, command).await?;
    reach(Moment::Settled);
    // A claim that nobody heard of is being given back; its lock proves until then that nothing runs.
    let unheard = sluice.running() > 0 && sluice.drain(args.settle_for).await > 0;
    performer.put_away();
    performer.witness.put_away(unheard);
    let record = record_now(&sluice, args, &wanted.spec, &result).await;
    let pid = record.as_ref().and_then(|record| locks.seen_alive(&record.body.holder));
    performer.passed_on(&mut waiting).await;
    let result = result.map_err(|error| error.with(|about| about.pid = about.pid.or(pid)));
    let answer = Answer::new(args.clone(), wanted.spec, wanted.suspicions, result, record, performer.ran());
    Ok((answer, sluice))
}

/// The record as it is after the delivery, where the answer needs it.
async fn record_now(
    sluice: &Sluice,
    args: &RunArgs,
    spec: &EffectSpec,
    result: &Result<Done<Value>, Error>,
) -> Option<Record> {
    if !(args.json || args.outcome.is_some() || args.marked || result.is_err()) {
        return None;
    }
    let id = RecordId::new(spec.namespace.clone().unwrap_or_default(), spec.key.clone());
    Some(sluice.look(&id).await.ok()??.record)
}

/// Takes in what earlier runs could not write down. Each is offered once, and the first sign of a ledger in trouble ends
/// it: this delivery must not wait for others.
pub async fn take_in(sluice: &Sluice, spool: &Spool) -> usize {
    let mut taken = 0;
    for (path, unrecorded) in spool.waiting() {
        match sluice.take_in(unrecorded).await {
            Ok(TakenIn::Recorded | TakenIn::Refused) => {
                taken += 1;
                drop(std::fs::remove_file(path));
            }
            Ok(TakenIn::Unheard) => {}
            Err(_) => break,
        }
    }
    taken
}
