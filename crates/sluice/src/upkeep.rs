//! How a ledger stays small: a sweep now and then, and whenever somebody asks for one.

use crate::run::race;
use crate::sluice::Sluice;
use sluice_core::Error;
use sluice_core::ports::Ports;
use sluice_core::store::{Store, StoreError, Swept};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// After how many settlements a handle sweeps when nothing else is said.
pub(crate) const SWEEP_EVERY: u32 = 128;
/// How much one transaction of a sweep takes away at most, so that nobody waits long for it.
const SLICE: usize = 256;
/// A sweep rests this many times as long as a slice took: callers keep four fifths of the ledger's time.
const REST: u32 = 4;
/// Shortest rest between two slices.
const SHORTEST_REST: Duration = Duration::from_millis(1);

impl Sluice {
    /// Takes away what has outlived its keeping time, in small transactions with rests between them, until nothing is
    /// due. Running callers keep about four fifths of the ledger's time.
    ///
    /// A handle does so by itself after every 128th settlement, or as [`Builder::sweep_every`](crate::Builder) says;
    /// this is for a ledger that is seldom used.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble; what was swept before stays swept.
    pub async fn sweep(&self) -> Result<Swept, Error> {
        Ok(sweep(self.inner.store.as_ref(), &self.inner.ports).await?)
    }

    /// Writes down what was counted and waits for a sweep that goes on, at most for `patience`. Call it before the
    /// process ends; without it the count of the last second is lost.
    pub async fn tidy(&self, patience: Duration) {
        let over = self.inner.ports.sleep.sleep(patience);
        race(over, async {
            self.inner.circuits.flush().await;
            self.inner.notes.write().await;
            self.inner.sweeping.none().await;
        })
        .await;
    }

    /// Counts a settlement, and begins a sweep where its turn has come and none goes on. Beside everybody's work: a sweep
    /// that fails is left to the next turn.
    pub(crate) fn settled_one(&self) {
        let every = self.inner.settings.sweep_every;
        let turn = self.inner.settlements.fetch_add(1, Ordering::Relaxed);
        if every == 0 || !turn.is_multiple_of(every) || self.inner.sweeping.now() > 0 {
            return;
        }
        let (store, ports, going_on) =
            (self.inner.store.clone(), self.inner.ports.clone(), self.inner.sweeping.begin());
        self.inner.ports.spawn.spawn(Box::pin(async move {
            let _ = sweep(store.as_ref(), &ports).await;
            drop(going_on);
        }));
    }
}

async fn sweep(store: &dyn Store, ports: &Ports) -> Result<Swept, StoreError> {
    let mut all = Swept::default();
    loop {
        let begun = ports.clock.elapsed();
        let slice = store.sweep(SLICE).await?;
        all.results += slice.results;
        all.records += slice.records;
        all.is_halted = slice.is_halted;
        if !slice.more {
            return Ok(all);
        }
        let took = ports.clock.elapsed().saturating_sub(begun);
        ports.sleep.sleep((took * REST).max(SHORTEST_REST)).await;
    }
}
