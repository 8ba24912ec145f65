//! Several attempts were made under one claim: what is the holder's word on all of them?

use crate::failure::FailureClass;
use crate::outcome::{Fault, MESSAGE_LIMIT, cut};
use crate::retry::Stop;

/// What a holder knows of its attempts under one claim.
///
/// Unknown is sticky: where an attempt may have taken hold, no later failure says that it did not. Only the target's own
/// answer can, where its profile declares that this very answer proves it.
///
/// ```
/// use sluice_core::decide::Tries;
/// use sluice_core::{Failure, FailureClass};
/// let said = |failure: Failure| failure.into_parts().0;
/// let mut tries = Tries::default();
/// tries.failed(FailureClass::Unknown, false);
/// let word = tries.word(said(Failure::permanent("card declined")), None);
/// assert_eq!(word.class, FailureClass::Unknown);
/// tries.failed(FailureClass::Permanent, true);
/// let word = tries.word(said(Failure::permanent("card declined")), None);
/// assert_eq!((word.class, word.message.as_str()), (FailureClass::Permanent, "card declined (2 attempts)"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    made: u32,
    in_doubt: bool,
}

impl Tries {
    /// Takes in how an attempt ended that was no success. `proves` is whether its answer proves that no earlier one took
    /// hold. An attempt that still runs ([`FailureClass::Overdue`]) has not ended: its own later word counts.
    pub fn failed(&mut self, class: FailureClass, proves: bool) {
        self.made = self.made.saturating_add(1);
        let is_definite = !class.is_unknown();
        if proves && is_definite {
            self.in_doubt = false;
        }
        self.in_doubt |= matches!(class, FailureClass::Unknown | FailureClass::Unclassified);
    }

    /// How many attempts have ended.
    pub fn made(self) -> u32 {
        self.made
    }

    /// Whether one of them may have taken hold.
    pub fn is_in_doubt(self) -> bool {
        self.in_doubt
    }

    /// The holder's word on all attempts, where the last one ended with this fault and no further one follows.
    pub fn word(self, last: Fault, stop: Option<Stop>) -> Fault {
        let laundered = self.in_doubt && !last.class.is_unknown();
        let doubt = if laundered { "an earlier attempt may have happened; the last one: " } else { "" };
        let message = format!("{doubt}{}{}", last.message, self.tail(stop));
        let class = if laundered { FailureClass::Unknown } else { last.class };
        Fault { class, message: cut(&message, MESSAGE_LIMIT).to_owned(), ..last }
    }

    fn tail(self, stop: Option<Stop>) -> String {
        let stop = stop.filter(|stop| stop.is_news(self.made));
        match (self.made, stop) {
            (0 | 1, None) => String::new(),
            (0 | 1, Some(stop)) => format!(" ({stop})"),
            (made, None) => format!(" ({made} attempts)"),
            (made, Some(stop)) => format!(" ({made} attempts; {stop})"),
        }
    }
}
