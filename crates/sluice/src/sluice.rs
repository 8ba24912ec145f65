//! How a ledger is opened and configured.

use crate::circuits::Circuits;
use crate::count::Count;
use crate::effect::{EffectSpec, Named, Unguarded};
use crate::heart::Heart;
use crate::notes::Notes;
use crate::probe::Flights;
use crate::recall::{self, Recall};
use crate::seed::Seed;
use crate::system;
use crate::upkeep::SWEEP_EVERY;
use crate::waiters::Waiters;
use sluice_core::breaker::BreakerSettings;
use sluice_core::key::KeyError;
use sluice_core::outcome::RESULT_LIMIT;
use sluice_core::ports::Ports;
use sluice_core::retry::Budget;
use sluice_core::store::Store;
use sluice_core::{Error, Namespace};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// A handle to a ledger. Cheap to clone; clones share everything.
#[derive(Clone, Debug)]
pub struct Sluice {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub store: Arc<dyn Store>,
    pub ports: Ports,
    pub namespace: Result<Namespace, KeyError>,
    pub settings: Settings,
    pub heart: Heart,
    pub waiters: Waiters,
    pub notes: Notes,
    pub recall: Recall,
    pub flights: Flights,
    pub circuits: Circuits,
    pub running: Arc<Count>,
    pub sweeping: Arc<Count>,
    pub settlements: AtomicU32,
}

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub result_limit: usize,
    pub settle_patience: Duration,
    pub sweep_every: u32,
    pub recall_room: usize,
    pub breaker: Option<BreakerSettings>,
    pub budget: Budget,
}

impl Sluice {
    /// Begins to configure a handle to this ledger.
    ///
    /// ```
    /// use sluice::{MemoryStore, Sluice};
    /// let sluice = Sluice::open(MemoryStore::new()).namespace("billing").build();
    /// assert_eq!(sluice.namespace().unwrap().as_str(), "billing");
    /// ```
    pub fn open(store: impl Store) -> Builder {
        Self::open_shared(Arc::new(store))
    }

    /// The same for a store that others use too.
    pub fn open_shared(store: Arc<dyn Store>) -> Builder {
        let settings = Settings {
            result_limit: RESULT_LIMIT,
            settle_patience: Duration::from_mins(1),
            sweep_every: SWEEP_EVERY,
            recall_room: recall::ROOM,
            breaker: Some(BreakerSettings::default()),
            budget: Budget::default(),
        };
        Builder { store, namespace: Ok(Namespace::default()), settings, ports: None }
    }

    /// Names an intent to run: a [`Key`](crate::Key), or an [`Intent`](crate::Intent) of any parts.
    ///
    /// An input error in the intent is kept and returned by `run`, before anything is claimed.
    pub fn effect(&self, intent: impl Into<Named>) -> Unguarded<'_> {
        Unguarded::new(self, intent.into())
    }

    /// The namespace used where an effect names none.
    ///
    /// # Errors
    /// `E_INVALID_KEY` where the builder was given one that is none.
    pub fn namespace(&self) -> Result<&Namespace, Error> {
        self.inner.namespace.as_ref().map_err(|error| error.clone().into())
    }

    /// The ledger behind it.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// Waits until every effect that runs here has ended, at most for `patience`; answers how many still run.
    ///
    /// Call it before the process ends: an effect that is cut off with its runtime stays in flight until its
    /// lease ends, and is then indeterminate.
    pub async fn drain(&self, patience: Duration) -> usize {
        let over = self.inner.ports.sleep.sleep(patience);
        crate::run::race(over, self.inner.running.none()).await;
        self.running()
    }

    /// How many effects run here now.
    pub fn running(&self) -> usize {
        self.inner.running.now()
    }

    pub(crate) fn namespace_of(&self, spec: &EffectSpec) -> Result<Namespace, Error> {
        spec.namespace.clone().map_or_else(|| self.namespace().cloned(), Ok)
    }
}

/// Configures a [`Sluice`].
#[derive(Debug)]
pub struct Builder {
    store: Arc<dyn Store>,
    namespace: Result<Namespace, KeyError>,
    settings: Settings,
    ports: Option<Ports>,
}

impl Builder {
    /// Sets the namespace used where an effect names none. The default is `default`.
    ///
    /// One that is none is reported as `E_INVALID_KEY` by every `run`.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Namespace::new(namespace);
        self
    }

    /// Sets the largest result that is kept, in bytes of its JSON text. The default is 64 KiB.
    ///
    /// A larger one still counts as a success; a replay then says that the result was not kept.
    #[must_use]
    pub fn result_limit(mut self, bytes: usize) -> Self {
        self.settings.result_limit = bytes;
        self
    }

    /// Sets how long an outcome that the ledger does not take is offered again. The default is 60 s.
    #[must_use]
    pub fn settle_patience(mut self, patience: Duration) -> Self {
        self.settings.settle_patience = patience;
        self
    }

    /// Sets after how many settlements the handle sweeps what has outlived its keeping time. The default is 128; 0 is
    /// never.
    ///
    /// The first turn is drawn by chance, so that many short-lived processes take turns too.
    #[must_use]
    pub fn sweep_every(mut self, settlements: u32) -> Self {
        self.settings.sweep_every = settlements;
        self
    }

    /// Sets how much memory copies of successes may take that were replayed lately, in bytes. The default is 16 MiB; 0
    /// reads the ledger for every delivery.
    ///
    /// A success is final, so that a copy answers without asking the ledger, for ten seconds at most.
    #[must_use]
    pub fn recall_room(mut self, bytes: usize) -> Self {
        self.settings.recall_room = bytes;
        self
    }

    /// Sets when a circuit opens, and for how long; `None` is never. Only effects that name a circuit or a downstream have
    /// one.
    #[must_use]
    pub fn breaker(mut self, breaker: impl Into<Option<BreakerSettings>>) -> Self {
        self.settings.breaker = breaker.into();
        self
    }

    /// Sets how many retries a circuit may have in relation to its calls. Effects without a circuit share the budget of
    /// their tool.
    #[must_use]
    pub fn retry_budget(mut self, budget: Budget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// Replaces time, chance, tasks and the rest of the world, for tests.
    #[must_use]
    pub fn ports(mut self, ports: Ports) -> Self {
        self.ports = Some(ports);
        self
    }

    /// Makes the handle.
    pub fn build(self) -> Sluice {
        let ports = self.ports.unwrap_or_else(system::ports);
        let heart = Heart::new(self.store.clone(), ports.clone());
        let waiters = Waiters::new(self.store.clone(), ports.clone());
        let seed = Seed::new(&ports.chance.bits());
        let notes = Notes::new(self.store.clone(), ports.clone(), &seed);
        let (breaker, budget) = (self.settings.breaker, self.settings.budget);
        let circuits = Circuits::new(self.store.clone(), ports.clone(), &seed, breaker, budget);
        let recall = Recall::new(&seed, self.settings.recall_room);
        let [a, b, c, d, ..] = ports.chance.bits();
        let turn = u32::from_le_bytes([a, b, c, d]).checked_rem(self.settings.sweep_every).unwrap_or(0);
        let inner = Inner {
            store: self.store,
            ports,
            namespace: self.namespace,
            settings: self.settings,
            heart,
            waiters,
            notes,
            recall,
            flights: Flights::default(),
            circuits,
            running: Arc::default(),
            sweeping: Arc::default(),
            settlements: AtomicU32::new(turn),
        };
        Sluice { inner: Arc::new(inner) }
    }
}
