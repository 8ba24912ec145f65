//! One thing that happens, and its name in a story.

use super::compact::Word;
use super::rules::Proof;
use super::state::{Cause, Request};
use std::fmt;

/// One thing that happens. Deliveries are named by their claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Deliver { intent: u8, claim: u8, proof: Proof },
    AskAgain { claim: u8 },
    GiveUp { claim: u8 },
    Mark { claim: u8 },
    Renew { claim: u8 },
    Begin { claim: u8 },
    Land { claim: u8 },
    Miss { claim: u8 },
    Say { claim: u8, word: Word },
    SayAgain { claim: u8 },
    Spool { claim: u8, word: Word },
    TakeIn { claim: u8, word: Word },
    Crash { claim: u8 },
    Reboot,
    LeaseEnds { intent: u8 },
    QuietPasses { intent: u8 },
    Lapse { intent: u8, proof: Proof },
    Judge { intent: u8, epoch: u8, landed: bool, force: bool, proof: Proof },
    Reopen { intent: u8 },
    Arrive(Request),
    AnswerLost(Request),
    Doubled(Request),
    Slow(Request),
}

/// How an intent is called in a story.
pub(super) fn name(intent: u8) -> char {
    char::from(b'A' + intent)
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Deliver { intent, claim, proof } => {
                write!(
                    f,
                    "delivery {claim} of intent {} arrives and asks for the claim{}",
                    name(intent),
                    known(proof)
                )
            }
            Self::AskAgain { claim } => write!(f, "delivery {claim} asks for its claim again"),
            Self::GiveUp { claim } => {
                write!(f, "delivery {claim} gives up on its claim and looks whether it was granted")
            }
            Self::Mark { claim } => write!(f, "delivery {claim} wants to pass its point of no return"),
            Self::Renew { claim } => {
                write!(f, "delivery {claim} renews, and hears that it must start nothing more")
            }
            Self::Begin { claim } => write!(f, "delivery {claim} begins its effect"),
            Self::Land { claim } => write!(f, "the effect of delivery {claim} lands"),
            Self::Miss { claim } => write!(f, "the effect of delivery {claim} does not land and never will"),
            Self::Say { claim, word } => {
                write!(f, "delivery {claim} knows its outcome and offers it: {word:?}")
            }
            Self::SayAgain { claim } => write!(f, "delivery {claim} offers its outcome again"),
            Self::Spool { claim, word } => {
                write!(f, "delivery {claim} leaves its outcome for a later process: {word:?}")
            }
            Self::TakeIn { claim, word } => {
                write!(f, "what delivery {claim} left behind is taken in: {word:?}")
            }
            Self::Crash { claim } => write!(f, "the process of delivery {claim} is killed"),
            Self::Reboot => f.write_str("the host is started anew"),
            Self::LeaseEnds { intent } => write!(f, "the lease of intent {} ends", name(intent)),
            Self::QuietPasses { intent } => write!(f, "the quiet period of intent {} passes", name(intent)),
            Self::Lapse { intent, proof } => {
                write!(f, "somebody finds that intent {} lapses{}", name(intent), known(proof))
            }
            Self::Judge { intent, epoch, landed, force, proof } => {
                let (said, how) =
                    (if landed { "landed" } else { "did not land" }, if force { ", by force" } else { "" });
                write!(
                    f,
                    "a person says that epoch {epoch} of intent {} {said}{how}{}",
                    name(intent),
                    known(proof)
                )
            }
            Self::Reopen { intent } => write!(f, "a person reopens intent {}", name(intent)),
            Self::Arrive(request) => write!(f, "the ledger takes {request} and answers"),
            Self::AnswerLost(request) => write!(f, "the ledger takes {request}, and the answer is lost"),
            Self::Doubled(request) => {
                write!(f, "the ledger takes {request} and answers; a copy is still on its way")
            }
            Self::Slow(request) => write!(f, "nobody waits any longer for the answer to {request}"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (claim, intent) = (self.edit.set.claim, name(self.intent));
        let copy = if self.heard_by.is_none() { "an unheard " } else { "the " };
        match self.cause {
            Cause::Claim => write!(f, "{copy}claim of delivery {claim} for intent {intent}"),
            Cause::Mark => write!(f, "{copy}mark of delivery {claim}"),
            Cause::Word(epoch, word) => write!(f, "{copy}word {word:?} on epoch {epoch} of intent {intent}"),
            Cause::Lapse => write!(f, "{copy}lapse of epoch {} of intent {intent}", self.edit.set.epoch),
            Cause::Verdict { epoch, .. } => write!(f, "{copy}verdict on epoch {epoch} of intent {intent}"),
            Cause::Reopen => write!(f, "{copy}reopening of intent {intent}"),
        }
    }
}

fn known(proof: Proof) -> &'static str {
    match proof {
        Proof::Unknown => "",
        Proof::Alive => ", and sees that the holder lives",
        Proof::Gone => ", and sees that the holder is gone",
    }
}
