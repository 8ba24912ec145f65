//! The same test on every kind of ledger.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub mod world;

use sluice::core::ids::RecordId;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::Store;
use sluice::{EffectSpec, Key, MemoryStore, Namespace, Sluice};
use sluice_sqlite::SqliteStore;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A ledger of some kind, opened by several handles where the kind allows it.
pub struct Ledger {
    pub kind: &'static str,
    pub handles: Vec<Arc<dyn Store>>,
    _folder: Option<tempfile::TempDir>,
}

impl Ledger {
    pub fn memory() -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        Self { kind: "memory", handles: vec![store; 4], _folder: None }
    }

    /// Four handles on one file: to SQLite they are as good as four processes.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut handles: Vec<Arc<dyn Store>> = Vec::new();
        for _ in 0..4 {
            handles.push(Arc::new(SqliteStore::open(folder.path().join("ledger.db")).await.unwrap()));
        }
        Self { kind: "sqlite", handles, _folder: Some(folder) }
    }

    pub fn sluice(&self) -> Sluice {
        Sluice::open_shared(self.handles[0].clone()).build()
    }

    pub fn all(&self) -> Vec<Sluice> {
        self.handles.iter().map(|store| Sluice::open_shared(store.clone()).build()).collect()
    }
}

/// Runs a test on every kind of ledger.
pub fn on_every_ledger<F: Future<Output = ()>>(test: impl Fn(Ledger) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        for ledger in [Ledger::memory(), Ledger::sqlite().await] {
            println!("on {}", ledger.kind);
            test(ledger).await;
        }
    });
}

/// Counts effects outside of the ledger.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub fn bump(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

pub fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

pub fn spec(text: &str) -> EffectSpec {
    EffectSpec::new(key(text))
}

pub fn id(text: &str) -> RecordId {
    RecordId::new(Namespace::default(), key(text))
}

pub async fn look(sluice: &Sluice, text: &str) -> Option<Snapshot> {
    sluice.look(&id(text)).await.unwrap()
}

pub async fn status(sluice: &Sluice, text: &str) -> Status {
    look(sluice, text).await.unwrap().record.body.status
}
