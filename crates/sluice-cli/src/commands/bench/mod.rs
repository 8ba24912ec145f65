//! `sluice bench`: how fast this ledger is at this place, beside what the place itself can do.

mod args;
mod figures;
mod floor;
mod latency;
mod load;
mod machine;
mod measure;
mod rounds;
mod scratch;
mod show;
mod subject;

pub use args::BenchArgs;

use crate::child::signals;
use crate::exit;
use crate::report::{Fail, say};
use figures::Figures;
use scratch::Scratch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// Measures, prints, and leaves nothing behind.
pub async fn bench(args: BenchArgs) -> Result<u8, Fail> {
    let mut signals = signals::ending().map_err(|_| bug("signals cannot be heard"))?;
    let scratch = Scratch::make(args.store.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    let over = begin(&args, &scratch, &stop)?;
    tokio::pin!(over);
    let figures = loop {
        tokio::select! {
            biased;
            figures = &mut over => break figures.unwrap_or_else(|_| Err(bug("the measurement broke down"))),
            // The measurement ends at the next effect; a second signal does not wait for it.
            _ = signals.next_ending() => if stop.swap(true, Ordering::SeqCst) { break Err(interrupted()) },
        }
    };
    scratch.remove();
    let figures = figures?;
    if args.json {
        crate::report::tell!("{}", figures.document());
    } else {
        crate::report::tell!("{}", show::table(&figures));
    }
    Ok(exit::OK)
}

/// How long a flush takes in this folder, in milliseconds, half of the times; none where nothing can be written there.
pub fn flush_ms(folder: &std::path::Path) -> Option<f64> {
    let scratch = tempfile::Builder::new().prefix(".sluice-flush-").tempdir_in(folder).ok()?;
    let limits =
        load::Limits { length: std::time::Duration::from_millis(200), calls: 50, stop: Arc::default() };
    Some(machine::flush(scratch.path(), &limits).ok()?.latency.p50_ms)
}

/// Measures on a thread of its own, so that signals are heard however busy the machine is.
fn begin(
    args: &BenchArgs,
    scratch: &Scratch,
    stop: &Arc<AtomicBool>,
) -> Result<oneshot::Receiver<Result<Figures, Fail>>, Fail> {
    let plan = measure::Plan::new(args, scratch.place(), stop.clone());
    let (done, over) = oneshot::channel();
    let work = move || drop(done.send(plan.carry_out()));
    match std::thread::Builder::new().name("sluice-bench".to_owned()).spawn(work) {
        Ok(_) => Ok(over),
        Err(_) => Err(Fail::Status(exit::AWAY, "there are not enough threads to measure".to_owned())),
    }
}

fn bug(said: &str) -> Fail {
    Fail::Status(exit::BUG, said.to_owned())
}

fn interrupted() -> Fail {
    Fail::Status(exit::AGAIN, "ended by a signal; nothing was measured and nothing is left behind".to_owned())
}

/// Says what is going on, to whoever watches.
fn progress(said: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        say(said);
    }
}
