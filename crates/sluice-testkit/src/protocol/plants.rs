//! Mistakes that are made on purpose, so that it shows whether the model would find them.

use super::compact::Word;
use super::edit::Needs;
use super::rules::{Ask, Proof, Question, Reply};
use super::state::Phase;
use sluice_core::state::Status;

macro_rules! plants {
    ($($name:ident = $sentence:literal,)*) => {
        /// One mistake in the rules, in their guards, or in who obeys them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Plant { $(#[doc = $sentence] $name,)* }

        impl Plant {
            /// Every mistake.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What goes wrong, as a sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

plants! {
    GuardForgetsVersion = "the guard forgets the version a change was made for",
    GuardForgetsEpoch = "the guard asks for the state alone, and forgets version and epoch",
    GuardForgetsGrant = "the guard asks for the state alone, and forgets version, epoch and claim",
    AnothersClaim = "a delivery that lost the race takes the winner's claim for its own",
    LapseIgnoresLease = "a live lease lapses",
    QuietIgnored = "a holder whose lease ended is taken for gone at once",
    UnknownDropped = "a definite word of a newer holder clears what nobody knows of an older one",
    LateSuccessIgnored = "a success that comes after the lapse is not taken",
    TransientReleasesDoubt = "a holder that said it does not know is believed when it later says that nothing happened",
    MarkNotNeeded = "an effect that promised a mark begins without one",
    MarkAfterLease = "a mark is taken after the lease ended",
    MarkForgotten = "a lapse takes a marked effect for one that never began",
    ReclaimsAnything = "what nobody knows is run again although the effect is not repeatable",
    VerdictSettlesAll = "a verdict on one epoch clears every doubt",
    LandingForgotten = "a second landing overwrites the first",
    EpochReused = "a later grant does not count the epoch up",
    OneRowPerKey = "the ledger forgets the namespace and keeps one row for a key",
}

impl Plant {
    /// Changes what a rule is asked.
    pub(super) fn bend(self, question: &mut Question) {
        let Some((record, lease)) = &mut question.found else { return };
        match (self, &mut question.ask) {
            (Self::LapseIgnoresLease, Ask::Lapse { .. }) if *lease == Phase::Live => *lease = Phase::Ended,
            (Self::MarkAfterLease, Ask::Mark { .. }) => *lease = Phase::Live,
            (Self::MarkForgotten, Ask::Lapse { .. }) => record.marked = false,
            (Self::QuietIgnored, Ask::Verdict { proof, .. } | Ask::Arrive { proof, .. })
                if record.status == Status::Indeterminate && *lease != Phase::Live =>
            {
                *proof = Proof::Gone;
            }
            (Self::ReclaimsAnything, Ask::Arrive { .. }) => question.effect.repeatable = true,
            _ => {}
        }
    }

    /// Changes what a rule said.
    pub(super) fn twist(self, question: &Question, reply: &mut Reply) {
        let Some((record, _)) = question.found else { return };
        match (self, question.ask, &mut *reply) {
            (Self::LapseIgnoresLease, Ask::Lapse { .. }, Reply::Lapse(edit))
            | (Self::MarkAfterLease, Ask::Mark { .. }, Reply::Write(edit)) => edit.needs = Needs::Any,
            (Self::MarkForgotten, Ask::Lapse { .. }, Reply::Lapse(edit)) => edit.set.marked = record.marked,
            (Self::UnknownDropped, Ask::Word { epoch, word, .. }, Reply::Write(edit))
                if is_definite(word) && epoch == record.epoch && !record.doubts_about(epoch) =>
            {
                edit.set.forget_doubts();
                edit.set.status = Status::Released;
            }
            (Self::TransientReleasesDoubt, Ask::Word { epoch, word, .. }, Reply::Write(edit))
                if is_definite(word) && record.doubts_about(epoch) =>
            {
                edit.set.forget_doubts();
                edit.set.status = Status::Released;
            }
            (Self::LateSuccessIgnored, Ask::Word { word: Word::Success, .. }, Reply::Write(_))
                if record.status != Status::InFlight =>
            {
                *reply = Reply::Refused;
            }
            (Self::VerdictSettlesAll, Ask::Verdict { landed: false, .. }, Reply::Write(edit)) => {
                edit.set.forget_doubts();
                edit.set.status = Status::Released;
            }
            (Self::LandingForgotten, Ask::Word { epoch, word: Word::Success, .. }, Reply::Write(edit)) => {
                edit.set.forget_landings_but(epoch);
            }
            (Self::EpochReused, Ask::Arrive { .. }, Reply::Claim(edit)) => edit.set.epoch = record.epoch,
            _ => {}
        }
    }

    /// Which row of the ledger an intent is kept in.
    pub(super) fn row(self, intent: u8) -> u8 {
        if self == Self::OneRowPerKey { 0 } else { intent }
    }
}

/// Whether it says that nothing happened.
fn is_definite(word: Word) -> bool {
    matches!(word, Word::Permanent | Word::Transient | Word::NotStarted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plant_has_a_sentence_of_its_own() {
        let mut sentences: Vec<_> = Plant::ALL.iter().map(|plant| plant.sentence()).collect();
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), Plant::ALL.len());
    }
}
