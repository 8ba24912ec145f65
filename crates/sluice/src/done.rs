//! What a caller gets where its intent succeeded.

use serde::{Deserialize, Serialize};
use sluice_core::ids::{Epoch, RecordId};
use sluice_core::record::{LedgerTime, Record};

/// A success, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Done<T> {
    /// It ran now.
    Executed(T),
    /// It ran before; this is its result.
    Replayed(T, Meta),
    /// It ran before; its result is not here, and [`Meta::reason`] says why.
    WithoutValue(Meta),
}

impl<T> Done<T> {
    /// The result, where there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Executed(value) | Self::Replayed(value, _) => Some(value),
            Self::WithoutValue(_) => None,
        }
    }

    /// Whether the effect ran for this very delivery.
    pub fn ran_now(&self) -> bool {
        matches!(self, Self::Executed(_))
    }
}

/// What is known of an intent that was done before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Which intent.
    pub id: RecordId,
    /// How often it was claimed.
    pub epoch: Epoch,
    /// When it was first seen, in ledger time.
    pub created: LedgerTime,
    /// When it was done, in ledger time.
    pub updated: LedgerTime,
    /// Which object came out.
    pub object_id: Option<String>,
    /// Whether more than one execution is known to have taken hold.
    pub double_effect: bool,
    /// Why there is no value, where there is none.
    pub reason: Option<Reason>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The delivery only wanted to know that it was done.
    AlreadyProcessed,
    /// The result could not be kept, or was never given.
    NotKept {
        /// Its size, where it had a text.
        bytes: Option<u64>,
        /// Lower-case hex SHA-256 of its text, where it had one.
        sha256: Option<String>,
    },
    /// The keeping time of the result is over.
    Expired,
    /// The stored text is not what the caller's type reads; it is unharmed.
    Unreadable {
        /// The stored JSON text.
        raw: String,
    },
}

impl Meta {
    /// What a record says of its intent.
    pub fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            epoch: record.body.epoch,
            created: record.created,
            updated: record.updated,
            object_id: record.body.labels.object_id.clone(),
            double_effect: record.body.double_effect(),
            reason: None,
        }
    }

    pub(crate) fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }
}
