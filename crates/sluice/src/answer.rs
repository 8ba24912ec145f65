//! From what was decided to what the caller hears.

use crate::done::{Done, Meta, Reason};
use serde::de::DeserializeOwned;
use sluice_core::decide::Answer;
use sluice_core::error::About;
use sluice_core::holder::Liveness;
use sluice_core::ids::{Epoch, RecordId};
use sluice_core::key::{Match, lower_hex};
use sluice_core::lease::quiet_after;
use sluice_core::outcome::{Kept, NotKept, Outcome};
use sluice_core::record::{Record, Snapshot};
use sluice_core::retention::Misplaced;
use sluice_core::retry::Stop;
use sluice_core::state::Status;
use sluice_core::{Code, Error};
use std::time::Duration;

/// Turns an answer about a record into what `run` returns.
pub(crate) fn tell<T: DeserializeOwned>(
    answer: Answer,
    id: &RecordId,
    found: Option<&Snapshot>,
    bound: Option<Epoch>,
    holder: Liveness,
) -> Result<Done<T>, Error> {
    let Some(found) = found else {
        return Err(Error::new(
            Code::Indeterminate,
            "the record vanished from the ledger while it was in flight",
        )
        .with(|about| about.id = Some(id.clone())));
    };
    let record = &found.record;
    match answer {
        Answer::Replay => Ok(replay(record)),
        Answer::AlreadyProcessed => {
            Ok(Done::WithoutValue(Meta::of(record).because(Reason::AlreadyProcessed)))
        }
        other => Err(refuse(other, found, bound, holder)),
    }
}

/// Gives a recorded success back.
pub(crate) fn replay<T: DeserializeOwned>(record: &Record) -> Done<T> {
    let meta = Meta::of(record);
    // What an older execution reported while a newer one runs is as true as what is recorded.
    let kept = match &record.body.outcome {
        Outcome::Success(kept) => Some(kept),
        _ => record.body.evidence.as_ref(),
    };
    let Some(kept) = kept else {
        return Done::WithoutValue(meta.because(Reason::NotKept { bytes: None, sha256: None }));
    };
    match &kept.value {
        Ok(text) => {
            if let Ok(value) = serde_json::from_slice(text) {
                Done::Replayed(value, meta)
            } else {
                let raw = String::from_utf8_lossy(text).into_owned();
                Done::WithoutValue(meta.because(Reason::Unreadable { raw }))
            }
        }
        Err(NotKept::Expired) => Done::WithoutValue(meta.because(Reason::Expired)),
        Err(_) => Done::WithoutValue(meta.because(not_kept(kept))),
    }
}

fn not_kept(kept: &Kept) -> Reason {
    Reason::NotKept { bytes: kept.bytes, sha256: kept.sha256.map(|digest| lower_hex(&digest)) }
}

/// The error for a delivery that would have run, and was first sent at a time that forbids it.
pub(crate) fn too_late(id: &RecordId, why: Misplaced) -> Error {
    let said = match why {
        Misplaced::TooOld => {
            "the intent was first sent longer ago than the ledger remembers, so nobody knows here whether it was done"
        }
        Misplaced::InFuture => {
            "the intent is said to be first sent more than five minutes in the future of the ledger's time"
        }
    };
    Error::new(Code::TooLate, said).with(|about| about.id = Some(id.clone()))
}

/// The error for a delivery whose time was over before it could run.
pub(crate) fn deadline(id: &RecordId) -> Error {
    Error::new(
        Code::Deadline,
        "the deadline passed before the effect could be started; nothing was run for this delivery",
    )
    .with(|about| about.id = Some(id.clone()))
}

/// The error for a delivery that would have repeated what nobody knows, under a key that the target may have forgotten.
pub(crate) fn key_forgotten(found: &Snapshot) -> Error {
    let said = "nobody knows whether the effect happened, and its target may have forgotten the key by now";
    Error::new(Code::Indeterminate, said).about(about(found, None))
}

/// The error for a delivery whose target is in trouble.
pub(crate) fn circuit_open(id: &RecordId, found: Option<&Snapshot>, retry_after: Duration) -> Error {
    let said = "the target is in trouble, so nothing was sent to it";
    let about = found.map(|found| about(found, None)).unwrap_or_default();
    Error::new(Code::CircuitOpen, said).about(about).with(|about| {
        about.id = Some(id.clone());
        about.safe_after = Some(retry_after);
    })
}

