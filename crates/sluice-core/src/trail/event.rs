//! One entry of the trail. The names are frozen.

use crate::ids::{ClaimId, Epoch, RecordId, Version};
use crate::record::LedgerTime;
use crate::state::Status;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum EventKind { $($(#[$doc])* $name,)* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The frozen name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

kinds! {
    /// The right to execute was granted.
    Claimed = "effect.claimed",
    /// The right to execute was granted although nobody knows what became of the execution before.
    Reclaimed = "effect.reclaimed",
    /// The holder passed the point of no return.
    Marked = "effect.marked",
    /// It happened, by its holder's word.
    Succeeded = "effect.succeeded",
    /// It did not happen and would fail again, by its holder's word.
    Failed = "effect.failed",
    /// It did not happen, by its holder's word.
    Released = "effect.released",
    /// Its holder does not know whether it happened.
    Unknown = "effect.unknown",
    /// The lease ended or the holder is gone.
    Lapsed = "effect.lapsed",
    /// A person or a probe said whether one epoch landed.
    Verdict = "effect.verdict",
    /// A person gave a failed intent another chance.
    Reopened = "effect.reopened",
    /// An older holder's late word, kept beside a newer execution.
    Evidence = "effect.evidence",
    /// Notice: a holder's word that contradicts what is recorded.
    Contradicted = "notice.contradicted",
    /// Notice: the key was used for a different request.
    KeyConflict = "notice.key_conflict",
    /// Notice: a verdict was refused.
    VerdictRefused = "notice.verdict_refused",
    /// Notice: the effect wrote a note.
    Note = "notice.note",
    /// Of the ledger itself: results and records outlived their keeping time and are gone.
    Swept = "ledger.swept",
    /// Of the ledger itself: a person said that its host's clock is right after it had jumped.
    ClockAccepted = "ledger.clock_accepted",
}

impl EventKind {
    /// Reads [`EventKind::as_str`] back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }

    /// Whether it is a notice: an event without a change.
    pub fn is_notice(self) -> bool {
        self.as_str().starts_with("notice.")
    }
}

/// An event as a rule writes it; the store adds the time and the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDraft {
    /// What happened.
    pub kind: EventKind,
    /// Which grant it is about.
    pub epoch: Option<Epoch>,
    /// Whose claim it is about.
    pub claim: Option<ClaimId>,
    /// The state the record is left in.
    pub status: Option<Status>,
    /// Who said so, where a person or a probe did.
    pub by: Option<String>,
    /// Why, in a person's words or one of the rule's own.
    pub reason: Option<String>,
}

impl EventDraft {
    /// An event of this kind with nothing else said.
    pub fn new(kind: EventKind) -> Self {
        Self { kind, epoch: None, claim: None, status: None, by: None, reason: None }
    }

    /// Says which grant it is about.
    #[must_use]
    pub fn about(mut self, epoch: Epoch, claim: Option<ClaimId>) -> Self {
        self.epoch = Some(epoch);
        self.claim = claim;
        self
    }

    /// Says why.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says who.
    #[must_use]
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.by = Some(who.into());
        self
    }
}

/// An event as it stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which record.
    pub id: RecordId,
    /// The record's version after the change; none for a notice.
    pub version: Option<Version>,
    /// When, in ledger time.
    pub at: LedgerTime,
    /// What was written.
    pub draft: EventDraft,
}

/// An event of the ledger itself, about no single record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEvent {
    /// When, in ledger time.
    pub at: LedgerTime,
    /// What was written.
    pub draft: EventDraft,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_names_are_frozen_and_read_back() {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(
            names,
            [
                "effect.claimed",
                "effect.reclaimed",
                "effect.marked",
                "effect.succeeded",
                "effect.failed",
                "effect.released",
                "effect.unknown",
                "effect.lapsed",
                "effect.verdict",
                "effect.reopened",
                "effect.evidence",
                "notice.contradicted",
                "notice.key_conflict",
                "notice.verdict_refused",
                "notice.note",
                "ledger.swept",
                "ledger.clock_accepted",
            ]
        );
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.as_str()), Some(*kind));
        }
    }
}
