//! Which successes did this handle read lately? They are answered again without asking the ledger.
//!
//! A success is final, so that a copy of one can be old but never wrong: what may differ in the ledger meanwhile is that
//! its result or the whole record has outlived its keeping time. A copy is served for ten seconds at most, and one of a
//! record that is kept for less than an hour is not made. Nothing but a success is ever remembered here.

use crate::seed::Seed;
use sluice_core::holder::Holder;
use sluice_core::ids::RecordId;
use sluice_core::outcome::Outcome;
use sluice_core::record::{Downstream, Labels, Record, Snapshot};
use sluice_core::state::Status;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a copy is served.
const FOR: Duration = Duration::from_secs(10);
/// A record that is kept for less is read every time.
const SHORTEST_KEPT: Duration = Duration::from_hours(1);
/// What all copies together may take unless told otherwise, in bytes.
pub(crate) const ROOM: usize = 16 * 1024 * 1024;
/// What a copy takes beside its result, about.
const EACH: usize = 1024;
/// Where there is more than there is room for, one read in so many is copied: what is asked for often is found soon, and
/// what is not costs little.
const ONE_IN: u32 = 8;

/// The successes that one handle read lately.
#[derive(Debug)]
pub(crate) struct Recall {
    shelves: Mutex<Shelves>,
}

/// Copies are put on the young shelf; where it is half of the room, it becomes the old one, and what stood there goes.
#[derive(Debug)]
struct Shelves {
    young: HashMap<RecordId, Copied, Seed>,
    old: HashMap<RecordId, Copied, Seed>,
    young_bytes: usize,
    room: usize,
    has_turned: bool,
    passed_over: u32,
}

#[derive(Clone, Debug)]
struct Copied {
    snapshot: Arc<Snapshot>,
    until: Duration,
}

impl Recall {
    pub fn new(seed: &Seed, room: usize) -> Self {
        let shelf = || HashMap::with_hasher(seed.clone());
        let shelves =
            Shelves { young: shelf(), old: shelf(), young_bytes: 0, room, has_turned: false, passed_over: 0 };
        Self { shelves: Mutex::new(shelves) }
    }

    /// The success of that name, as the ledger had it a moment ago.
    pub fn find(&self, id: &RecordId, now: Duration) -> Option<Arc<Snapshot>> {
        let shelves = self.shelves();
        let copied = shelves.young.get(id).or_else(|| shelves.old.get(id))?;
        (now < copied.until).then(|| copied.snapshot.clone())
    }

    /// Keeps what was read, if it is a success that may be served again.
    pub fn keep(&self, found: Snapshot, read_at: Duration) {
        let Some(bytes) = size_of(&found.record) else { return };
        if !self.shelves().admits(bytes) {
            return;
        }
        let id = found.record.id.clone();
        let snapshot = Arc::new(without_what_no_answer_tells(found));
        let gone = self.shelves().put(id, Copied { until: read_at.saturating_add(FOR), snapshot }, bytes);
        // Thousands of records are dropped without the lock.
        drop(gone);
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelves {
    fn admits(&mut self, bytes: usize) -> bool {
        if bytes > self.room / 8 {
            return false;
        }
        self.passed_over = (self.passed_over + 1) % ONE_IN;
        !self.has_turned || self.passed_over == 0
    }

    fn put(&mut self, id: RecordId, copied: Copied, bytes: usize) -> Option<HashMap<RecordId, Copied, Seed>> {
        // One that replaces another is counted twice, which only makes the shelf turn earlier.
        self.young_bytes += bytes;
        self.young.insert(id, copied);
        if self.young_bytes <= self.room / 2 {
            return None;
        }
        (self.young_bytes, self.has_turned) = (0, true);
        let empty = HashMap::with_hasher(self.young.hasher().clone());
        let full = std::mem::replace(&mut self.young, empty);
        Some(std::mem::replace(&mut self.old, full))
    }
}

fn without_what_no_answer_tells(mut found: Snapshot) -> Snapshot {
    let body = &mut found.record.body;
    body.holder = Holder::default();
    body.downstream = Downstream::default();
    body.labels = Labels { object_id: body.labels.object_id.take(), ..Labels::default() };
    found
}

/// What a copy of it takes; none where it must be read every time.
fn size_of(record: &Record) -> Option<usize> {
    let Record { body, .. } = record;
    let lasts = body.terms.keep_result.min(body.terms.remember) >= SHORTEST_KEPT;
    let Outcome::Success(kept) = &body.outcome else { return None };
    let text = kept.value.as_ref().ok()?;
    let is_final = body.status == Status::Succeeded && !body.double_effect();
    (lasts && is_final).then_some(text.len() + EACH)
}
