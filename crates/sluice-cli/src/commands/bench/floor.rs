//! What the same place does without sluice.

use super::load::{self, Limits, Pace};
use super::subject::{Known, key};
use crate::report::Fail;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sluice_sqlite::floor::{BareEffects, BareReads};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;

/// One caller that commits twice for each effect.
pub struct DiskFresh {
    effects: [BareEffects; 1],
    used: AtomicU64,
}

impl DiskFresh {
    pub fn new(path: &Path) -> Result<Self, Fail> {
        Ok(Self { effects: [BareEffects::create(path)?], used: AtomicU64::new(0) })
    }

    pub fn run(&mut self, limits: &Limits) -> Result<Pace, Fail> {
        let used = &self.used;
        load::threads(&mut self.effects, limits, |effects| {
            Ok(effects.effect(&key(used.fetch_add(1, Ordering::Relaxed)))?)
        })
    }
}

/// As many readers of the ledger's own table as there are callers.
pub struct DiskReplays {
    readers: Vec<BareReads>,
    known: Known,
}

impl DiskReplays {
    pub fn new(ledger: &Path, callers: usize, known: Known) -> Result<Self, Fail> {
        let readers = (0..callers).map(|_| BareReads::open(ledger)).collect::<Result<_, _>>()?;
        Ok(Self { readers, known })
    }

    pub fn run(&mut self, limits: &Limits) -> Result<Pace, Fail> {
        let known = &self.known;
        load::threads(&mut self.readers, limits, |reader| {
            let found = reader.read("default", &key(known.next()))?;
            found.then_some(()).ok_or_else(|| super::bug("a record is missing"))
        })
    }
}

/// A map with a lock around it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    map: Arc<Mutex<HashMap<String, u64>>>,
    used: Arc<AtomicU64>,
}

impl Memory {
    fn insert(&self, key: String, value: u64) {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }

    fn get(&self, key: &str) -> Option<u64> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// A task, a keyed hash and two writes for each call.
    pub fn fresh(&self, runtime: &Runtime, callers: usize, limits: &Limits) -> Result<Pace, Fail> {
        let memory = self.clone();
        load::tasks(runtime, callers, limits, move || {
            let memory = memory.clone();
            async move {
                let key = key(memory.used.fetch_add(1, Ordering::Relaxed));
                let task = tokio::spawn(async move {
                    let hash = keyed_hash(key.as_bytes());
                    memory.insert(key.clone(), 0);
                    memory.insert(key, hash);
                });
                task.await.map(|()| None).map_err(|_| super::bug("a task broke down"))
            }
        })
    }

    /// A look at the map for each call.
    pub fn replays(&self, runtime: &Runtime, callers: usize, limits: &Limits) -> Result<Pace, Fail> {
        let (memory, known) = (self.clone(), Known::all(self.used.load(Ordering::Relaxed)));
        load::tasks(runtime, callers, limits, move || {
            let found = memory.get(&key(known.next()));
            std::future::ready(found.map(|_| None).ok_or_else(|| super::bug("a key is missing")))
        })
    }
}

fn keyed_hash(text: &[u8]) -> u64 {
    let mut mac = Hmac::<Sha256>::new(&[7; 64].into());
    mac.update(text);
    mac.finalize().into_bytes().iter().fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
}
