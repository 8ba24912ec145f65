//! What the test hears.

use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) deliveries: usize,
    pub(super) landings: usize,
    pub(super) errors: usize,
    pub(super) first_error: Option<String>,
    /// A pointer that leads nowhere in the event.
    pub(super) nowhere: Option<String>,
}

/// The effect ran exactly once, for so many deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redelivered(pub(super) Tally);

/// The effect did not run exactly once, or a duplicate was not answered.
///
/// `Debug` writes the same sentences as `Display`, since tests call `unwrap`.
#[derive(Clone, PartialEq, Eq)]
pub struct NotOnce {
    causes: Vec<Cause>,
    tally: Tally,
}

/// Why the check failed; the list may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A place that the test named is not in the event; nothing was delivered.
    Nowhere,
    /// The effect never ran.
    NeverRan,
    /// It ran again for a delivery that was the same in everything.
    NotRemembered,
    /// It ran again when only the delivery id was new.
    DeliveryId,
    /// It ran again when only the time was new.
    Time,
    /// It ran again when only the attempt was new.
    Attempt,
    /// It ran again when all three were new, and not when one of them was.
    Together,
    /// It ran more than once for deliveries at once, and never again after them.
    Race,
    /// It ran more than once for a single delivery.
    WithinOne,
    /// A delivery that came when the effect had run got an error.
    Refused,
}

impl Redelivered {
    /// Returns how many deliveries there were.
    pub fn deliveries(&self) -> usize {
        self.0.deliveries
    }

    /// Returns how many of them got an error: those that came at once with the one that ran the effect, and where the
    /// test allows errors, any.
    pub fn errors(&self) -> usize {
        self.0.errors
    }

    /// Returns the message of the first of these errors.
    pub fn first_error(&self) -> Option<&str> {
        self.0.first_error.as_deref()
    }
}

impl NotOnce {
    pub(super) fn new(causes: Vec<Cause>, tally: Tally) -> Self {
        Self { causes, tally }
    }

    /// Returns why it failed; at least one cause.
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// Returns how often the effect ran.
    pub fn landings(&self) -> usize {
        self.tally.landings
    }

    /// Returns how many deliveries there were.
    pub fn deliveries(&self) -> usize {
        self.tally.deliveries
    }

    /// Returns how many of them got an error.
    pub fn errors(&self) -> usize {
        self.tally.errors
    }

    /// Returns the message of the first of these errors.
    pub fn first_error(&self) -> Option<&str> {
        self.tally.first_error.as_deref()
    }
}

impl Cause {
    fn sentence(self) -> &'static str {
        match self {
            Self::Nowhere => "there is neither a text nor a number at that place in the event",
            Self::NeverRan => {
                "the effect never ran: call delivery.effect.landed() in the fake target, and see whether the handler gets there"
            }
            Self::NotRemembered => {
                "the effect ran again for the very same delivery: nothing remembers that it ran before"
            }
            Self::DeliveryId => {
                "the effect ran again when only the delivery id was new: the key contains it, or something made from it"
            }
            Self::Time => {
                "the effect ran again when only the time was new: the key contains it, or something made from it"
            }
            Self::Attempt => {
                "the effect ran again when only the attempt was new: the key contains it, or something made from it"
            }
            Self::Together => {
                "the effect ran again when delivery id, time and attempt were new together, and not when one of them was: what is remembered lets go of it when enough is different"
            }
            Self::Race => {
                "the effect ran more than once for deliveries that came at once: each looked whether it had run before any had said so; look and claim in one step"
            }
            Self::WithinOne => "the effect ran more than once for a single delivery",
            Self::Refused => {
                "a delivery that came when the effect had run got an error: its sender takes that for a failure and sends it again, for ever"
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.sentence())
    }
}

impl fmt::Display for NotOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { deliveries, landings, errors, first_error, nowhere } = &self.tally;
        if let Some(pointer) = nowhere {
            return write!(f, "{pointer}: {}", Cause::Nowhere);
        }
        write!(f, "one event, {deliveries} deliveries: the effect ran {landings} times")?;
        for cause in &self.causes {
            write!(f, "\n  {cause}")?;
        }
        match first_error {
            Some(first) => write!(f, "\n  {errors} deliveries got an error, the first of them: {first}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for NotOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NotOnce {}
