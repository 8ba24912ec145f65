//! How long a ledger remembers, and what it forgets first.
//!
//! A result is kept for a while, its record for longer: what is left in between is a tombstone, which still answers
//! "done, the result is no longer kept". Both times count from the record's last change, in ledger time. What is in
//! flight or in doubt is never forgotten by time.

use crate::outcome::{Kept, NotKept, Outcome};
use crate::record::{Body, LedgerTime, Record};
use crate::state::Status;
use crate::trail::{EventDraft, EventKind};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// How long a result is kept when nothing else is said.
pub const KEEP_RESULT: Duration = Duration::from_hours(7 * 24);
/// How long a record is remembered when nothing else is said.
pub const REMEMBER: Duration = Duration::from_hours(90 * 24);
/// Shortest time a record can be remembered. A key that is forgotten at once guards nothing.
pub const SHORTEST: Duration = Duration::from_secs(1);
/// Longest time a record can be remembered: a hundred years.
pub const LONGEST: Duration = Duration::from_hours(100 * 366 * 24);
/// How far in the future a delivery may say that its intent was first sent.
pub const AHEAD: Duration = Duration::from_mins(5);

/// When what a record holds is due to go, in ledger time. `None` is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The result alone; none where there is nothing left of it, or the record goes as early.
    pub result: Option<LedgerTime>,
    /// The whole record.
    pub record: Option<LedgerTime>,
}

/// What of a record has outlived its keeping time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlived {
    /// Nothing yet; ask again then.
    Nothing(Due),
    /// Its result.
    Result,
    /// All of it.
    Record,
}

/// What a ledger counts ages by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Ledger time now.
    pub now: LedgerTime,
    /// No age counts from before this moment: a person accepted a clock that had jumped, so that how old anything from
    /// before really is cannot be said.
    pub since: LedgerTime,
}

/// Says when a body that last changed at this moment is due.
///
/// ```
/// use sluice_core::record::LedgerTime;
/// use sluice_core::retention::{Due, later};
/// use std::time::Duration;
/// assert_eq!(later(LedgerTime(5), Duration::from_millis(7)), LedgerTime(12));
/// assert_eq!(Due::default().next(), None);
/// ```
pub fn due(body: &Body, changed: LedgerTime) -> Due {
    if matches!(body.status, Status::InFlight | Status::Indeterminate) {
        return Due::default();
    }
    let record = later(changed, body.terms.remember);
    let result = later(changed, body.terms.keep_result);
    Due { result: (holds_result(body) && result < record).then_some(result), record: Some(record) }
}

impl Due {
    /// When something of the record is due next.
    pub fn next(self) -> Option<LedgerTime> {
        self.result.or(self.record)
    }
}

/// Says what of a record has outlived its keeping time.
pub fn outlived(record: &Record, age: Age) -> Outlived {
    let due = due(&record.body, counted_from(record.updated, age));
    match due {
        Due { record: Some(at), .. } if at <= age.now => Outlived::Record,
        Due { result: Some(at), .. } if at <= age.now => Outlived::Result,
        due => Outlived::Nothing(due),
    }
}

/// A change that lies in the future was stamped by a clock that has been taken back since.
fn counted_from(updated: LedgerTime, age: Age) -> LedgerTime {
    if updated > age.now { age.since.min(age.now) } else { updated.max(age.since.min(age.now)) }
}

/// A moment that much later; the end of time at the latest.
pub fn later(time: LedgerTime, by: Duration) -> LedgerTime {
    LedgerTime(time.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}

fn holds_result(body: &Body) -> bool {
    let held = |kept: &Kept| kept.value.is_ok();
    body.evidence.as_ref().is_some_and(held)
        || match &body.outcome {
            Outcome::None => false,
            Outcome::Success(kept) => held(kept),
            Outcome::Fault(fault) => fault.detail.is_some(),
        }
}

/// Takes the results out of a body: sizes, digests, messages and names stay.
pub fn without_results(body: &mut Body) {
    let expire = |kept: &mut Kept| {
        if kept.value.is_ok() {
            kept.value = Err(NotKept::Expired);
        }
    };
    body.evidence.iter_mut().for_each(expire);
    match &mut body.outcome {
        Outcome::None => {}
        Outcome::Success(kept) => expire(kept),
        Outcome::Fault(fault) => fault.detail = None,
    }
}

/// When a delivery says its intent was first sent, and for how long it could have been remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstSent {
    /// When it was first sent.
    pub at: LedgerTime,
    /// How long this kind of intent is remembered.
    pub remember: Duration,
}

/// Why what would run is refused for the time it was first sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// So long ago that the ledger may have known it and forgotten it.
    TooOld,
    /// Further in the future than clocks differ.
    InFuture,
}

impl FirstSent {
    /// Judges it by ledger time. Only what would run is judged: a record that is there always answers.
    ///
    /// # Errors
    /// Why it must not run.
    ///
    /// ```
    /// use sluice_core::record::LedgerTime;
    /// use sluice_core::retention::{FirstSent, Misplaced, REMEMBER};
    /// let day = 24 * 60 * 60 * 1000;
    /// let sent = FirstSent { at: LedgerTime(0), remember: REMEMBER };
    /// assert_eq!(sent.judge(LedgerTime(89 * day)), Ok(()));
    /// assert_eq!(sent.judge(LedgerTime(89 * day + 1)), Err(Misplaced::TooOld));
    /// assert_eq!(sent.judge(LedgerTime(-5 * 60 * 1000 - 1)), Err(Misplaced::InFuture));
    /// ```
    pub fn judge(self, now: LedgerTime) -> Result<(), Misplaced> {
        let margin = (self.remember / 10).min(Duration::from_hours(24));
        if now > later(self.at, self.remember.saturating_sub(margin)) {
            Err(Misplaced::TooOld)
        } else if self.at > later(now, AHEAD) {
            Err(Misplaced::InFuture)
        } else {
            Ok(())
        }
    }
}

/// Counts what one batch of a sweep takes away, for the one event it writes (RULINGS 20).
///
/// The digest is SHA-256 over what went, in its order: a letter for result or record, then namespace and key, each after
/// its length, and the version.
#[derive(Clone, Debug)]
pub struct Batch {
    results: usize,
    records: usize,
    digest: Sha256,
}

impl Default for Batch {
    fn default() -> Self {
        Self { results: 0, records: 0, digest: Sha256::new_with_prefix(b"sluice sweep 1\0") }
    }
}

impl Batch {
    /// Counts a result that goes.
    pub fn result(&mut self, record: &Record) {
        self.results += 1;
        self.add(b"r", record);
    }

    /// Counts a record that goes.
    pub fn record(&mut self, record: &Record) {
        self.records += 1;
        self.add(b"R", record);
    }

    fn add(&mut self, letter: &[u8], record: &Record) {
        self.digest.update(letter);
        for text in [record.id.namespace.as_str(), record.id.key.as_str()] {
            self.digest.update((text.len() as u64).to_be_bytes());
            self.digest.update(text);
        }
        self.digest.update(record.version.0.to_be_bytes());
    }

    /// How many results and records went.
    pub fn counts(&self) -> (usize, usize) {
        (self.results, self.records)
    }

    /// The event of the batch; none where nothing went.
    pub fn event(self) -> Option<EventDraft> {
        let (results, records) = self.counts();
        if results + records == 0 {
            return None;
        }
        let digest = crate::key::lower_hex(&self.digest.finalize());
        let said = format!("{results} results and {records} records outlived their time, sha256 {digest}");
        Some(EventDraft::new(EventKind::Swept).because(said))
    }
}
