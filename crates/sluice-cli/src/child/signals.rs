//! Signals that people and supervisors send to `sluice run`.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::broadcast;

/// Ends the command: interrupt, terminate, hang-up.
pub const ENDING: [SignalKind; 3] = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];

/// Every signal that arrives, to everybody who listens. Nobody misses one that came before they looked.
#[derive(Debug)]
pub struct Signals {
    sender: broadcast::Sender<i32>,
}

impl Signals {
    /// Begins to listen. From here on the signals no longer end this process by themselves.
    pub fn listen() -> std::io::Result<Self> {
        let (sender, _) = broadcast::channel(64);
        for kind in ENDING.into_iter().chain([SignalKind::from_raw(nix::sys::signal::Signal::SIGTSTP as i32)])
        {
            let mut arriving = signal(kind)?;
            let sender = sender.clone();
            tokio::spawn(async move {
                while arriving.recv().await.is_some() {
                    let _ = sender.send(kind.as_raw_value());
                }
            });
        }
        Ok(Self { sender })
    }

    /// What arrives from now on.
    pub fn arriving(&self) -> Arriving {
        Arriving(self.sender.subscribe())
    }
}

/// A listener's own queue of signals.
#[derive(Debug)]
pub struct Arriving(broadcast::Receiver<i32>);

impl Arriving {
    /// The next signal.
    pub async fn next(&mut self) -> i32 {
        loop {
            match self.0.recv().await {
                Ok(number) => return number,
                // The oldest were dropped from a full queue; there are newer ones.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// The next signal that asks for the end.
    pub async fn next_ending(&mut self) -> i32 {
        loop {
            let number = self.next().await;
            if ENDING.iter().any(|kind| kind.as_raw_value() == number) {
                return number;
            }
        }
    }

    /// A signal that asks for the end and has arrived already.
    pub fn pending_ending(&mut self) -> Option<i32> {
        std::iter::from_fn(|| self.0.try_recv().ok())
            .find(|number| ENDING.iter().any(|kind| kind.as_raw_value() == *number))
    }
}
