//! A broken store as a subject.

use super::{BrokenStore, Fault, clocks};
use crate::conformance::Subject;
use crate::memory::MemorySubject;
use sluice_core::store::Store;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A subject whose store makes one mistake.
#[derive(Debug)]
pub struct BrokenSubject {
    inner: Box<dyn Subject>,
    fault: Fault,
    store: Mutex<Arc<BrokenStore>>,
}

impl BrokenSubject {
    /// A memory store with this mistake.
    pub fn memory(fault: Fault) -> Self {
        Self::over(fault, Box::new(clocks::memory(fault)))
    }

    /// Any store with this mistake; those of the clock are made by [`BrokenSubject::memory`] only.
    pub fn over(fault: Fault, inner: Box<dyn Subject>) -> Self {
        let store = BrokenStore::over(inner.store(), fault);
        Self { inner, fault, store: Mutex::new(Arc::new(store)) }
    }

    fn replace(&self, store: BrokenStore) {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(store);
    }
}

impl Subject for BrokenSubject {
    fn store(&self) -> Arc<dyn Store> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::<BrokenStore>::clone(&store)
    }

    fn advance(&self, by: Duration) {
        self.inner.advance(by);
    }

    fn step_wall(&self, ms: i64) {
        self.inner.step_wall(ms);
    }

    fn reboot(&self) -> bool {
        let rebooted = self.inner.reboot();
        if rebooted {
            self.replace(BrokenStore::over(self.inner.store(), self.fault));
        }
        rebooted
    }

    /// The mistakes made at opening are planted in what is opened, so that a store in memory can show them too.
    fn reopen(&self) -> bool {
        let opened = match self.fault {
            Fault::ForgetsOnOpen => MemorySubject::default().store(),
            Fault::NewSecretsOnOpen | Fault::OpenEndsLeases | Fault::OpenForgetsGrants => self.inner.store(),
            _ if self.inner.reopen() => self.inner.store(),
            _ => return false,
        };
        self.replace(BrokenStore::reopened(opened, self.fault));
        true
    }

    fn capped(&self, records: usize) -> Option<Arc<dyn Store>> {
        let store = if self.fault == Fault::EvictsOldest {
            BrokenStore::evicting(MemorySubject::default().store(), records)
        } else {
            BrokenStore::over(self.inner.capped(records)?, self.fault)
        };
        Some(Arc::new(store))
    }
}
