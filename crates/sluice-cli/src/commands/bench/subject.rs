//! A ledger with callers that run effects through it.

use super::load::{self, Limits, Pace};
use crate::report::Fail;
use sluice::core::key::{Request, lower_hex};
use sluice::core::ports::Clock;
use sluice::core::store::Store;
use sluice::system::BootClock;
use sluice::{EffectSpec, Failure, Key, MemoryStore, Sluice};
use sluice_sqlite::SqliteStore;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How many intents count as done lately.
const LATELY: u64 = 4096;

/// A ledger, and how many keys it has seen.
#[derive(Clone, Debug)]
pub struct Subject {
    sluice: Sluice,
    /// The same ledger through a handle that reads it for every delivery.
    forgetful: Sluice,
    used: Arc<AtomicU64>,
}

impl Subject {
    /// A new ledger in a file; with what a person should hear about its place.
    pub fn on_disk(runtime: &Runtime, path: &Path) -> Result<(Self, Vec<String>), Fail> {
        let store = runtime.block_on(SqliteStore::open(path))?;
        let warnings = store.warnings().to_vec();
        Ok((Self::over(Arc::new(store)), warnings))
    }

    /// A new ledger in memory.
    pub fn in_memory() -> Self {
        Self::over(Arc::new(MemoryStore::with_capacity(usize::MAX)))
    }

    fn over(store: Arc<dyn Store>) -> Self {
        let sluice = Sluice::open_shared(store.clone()).build();
        let forgetful = Sluice::open_shared(store).recall_room(0).build();
        Self { sluice, forgetful, used: Arc::default() }
    }

    /// How many records it has.
    pub fn records(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Every call is a new intent; its effect does nothing but say when it was called.
    pub fn fresh(&self, runtime: &Runtime, callers: usize, limits: &Limits) -> Result<Pace, Fail> {
        let Self { sluice, used, .. } = self.clone();
        load::tasks(runtime, callers, limits, move || {
            let (sluice, number) = (sluice.clone(), used.fetch_add(1, Ordering::Relaxed));
            async move {
                let effect = |_ctx| async { Ok::<_, Failure>(BootClock.elapsed()) };
                let done = sluice.run(spec(number)?, effect).await?;
                if !done.ran_now() {
                    return Err(super::bug("a new key had been used before"));
                }
                Ok(done.value())
            }
        })
    }

    /// Every call is one of the intents done last.
    pub fn replays(&self, runtime: &Runtime, callers: usize, limits: &Limits) -> Result<Pace, Fail> {
        repeat(&self.sluice, Known::last(self.records()), runtime, callers, limits)
    }

    /// Every call is any intent that was done, and is read from the ledger.
    pub fn lookups(&self, runtime: &Runtime, callers: usize, limits: &Limits) -> Result<Pace, Fail> {
        repeat(&self.forgetful, Known::all(self.records()), runtime, callers, limits)
    }
}

fn repeat(
    sluice: &Sluice,
    known: Known,
    runtime: &Runtime,
    callers: usize,
    limits: &Limits,
) -> Result<Pace, Fail> {
    let sluice = sluice.clone();
    load::tasks(runtime, callers, limits, move || {
        let (sluice, number) = (sluice.clone(), known.next());
        async move {
            let effect = |_ctx| async { Err::<Duration, _>(Failure::permanent("called again")) };
            let done = sluice.run(spec(number)?, effect).await?;
            if done.ran_now() {
                return Err(super::bug("an effect was run again"));
            }
            Ok(None)
        }
    })
}

/// Keys that were used, in an order that no cache foresees.
#[derive(Clone, Debug)]
pub struct Known {
    first: u64,
    count: u64,
    turns: Arc<AtomicU64>,
}

impl Known {
    pub fn all(used: u64) -> Self {
        Self { first: 0, count: used.max(1), turns: Arc::default() }
    }

    pub fn last(used: u64) -> Self {
        let count = used.clamp(1, LATELY);
        Self { first: used.saturating_sub(count), count, turns: Arc::default() }
    }

    pub fn next(&self) -> u64 {
        self.first + scattered(self.turns.fetch_add(1, Ordering::Relaxed)) % self.count
    }
}

/// A delivery as most are: a key, and a request to compare.
fn spec(number: u64) -> Result<EffectSpec, Fail> {
    let key = key(number);
    let fingerprint = Some(Request::bytes([&key]));
    Ok(EffectSpec { fingerprint, ..EffectSpec::new(Key::new(key)?) })
}

/// A text as keys are: 64 hex digits, so that neighbours in time are none in an index.
pub fn key(number: u64) -> String {
    let words = [0, 1, 2, 3].map(|word| scattered(number ^ (word << 56)).to_be_bytes());
    lower_hex(words.as_flattened())
}

/// One to one, so that no two numbers meet (the finisher of splitmix64).
fn scattered(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_long_different_and_spread() {
        let keys: std::collections::BTreeSet<_> = (0..1000).map(key).collect();
        assert_eq!(keys.len(), 1000);
        assert!(keys.iter().all(|key| key.len() == 64));
        assert_ne!(key(1)[..2], key(2)[..2]);
    }
}
