//! How processes learn of each other's circuits: a look and a write once a second, off every caller's path.

use super::{Board, Circuits, EVERY, Shared, SharedChange, TRIES};
use std::sync::{Arc, Mutex, PoisonError};

impl Circuits {
    /// Asks the ledger about a circuit of which nothing was heard for a while.
    pub(super) async fn freshen(&self, name: &str) {
        let now = self.now();
        // Twice the pause: while a task looks after it, no caller ever asks.
        if !self.board().is_fresh(name, now, EVERY * 2) {
            self.look(name).await;
        }
    }

    async fn look(&self, name: &str) {
        let asked_at = self.now();
        if let Ok(seen) = self.store.circuit(name.to_owned(), None).await {
            let now = self.now();
            self.board().known(name, now).told(seen, asked_at);
        }
    }

    /// Writes one change; whether it applied, where the ledger said so. Either way what is stored is known then.
    pub(super) async fn write(&self, name: &str, change: SharedChange) -> Option<bool> {
        let (asked_at, next) = (self.now(), change.next.clone());
        let seen = self.store.circuit(name.to_owned(), Some(change)).await.ok()?;
        // A write whose answer was lost is found as it was meant.
        let applied = seen.applied || seen.shared == next;
        let now = self.now();
        self.board().known(name, now).told(seen, asked_at);
        Some(applied)
    }

    /// Writes a change that is true here already. Where somebody else was faster, what is stored counts.
    pub(super) fn write_beside(&self, name: String, change: SharedChange) {
        let circuits = self.clone();
        self.ports.spawn.spawn(Box::pin(async move {
            let asked_at = circuits.now();
            let answer = circuits.store.circuit(name.clone(), Some(change)).await;
            let now = circuits.now();
            {
                let mut board = circuits.board();
                let known = board.known(&name, now);
                known.on_their_way = known.on_their_way.saturating_sub(1);
                if let Ok(seen) = answer {
                    known.told(seen, asked_at);
                }
            }
            circuits.begin_to_share();
        }));
    }

    /// Starts to look after the circuits in use, where nobody does yet.
    pub(super) fn begin_to_share(&self) {
        if std::mem::replace(&mut self.board().is_shared, true) {
            return;
        }
        let circuits = self.clone();
        let sharer = Sharer(self.board.clone());
        let started = self.ports.spawn.spawn(Box::pin(async move {
            // Held for as long as the task lives, also where its runtime ends in the middle.
            let sharer = sharer;
            loop {
                circuits.ports.sleep.sleep(EVERY).await;
                let now = circuits.now();
                let names = circuits.board().in_use(now);
                if names.is_empty() {
                    drop(sharer);
                    return;
                }
                for name in names {
                    circuits.share(&name).await;
                }
            }
        }));
        if !started {
            self.board().is_shared = false;
        }
    }

    /// Writes what was heard here, or looks.
    async fn share(&self, name: &str) {
        for _ in 0..TRIES {
            let now = self.now();
            let change = {
                let mut board = self.board();
                let known = board.known(name, now);
                // On top of what is stored: the window here has those outcomes already.
                let Shared { circuit, window } = known.shared.clone();
                let news = known.unwritten.iter().any(|(generation, _)| *generation == circuit.generation);
                news.then(|| {
                    let expected = circuit.version;
                    let circuit = sluice_core::breaker::Circuit { version: expected.next(), ..circuit };
                    (SharedChange { expected, next: Shared { circuit, window } }, known.unwritten.len())
                })
            };
            let Some((change, written)) = change else { return self.look(name).await };
            let asked_at = self.now();
            let Ok(seen) = self.store.circuit(name.to_owned(), Some(change)).await else { return };
            let (applied, now) = (seen.applied, self.now());
            let mut board = self.board();
            let known = board.known(name, now);
            if applied {
                let written = written.min(known.unwritten.len());
                known.unwritten.drain(..written);
            }
            known.told(seen, asked_at);
            if applied {
                return;
            }
        }
    }

    /// Writes what was heard and is not written yet, before a process ends.
    pub async fn flush(&self) {
        let now = self.now();
        let names: Vec<_> = self.board().in_use(now);
        for name in names {
            let has_news = !self.board().known(&name, now).unwritten.is_empty();
            if has_news {
                self.share(&name).await;
            }
        }
    }
}

/// Gives the right to share back when it ends, however it ends.
struct Sharer(Arc<Mutex<Board>>);

impl Drop for Sharer {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_shared = false;
    }
}
