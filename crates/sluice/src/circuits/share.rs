//! How processes learn of each other's circuits: a look or a write once a second, off every caller's path.

use super::known::Known;
use super::{Board, Circuits, EVERY, TRIES};
use sluice_core::breaker::reconsider;
use std::sync::{Arc, Mutex, PoisonError};

impl Circuits {
    /// Asks the ledger about a circuit of which it was not asked for a while. Of many callers one asks, and the others wait
    /// for the answer.
    pub(super) async fn freshen(&self, name: &str) {
        // Twice the pause: while a task looks after it, no caller ever asks.
        let is_fresh = || self.board().is_fresh(name, self.now(), EVERY * 2);
        if is_fresh() {
            return;
        }
        let turn = self.turn(name);
        let _turn = turn.lock().await;
        if !is_fresh() && self.look(name).await {
            self.write_beside(name.to_owned());
        }
    }

    /// Asks the ledger; true where that changed the circuit's state here, so that it has to be written. The caller has the
    /// turn.
    async fn look(&self, name: &str) -> bool {
        let asked_at = self.now();
        let seen = self.store.circuit(name.to_owned(), None).await;
        self.take_in(name, |known| {
            known.asked = Some(asked_at);
            if let Ok(seen) = seen {
                known.told(seen, asked_at);
            }
        })
    }

    /// Writes what the ledger is not known to have, whoever changed it here. Where somebody else wrote first, that counts,
    /// and what is left to write is decided again. What fails is left to the next turn.
    pub(super) async fn write(&self, name: &str) {
        let turn = self.turn(name);
        let _turn = turn.lock().await;
        for _ in 0..TRIES {
            let asked_at = self.now();
            let Some(change) = self.board().known(name, asked_at).send() else { return };
            let answer = self.store.circuit(name.to_owned(), Some(change)).await;
            let has_failed = answer.is_err();
            self.take_in(name, |known| {
                known.asked = Some(asked_at);
                match answer {
                    Ok(seen) => known.wrote(seen, asked_at),
                    Err(error) => known.failed(&error),
                }
            });
            if has_failed {
                return;
            }
        }
    }

    /// Takes in an answer. Outcomes of several processes may open together what none of them saw enough of alone. True
    /// where the circuit's state waits to be written then.
    fn take_in(&self, name: &str, how: impl FnOnce(&mut Known)) -> bool {
        let now = self.now();
        let mut board = self.board();
        let known = board.known(name, now);
        how(known);
        if let Some(settings) = &self.breaker {
            let sample = || self.ports.chance.sample();
            if let Some(change) = reconsider(&known.shared, known.ledger_time(now), sample, settings) {
                known.changes(change);
            }
        }
        known.is_ahead()
    }

    /// Writes beside the caller's path. Where no task can be started, it is owed.
    pub(super) fn write_beside(&self, name: String) {
        let circuits = self.clone();
        self.ports.spawn.spawn(Box::pin(async move {
            circuits.write(&name).await;
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
        let is_owed = self.board().known(name, self.now()).is_owed();
        let has_changed = !is_owed && {
            let turn = self.turn(name);
            let _turn = turn.lock().await;
            self.look(name).await
        };
        if is_owed || has_changed {
            self.write(name).await;
        }
    }

    /// Writes what the ledger is not known to have, before a process ends; also waits for what is being written.
    pub async fn flush(&self) {
        let names = self.board().owed();
        for name in names {
            self.write(&name).await;
        }
    }

    fn turn(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let now = self.now();
        self.board().known(name, now).turn.clone()
    }
}

/// Gives the right to share back when it ends, however it ends.
struct Sharer(Arc<Mutex<Board>>);

impl Drop for Sharer {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_shared = false;
    }
}
