//! Runs one delivery, and listens to signals while it waits for others.

use super::effect::Performer;
use super::probe::prober;
use crate::child::signals::Arriving;
use crate::exit;
use crate::report::Fail;
use serde_json::Value;
use sluice::{Done, EffectSpec, Error, Sluice};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How often a signal that was meant for a command is thought over, in case the command never came to run.
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// Runs the delivery. With a claim under way a signal is the command's; without one there is only waiting to end.
pub async fn deliver(
    sluice: &Sluice,
    spec: EffectSpec,
    performer: &Arc<Performer>,
    waiting: &mut Arriving,
    command: Arriving,
) -> Result<Result<Done<Value>, Error>, Fail> {
    let effect = {
        let performer = performer.clone();
        // Attempts follow each other, so that none waits for the next.
        let arriving = Arc::new(Mutex::new(command));
        move |ctx| {
            let (performer, arriving) = (performer.clone(), arriving.clone());
            async move { performer.perform(ctx, &mut *arriving.lock().await).await }
        }
    };
    let prober = performer.args.probe.as_deref().map(|command| prober(command).0);
    let run = sluice.run_probing(spec, prober, effect);
    tokio::pin!(run);
    let mut asked_to_end = false;
    loop {
        tokio::select! {
            biased;
            result = &mut run => return Ok(result),
            _ = waiting.next_ending() => asked_to_end = true,
            () = tokio::time::sleep(SECOND_THOUGHT), if asked_to_end => {}
        }
        if asked_to_end && sluice.running() == 0 {
            let said = "ended by a signal while waiting; nothing was run for this delivery";
            return Err(Fail::Status(exit::AGAIN, said.to_owned()));
        }
    }
}
