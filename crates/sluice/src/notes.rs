//! Counts deliveries off the caller's path: noted in memory at once, written about once a second.
//!
//! What is not written yet is lost in a crash, and where too many records are noted at once the rest is not counted. It
//! is for people to look at; nothing is ever decided by it.

use crate::seed::Seed;
use sluice_core::deliveries::{DeliveryId, Heard, Note, RECENT, Tally};
use sluice_core::ids::RecordId;
use sluice_core::ports::Ports;
use sluice_core::store::Store;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Pause between two writes.
const EVERY: Duration = Duration::from_secs(1);
/// How many records are noted at once.
const MOST_RECORDS: usize = 4096;

/// The note-taker of one handle.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    pad: Arc<Mutex<Pad>>,
    store: Arc<dyn Store>,
    ports: Ports,
}

#[derive(Debug)]
struct Pad {
    taken: HashMap<RecordId, Taken, Seed>,
    has_writer: bool,
}

#[derive(Debug)]
struct Taken {
    count: u64,
    first: Duration,
    latest: VecDeque<(Duration, Option<DeliveryId>, Heard)>,
}

impl Taken {
    fn tally(self, now: Duration) -> Tally {
        let notes = self.latest.into_iter().map(|(at, delivery, heard)| Note {
            ago: now.saturating_sub(at),
            delivery,
            heard,
        });
        Tally { count: self.count, first_ago: now.saturating_sub(self.first), notes: notes.collect() }
    }
}

impl Notes {
    pub fn new(store: Arc<dyn Store>, ports: Ports, seed: &Seed) -> Self {
        let pad = Pad { taken: HashMap::with_hasher(seed.clone()), has_writer: false };
        Self { pad: Arc::new(Mutex::new(pad)), store, ports }
    }

    /// Notes one delivery.
    pub fn take(&self, id: &RecordId, delivery: Option<DeliveryId>, heard: Heard) {
        let at = self.ports.clock.elapsed();
        let mut pad = self.pad();
        if let Some(taken) = pad.taken.get_mut(id) {
            taken.count = taken.count.saturating_add(1);
            if taken.latest.len() == RECENT {
                taken.latest.pop_front();
            }
            taken.latest.push_back((at, delivery, heard));
        } else if pad.taken.len() < MOST_RECORDS {
            let latest = VecDeque::from([(at, delivery, heard)]);
            pad.taken.insert(id.clone(), Taken { count: 1, first: at, latest });
        }
        let begins = !std::mem::replace(&mut pad.has_writer, true);
        drop(pad);
        if begins {
            self.begin_to_write();
        }
    }

    fn begin_to_write(&self) {
        let notes = self.clone();
        let writer = Writer(self.pad.clone());
        self.ports.spawn.spawn(Box::pin(async move {
            // Held for as long as the task lives, also where its runtime ends in the middle.
            let writer = writer;
            loop {
                notes.ports.sleep.sleep(EVERY).await;
                if !notes.write().await {
                    drop(writer);
                    return;
                }
            }
        }));
    }

    /// Writes what was noted; false where there was nothing. What cannot be written is not counted.
    pub async fn write(&self) -> bool {
        let now = self.ports.clock.elapsed();
        let taken: Vec<_> = self.pad().taken.drain().collect();
        if taken.is_empty() {
            return false;
        }
        let mut tallies: Vec<_> = taken.into_iter().map(|(id, taken)| (id, taken.tally(now))).collect();
        // The map's order depends on chance.
        tallies.sort_by(|(one, _), (other, _)| one.cmp(other));
        let _ = self.store.count_deliveries(tallies).await;
        true
    }

    fn pad(&self) -> MutexGuard<'_, Pad> {
        lock(&self.pad)
    }
}

fn lock(pad: &Mutex<Pad>) -> MutexGuard<'_, Pad> {
    pad.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the right to write back when it ends, however it ends.
struct Writer(Arc<Mutex<Pad>>);

impl Drop for Writer {
    fn drop(&mut self) {
        lock(&self.0).has_writer = false;
    }
}
