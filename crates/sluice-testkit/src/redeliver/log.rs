//! What happened, delivery by delivery, and what that means.

use super::delivery::Effect;
use super::told::{Cause, NotOnce, Redelivered, Tally};

/// How a delivery that comes alone differs from one that was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alone {
    Same,
    NewId,
    NewTime,
    NewAttempt,
    AllNew,
}

impl Alone {
    pub(super) const ALL: [Self; 5] =
        [Self::Same, Self::NewId, Self::NewTime, Self::NewAttempt, Self::AllNew];
}

/// One delivery that was answered.
pub(super) struct Entry {
    /// `None` for those that came at once.
    pub(super) alone: Option<Alone>,
    pub(super) effect: Effect,
    pub(super) error: Option<String>,
}

#[derive(Default)]
pub(super) struct Log {
    entries: Vec<Entry>,
}

impl Log {
    pub(super) fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The place of the first delivery whose effect landed.
    pub(super) fn first_landed(&self) -> Option<usize> {
        self.entries.iter().position(|entry| entry.effect.landings() > 0)
    }

    pub(super) fn judge(&self, allows_errors: bool) -> Result<Redelivered, NotOnce> {
        let causes = self.causes(allows_errors);
        let tally = self.tally();
        if causes.is_empty() { Ok(Redelivered(tally)) } else { Err(NotOnce::new(causes, tally)) }
    }

    fn tally(&self) -> Tally {
        let errors = || self.entries.iter().filter_map(|entry| entry.error.as_ref());
        Tally {
            deliveries: self.entries.len(),
            landings: self.entries.iter().map(|entry| entry.effect.landings()).sum(),
            errors: errors().count(),
            first_error: errors().next().cloned(),
            nowhere: None,
        }
    }

    fn causes(&self, allows_errors: bool) -> Vec<Cause> {
        if self.first_landed().is_none() {
            return vec![Cause::NeverRan];
        }
        let mut causes = self.repeats();
        // What is sent while the first still runs may be put off: its sender comes again, and then hears that it is done.
        let refused = self.entries.iter().any(|entry| entry.alone.is_some() && entry.error.is_some());
        if refused && !allows_errors {
            causes.push(Cause::Refused);
        }
        causes
    }

    /// Why it ran more than once. What one cause explains is not laid to another as well.
    fn repeats(&self) -> Vec<Cause> {
        let again = |alone| self.ran_again(alone);
        let by_part = [
            (Alone::NewId, Cause::DeliveryId),
            (Alone::NewTime, Cause::Time),
            (Alone::NewAttempt, Cause::Attempt),
        ];
        let mut causes: Vec<_> = if again(Alone::Same) {
            vec![Cause::NotRemembered]
        } else {
            by_part.into_iter().filter(|(alone, _)| again(*alone)).map(|(_, cause)| cause).collect()
        };
        if causes.is_empty() && again(Alone::AllNew) {
            causes.push(Cause::Together);
        }
        let landed_at_once =
            self.entries.iter().filter(|entry| entry.alone.is_none() && entry.effect.landings() > 0);
        if causes.is_empty() && landed_at_once.count() > 1 {
            causes.push(Cause::Race);
        }
        if self.entries.iter().any(|entry| entry.effect.landings() > 1) {
            causes.push(Cause::WithinOne);
        }
        causes
    }

    /// Whether that delivery ran the effect although an earlier one had.
    fn ran_again(&self, alone: Alone) -> bool {
        let place = self.entries.iter().position(|entry| entry.alone == Some(alone));
        let (Some(place), Some(first)) = (place, self.first_landed()) else { return false };
        first < place && self.entries[place].effect.landings() > 0
    }
}
