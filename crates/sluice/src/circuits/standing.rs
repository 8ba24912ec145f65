//! How do the circuits of a ledger stand? For people who look.

use crate::sluice::Sluice;
use sluice_core::Error;
use sluice_core::breaker::{CircuitState, Shared};
use sluice_core::record::LedgerTime;
use std::time::Duration;

/// The longest page.
const MOST: usize = 1000;

/// How one circuit stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// What it lets through, and until when, on ledger time.
    pub state: CircuitState,
    /// How long until it may let something through again; nothing where it may now.
    pub wait: Duration,
    /// How many probes have failed since it was closed.
    pub failed_probes: u32,
    /// How many of the last outcomes since it last changed were failures.
    pub failures: u32,
    /// How many outcomes since it last changed are known, at most 20.
    pub outcomes: u32,
}

impl Standing {
    fn of(name: String, shared: &Shared, now: LedgerTime) -> Self {
        let Shared { circuit, window, .. } = shared;
        let is_current = window.generation() == circuit.generation;
        let (failures, outcomes) = if is_current { (window.failures(), window.outcomes()) } else { (0, 0) };
        Self {
            name,
            state: circuit.state,
            wait: circuit.wait(now),
            failed_probes: circuit.failed_probes,
            failures,
            outcomes,
        }
    }
}

impl Sluice {
    /// Lists the circuits that the ledger knows, in the order of their names and after that name where one is given, at
    /// most so many and never more than 1000.
    ///
    /// What a process has seen in the last second may be missing. A circuit that nobody used for a week is forgotten.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    ///
    /// ```
    /// use sluice::{EffectSpec, Key, MemoryStore, Sluice};
    /// use std::time::Duration;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let sluice = Sluice::open(MemoryStore::new()).build();
    /// let spec = EffectSpec { circuit: Some("psp".into()), ..EffectSpec::new(Key::new("k").unwrap()) };
    /// sluice.run(spec, |_| async { Ok(1) }).await.unwrap();
    /// sluice.tidy(Duration::from_secs(1)).await;
    /// let circuits = sluice.circuits(None, 10).await.unwrap();
    /// assert_eq!((circuits[0].name.as_str(), circuits[0].failures, circuits[0].outcomes), ("psp", 0, 1));
    /// assert!(circuits[0].wait.is_zero());
    /// # });
    /// ```
    pub async fn circuits(&self, after: Option<&str>, limit: usize) -> Result<Vec<Standing>, Error> {
        let store = self.store();
        let listed = store.circuits(after.map(str::to_owned), limit.min(MOST)).await?;
        let now = store.condition().await?.time;
        Ok(listed.into_iter().map(|(name, shared)| Standing::of(name, &shared, now)).collect())
    }
}
