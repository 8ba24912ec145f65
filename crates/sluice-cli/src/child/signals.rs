//! Signals that people and supervisors send to `sluice run`.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Ends the command: interrupt, terminate, hang-up.
const ENDING: [SignalKind; 3] = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];

/// Begins to listen. From here on the signals no longer end this process by themselves.
///
/// Two listeners hear every signal: whoever waits for others, and whoever follows the command. Both exist from the
/// start, so that neither misses what came before it looked.
pub fn listen() -> std::io::Result<(Arriving, Arriving)> {
    let (to_waiting, waiting) = mpsc::unbounded_channel();
    let (to_command, command) = mpsc::unbounded_channel();
    let stop = SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw());
    // A limit on file sizes must show as an error of the write that it stops, not as our death in mid-effect.
    let mut too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    tokio::spawn(async move { while too_large.recv().await.is_some() {} });
    let ignored = ignored();
    for kind in ENDING.into_iter().chain([stop]) {
        // Whoever started us with a signal ignored, as nohup does, wants it ignored.
        if is_in(ignored, kind) {
            continue;
        }
        let mut arriving = signal(kind)?;
        let (to_waiting, to_command) = (to_waiting.clone(), to_command.clone());
        tokio::spawn(async move {
            while arriving.recv().await.is_some() {
                // A listener that is gone has no more use for it.
                let _ = to_waiting.send(kind.as_raw_value());
                let _ = to_command.send(kind.as_raw_value());
            }
        });
    }
    Ok((Arriving(waiting), Arriving(command)))
}

/// Begins to listen to the signals that ask for the end, for a command that has no child. Ctrl-Z still stops it.
pub fn ending() -> std::io::Result<Arriving> {
    let (to_waiting, waiting) = mpsc::unbounded_channel();
    let ignored = ignored();
    for kind in ENDING.into_iter().filter(|kind| !is_in(ignored, *kind)) {
        let mut arriving = signal(kind)?;
        let to_waiting = to_waiting.clone();
        tokio::spawn(async move {
            while arriving.recv().await.is_some() {
                // A listener that is gone has no more use for it.
                let _ = to_waiting.send(kind.as_raw_value());
            }
        });
    }
    Ok(Arriving(waiting))
}

fn is_in(mask: u64, kind: SignalKind) -> bool {
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}

/// The signals that this process was started with ignored, one bit each.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or_default()
}

/// A listener's own queue of signals.
#[derive(Debug)]
pub struct Arriving(mpsc::UnboundedReceiver<i32>);

impl Arriving {
    /// The next signal.
    pub async fn next(&mut self) -> i32 {
        match self.0.recv().await {
            Some(number) => number,
            // Every signal is ignored, so none will come.
            None => std::future::pending().await,
        }
    }

    /// The next signal that asks for the end.
    pub async fn next_ending(&mut self) -> i32 {
        loop {
            let number = self.next().await;
            if is_ending(number) {
                return number;
            }
        }
    }

    /// A signal that asks for the end and has arrived already.
    pub fn pending_ending(&mut self) -> Option<i32> {
        std::iter::from_fn(|| self.0.try_recv().ok()).find(|number| is_ending(*number))
    }
}

fn is_ending(number: i32) -> bool {
    ENDING.iter().any(|kind| kind.as_raw_value() == number)
}
