//! What a ledger knows of one intent.

use crate::holder::Holder;
use crate::ids::{ClaimId, Epoch, RecordId, Version};
use crate::key::Fingerprint;
use crate::lease::LeaseView;
use crate::outcome::{Kept, Outcome};
use crate::state::Status;
use crate::unresolved::Unresolved;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// A moment of ledger time, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LedgerTime(pub i64);

/// One record: the stored row for one (namespace, key).
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Which intent.
    pub id: RecordId,
    /// How often the record changed.
    pub version: Version,
    /// Which life of the ledger made the record (a restore begins a new one).
    pub incarnation: u64,
    /// When the record was made.
    pub created: LedgerTime,
    /// When the record last changed; renewals of a lease do not count.
    pub updated: LedgerTime,
    /// What changes write.
    pub body: Body,
}

/// The part of a record that changes write.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The state.
    pub status: Status,
    /// The newest grant.
    pub epoch: Epoch,
    /// Whose request was granted at that epoch.
    pub claim: ClaimId,
    /// Who holds it, or held it last.
    pub holder: Holder,
    /// What the holder declared when it claimed.
    pub terms: Terms,
    /// Whether the holder of this epoch passed the point of no return.
    pub marked: bool,
    /// Words for people: tool, actor, run, object.
    pub labels: Labels,
    /// The keyed hash of the request that made the record.
    pub fingerprint: Option<Fingerprint>,
    /// Epochs of which nobody knows whether they took hold.
    pub unresolved: Unresolved,
    /// Epochs that are known to have landed.
    pub landed: BTreeSet<Epoch>,
    /// A result an older epoch reported while a newer one runs.
    pub evidence: Option<Kept>,
    /// How it ended.
    pub outcome: Outcome,
    /// The key that is sent to the target.
    pub downstream: Downstream,
}

/// What a holder declares when it claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// Length of the lease.
    #[serde(rename = "lease_ms", with = "crate::duration")]
    pub lease: Duration,
    /// The longest one attempt may take, if bounded.
    #[serde(rename = "attempt_timeout_ms", with = "crate::duration::option")]
    pub attempt_timeout: Option<Duration>,
    /// Whether the effect promises to mark its point of no return; only then does a missing mark prove anything.
    pub declares_marks: bool,
    /// Whether the effect may take hold more than once, so that nobody has to know whether it did.
    pub repeatable: bool,
    /// How long a result is kept, counted from the record's last change.
    #[serde(rename = "keep_result_ms", with = "crate::duration")]
    pub keep_result: Duration,
    /// How long the record is, counted the same way.
    #[serde(rename = "remember_ms", with = "crate::duration")]
    pub remember: Duration,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            lease: crate::lease::DEFAULT,
            attempt_timeout: None,
            declares_marks: false,
            repeatable: false,
            keep_result: crate::retention::KEEP_RESULT,
            remember: crate::retention::REMEMBER,
        }
    }
}

/// Words for people and for lists; they decide nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The tool or action.
    pub tool: Option<String>,
    /// Who asked.
    pub actor: Option<String>,
    /// In which run.
    pub run_id: Option<String>,
    /// Which object came out.
    pub object_id: Option<String>,
}

/// The key that is sent to the target: stored at claim, never re-derived (DESIGN rule 9).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Downstream {
    /// The key itself.
    pub key: String,
    /// How often it was replaced after a definite answer of the target.
    pub rotation: u32,
    /// When it was first used at the earliest, where that is not when the record was made. The target's window is counted
    /// from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_used: Option<LedgerTime>,
}

impl Record {
    /// When the key that is sent to the target was first used, at the earliest.
    pub fn key_first_used(&self) -> LedgerTime {
        self.body.downstream.first_used.unwrap_or(self.created)
    }
}

impl Body {
    /// Whether more than one execution is known to have landed.
    pub fn double_effect(&self) -> bool {
        self.landed.len() > 1
    }

    /// Whether an effect that declared marks provably never began in the newest epoch.
    pub fn provably_not_begun(&self) -> bool {
        self.terms.declares_marks && !self.marked
    }
}

/// A record as a store answered it, with its lease judged at that moment on the store's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The record.
    pub record: Record,
    /// Its lease.
    pub lease: LeaseView,
}
