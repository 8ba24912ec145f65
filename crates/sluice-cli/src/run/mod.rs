//! `sluice run`: any command, once per intent.

mod answer;
pub mod args;
mod classify;
mod document;
mod effect;
pub mod result;
mod spec;
pub mod witness;

use crate::child::locks::Locks;
use crate::child::signals::{Arriving, listen};
use crate::open::{place, state_folder};
use crate::report::{Fail, say};
use crate::spool::Spool;
use args::RunArgs;
use effect::Performer;
use serde_json::Value;
use sluice::core::ids::RecordId;
use sluice::core::key::JsonPointer;
use sluice::core::record::Record;
use sluice::core::store::Store;
use sluice::{Done, EffectSpec, Error, Sluice};
use std::sync::Arc;
use witness::CommandWitness;

/// Room for two kept streams in their worst JSON form.
const RESULT_LIMIT: usize = 16 * 1024 * 1024;

pub async fn run(args: RunArgs) -> Result<u8, Fail> {
    let place = place(args.store.store.as_deref())?;
    let object_id = args.object_id.as_deref().map(JsonPointer::parse).transpose()?;
    let wanted = spec::wanted(&args)?;
    let (waiting, command) =
        listen().map_err(|_| Fail::Status(crate::exit::BUG, "signals cannot be heard".to_owned()))?;
    let store = place.open_or_make().await?;
    let args = Arc::new(args);
    let locks = Locks::beside(&place.path);
    let witness = Arc::new(CommandWitness::new(locks, args.command.clone(), Performer::records(&args)));
    let mut ports = sluice::system::ports();
    ports.witness = witness.clone();
    // Without a state folder an outcome that the ledger does not take stays in the message alone.
    let spool = state_folder().ok().map(|folder| Spool::of(&folder, &store.ledger().id));
    if let Some(spool) = &spool {
        ports.evidence = Arc::new(spool.clone());
    }
    let sluice = Sluice::open_shared(store)
        .ports(ports)
        .result_limit(RESULT_LIMIT)
        .settle_patience(args.settle_for)
        .build();
    if let Some(spool) = &spool {
        take_in(&sluice, spool).await;
    }
    let performer = Arc::new(Performer::new(witness, place.url(), args.clone(), object_id, wanted.stdin));
    let Some(result) = deliver(&sluice, wanted.spec.clone(), &performer, waiting, command).await else {
        return Ok(crate::exit::AGAIN);
    };
    let record = record_now(&sluice, &args, &wanted.spec).await;
    answer::Answer::new(&args, &wanted.spec, result, record, performer.ran()).give()
}

/// The record as it is after the delivery, where the answer needs it.
async fn record_now(sluice: &Sluice, args: &RunArgs, spec: &EffectSpec) -> Option<Record> {
    if !(args.json || args.outcome.is_some() || args.marked) {
        return None;
    }
    let id = RecordId::new(spec.namespace.clone().unwrap_or_default(), spec.key.clone());
    Some(sluice.look(&id).await.ok()??.record)
}

/// Runs the delivery. A signal that arrives while nothing was claimed ends the waiting; `None` then.
async fn deliver(
    sluice: &Sluice,
    spec: EffectSpec,
    performer: &Arc<Performer>,
    mut waiting: Arriving,
    command: Arriving,
) -> Option<Result<Done<Value>, Error>> {
    let effect = {
        let performer = performer.clone();
        let mut arriving = Some(command);
        move |ctx| {
            let performer = performer.clone();
            let arriving = arriving.take();
            async move {
                match arriving {
                    Some(arriving) => performer.perform(ctx, arriving).await,
                    None => Err(sluice::Failure::not_started("a command is started once for each delivery")),
                }
            }
        }
    };
    let run = sluice.run(spec, effect);
    tokio::pin!(run);
    let result = loop {
        tokio::select! {
            biased;
            result = &mut run => break result,
            _ = waiting.next_ending() => {
                // With a claim under way the signal is the command's; without one there is only waiting to end.
                if sluice.running() == 0 {
                    say("ended by a signal while waiting; nothing was run for this delivery");
                    return None;
                }
            }
        }
    };
    performer.witness.put_away();
    Some(result)
}

/// Takes in what earlier runs could not write down.
async fn take_in(sluice: &Sluice, spool: &Spool) {
    for (path, unrecorded) in spool.waiting() {
        if let Ok(true) = sluice.take_in(unrecorded).await {
            let _ = std::fs::remove_file(path);
        }
    }
}