/// What the holder hears where it made no further attempt for this reason: the record's own answer, and where nothing is
/// in doubt, a code that says what stood in the way.
pub(crate) fn stopped(error: &Error, stop: Option<Stop>, retry_after: Option<Duration>) -> Error {
    let code = match (error.code(), stop) {
        (Code::Released, Some(Stop::Budget)) => Code::RetryBudget,
        (Code::Released, Some(Stop::Deadline)) => Code::Deadline,
        (Code::Released, Some(Stop::Circuit)) => Code::CircuitOpen,
        (code, _) => code,
    };
    let asked = retry_after.filter(|wait| *wait < Duration::MAX && error.code() == Code::Released);
    let (message, mut about) = (error.to_string(), error.details().clone());
    about.safe_after = about.safe_after.or(asked);
    Error::new(code, message).about(about)
}

/// The error for an intent that ended without a success, as its own delivery or a waiter hears it.
pub(crate) fn ended(found: &Snapshot, bound: Option<Epoch>) -> Error {
    let answer = match found.record.body.status {
        Status::Failed => Answer::Failed { tell: true },
        Status::Released => Answer::Released,
        Status::InFlight => Answer::InFlight,
        Status::Indeterminate | Status::Succeeded => Answer::Indeterminate,
    };
    refuse(answer, found, bound, Liveness::Unknown)
}

fn refuse(answer: Answer, found: &Snapshot, bound: Option<Epoch>, holder: Liveness) -> Error {
    let (code, mut message) = sentence(answer, found);
    let mut about = about(found, bound);
    if answer == Answer::Released && about.is_overtaken {
        "the execution it waited for did not happen; another one has begun since".clone_into(&mut message);
    }
    match answer {
        Answer::Failed { tell: false } => about.fault = None,
        Answer::Conflict(_) => about = About { id: about.id, ..About::default() },
        Answer::Indeterminate => about.safe_after = safe_after(found, holder),
        Answer::InFlight => about.safe_after = Some(found.lease.remaining()),
        _ => {}
    }
    if let Liveness::Alive(pid) = holder {
        about.pid = pid;
    }
    Error::new(code, message).about(about)
}

fn safe_after(found: &Snapshot, holder: Liveness) -> Option<Duration> {
    if holder.is_gone() {
        return None;
    }
    found.lease.until_quiet(quiet_after(found.record.body.terms.attempt_timeout))
}

fn sentence(answer: Answer, found: &Snapshot) -> (Code, String) {
    let body = &found.record.body;
    let said = match &body.outcome {
        Outcome::Fault(fault) => format!(": {}", fault.message),
        _ => String::new(),
    };
    match answer {
        Answer::Failed { tell: true } => (Code::EffectFailed, format!("the effect failed and did not happen{said}")),
        Answer::Failed { tell: false } => (Code::EffectFailed, "the effect failed and did not happen".to_owned()),
        Answer::Released => (Code::Released, format!("the effect did not happen and may be delivered again{said}")),
        Answer::InFlight => (Code::InFlight, "the same intent is running elsewhere".to_owned()),
        Answer::Duplicate => (Code::Duplicate, format!("this intent was delivered before and is {}", body.status)),
        Answer::Conflict(Match::OnlyHere) => (
            Code::KeyConflict,
            "this key was first used without a fingerprint, so nobody can tell whether it is the same request".to_owned(),
        ),
        Answer::Conflict(Match::OnlyThere) => (
            Code::KeyConflict,
            "this key was first used with a fingerprint, and this delivery has none to compare".to_owned(),
        ),
        Answer::Conflict(Match::SecretMissing) => (
            Code::Store,
            "the ledger no longer has the secret this record's fingerprint was made with".to_owned(),
        ),
        Answer::Conflict(_) => (Code::KeyConflict, "this key belongs to a different request".to_owned()),
        Answer::Indeterminate | Answer::Replay | Answer::AlreadyProcessed => {
            (Code::Indeterminate, format!("nobody knows whether the effect happened{said}"))
        }
    }
}

/// What is known of a record, for an error.
pub(crate) fn about(found: &Snapshot, bound: Option<Epoch>) -> About {
    let record = &found.record;
    About {
        id: Some(record.id.clone()),
        status: Some(record.body.status),
        epoch: Some(bound.unwrap_or(record.body.epoch)),
        unresolved: record.body.unresolved.epochs().collect(),
        updated: Some(record.updated),
        is_overtaken: bound.is_some_and(|bound| record.body.epoch > bound),
        fault: match &record.body.outcome {
            Outcome::Fault(fault) => Some(fault.clone()),
            _ => None,
        },
        ..About::default()
    }
}
