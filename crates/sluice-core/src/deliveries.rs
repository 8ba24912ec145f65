//! How often an intent was delivered again, and what the latest deliveries heard. Counted off the caller's path; it
//! decides nothing.

use crate::error::{Code, Error};
use crate::key::{InputError, InputErrorKind, Json};
use crate::record::LedgerTime;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest description of a delivery, in bytes of its canonical JSON.
pub const LONGEST: usize = 1024;
/// How many of the latest deliveries are kept.
pub const RECENT: usize = 20;

/// What tells one delivery from another: a message id, say, or an object of several. It never enters the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeliveryId(String);

impl DeliveryId {
    /// Takes a JSON object, or any other text as it is.
    ///
    /// # Errors
    /// An object that is not strict JSON, or more than [`LONGEST`] bytes.
    ///
    /// ```
    /// use sluice_core::deliveries::DeliveryId;
    /// assert_eq!(DeliveryId::new("msg-7")?.as_str(), "\"msg-7\"");
    /// assert_eq!(DeliveryId::new(r#"{"b":1,"a":2}"#)?.as_str(), r#"{"a":2,"b":1}"#);
    /// assert!(DeliveryId::new(&"x".repeat(2000)).is_err());
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    pub fn new(text: &str) -> Result<Self, InputError> {
        if text.len() > LONGEST {
            return Err(too_long());
        }
        let json = if text.trim_start().starts_with('{') {
            Json::parse(text.as_bytes())?
        } else {
            Json::String(text.to_owned())
        };
        let canonical = json.canonical();
        if canonical.len() <= LONGEST { Ok(Self(canonical)) } else { Err(too_long()) }
    }

    /// The canonical JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn too_long() -> InputError {
    let said = "what tells a delivery apart is at most 1 KiB long";
    InputError::new(InputErrorKind::Other, "", said)
}

impl From<DeliveryId> for String {
    fn from(id: DeliveryId) -> Self {
        id.0
    }
}

impl TryFrom<String> for DeliveryId {
    type Error = InputError;

    fn try_from(text: String) -> Result<Self, InputError> {
        let canonical = Json::parse(text.as_bytes())?.canonical();
        if canonical.len() <= LONGEST { Ok(Self(canonical)) } else { Err(too_long()) }
    }
}

macro_rules! heard {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a delivery heard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Heard { $($(#[$doc])* $name,)* }

        impl Heard {
            /// Every answer.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The frozen name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

heard! {
    /// It ran, and succeeded.
    Executed = "executed",
    /// It was done before; it got the result.
    Replayed = "replayed",
    /// It was done before; that was all it wanted to know, or the result is not kept.
    AlreadyDone = "already_done",
    /// It was delivered before, and wanted to be refused then.
    Duplicate = "duplicate",
    /// It did not happen and would fail again.
    Failed = "failed",
    /// It did not happen.
    Released = "released",
    /// Nobody knows.
    Indeterminate = "indeterminate",
    /// It runs elsewhere, for longer than the delivery waited.
    InFlight = "in_flight",
    /// The key belongs to a different request.
    Conflict = "conflict",
    /// It was first sent too long ago, or in the future.
    TooLate = "too_late",
}

impl Heard {
    /// What an error told the delivery; none where it says nothing of the intent.
    pub fn of(error: &Error) -> Option<Self> {
        Some(match error.code() {
            Code::Duplicate => Self::Duplicate,
            Code::EffectFailed => Self::Failed,
            Code::Released => Self::Released,
            Code::Indeterminate => Self::Indeterminate,
            Code::InFlight | Code::WaitTimeout => Self::InFlight,
            Code::KeyConflict => Self::Conflict,
            Code::TooLate => Self::TooLate,
            _ => return None,
        })
    }
}

/// Deliveries of one intent that were noted and not written yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// How long ago the first of them came.
    pub first_ago: Duration,
    /// The latest of them, newest last; never more than [`RECENT`].
    pub notes: Vec<Note>,
}

/// One noted delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// How long ago it came.
    pub ago: Duration,
    /// What tells it apart, where it said so.
    pub delivery: Option<DeliveryId>,
    /// What it heard.
    pub heard: Heard,
}

/// What a ledger knows of the deliveries of one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deliveries {
    /// How many were counted. The delivery that runs an effect counts only where it says what tells it apart.
    pub count: u64,
    /// When the first of them came, in ledger time.
    pub first: LedgerTime,
    /// When the last of them came.
    pub last: LedgerTime,
    /// The latest, newest last; never more than [`RECENT`].
    pub recent: Vec<Seen>,
}

/// One of the latest deliveries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// When it came, in ledger time.
    pub at: LedgerTime,
    /// What tells it apart, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryId>,
    /// What it heard.
    pub heard: Heard,
}

impl Deliveries {
    /// Adds what was noted to what is known; `now` is ledger time.
    pub fn after(known: Option<Self>, tally: Tally, now: LedgerTime) -> Self {
        let earlier = |ago: Duration| {
            LedgerTime(now.0.saturating_sub(i64::try_from(ago.as_millis()).unwrap_or(i64::MAX)))
        };
        let first = earlier(tally.first_ago);
        let last = tally.notes.last().map_or(first, |note| earlier(note.ago));
        let mut all = known.unwrap_or(Self { count: 0, first, last, recent: Vec::new() });
        all.count = all.count.saturating_add(tally.count);
        all.last = all.last.max(last);
        all.recent.extend(tally.notes.into_iter().map(|note| Seen {
            at: earlier(note.ago),
            delivery: note.delivery,
            heard: note.heard,
        }));
        let superfluous = all.recent.len().saturating_sub(RECENT);
        all.recent.drain(..superfluous);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(count: u64) -> Tally {
        let note = |ago| Note { ago: Duration::from_millis(ago), delivery: None, heard: Heard::Replayed };
        Tally { count, first_ago: Duration::from_millis(900), notes: vec![note(20), note(10)] }
    }

    #[test]
    fn a_tally_adds_to_what_is_known_and_the_latest_twenty_stay() {
        let mut known = Deliveries::after(None, tally(2), LedgerTime(1000));
        assert_eq!((known.count, known.first, known.last), (2, LedgerTime(100), LedgerTime(990)));
        for _ in 0..50 {
            known = Deliveries::after(Some(known), tally(7), LedgerTime(5000));
        }
        assert_eq!((known.count, known.first, known.last), (352, LedgerTime(100), LedgerTime(4990)));
        assert_eq!(known.recent.len(), RECENT);
    }

    #[test]
    fn the_names_are_frozen() {
        let names: Vec<_> = Heard::ALL.iter().map(|heard| heard.as_str()).collect();
        assert_eq!(
            names,
            [
                "executed",
                "replayed",
                "already_done",
                "duplicate",
                "failed",
                "released",
                "indeterminate",
                "in_flight",
                "conflict",
                "too_late"
            ]
        );
        for heard in Heard::ALL {
            assert_eq!(serde_json::to_string(heard).unwrap(), format!("\"{}\"", heard.as_str()));
        }
    }
}
