//! Records of the core as small values, and back.
//!
//! Nothing is lost on the way, which every conversion asserts: what the core would write is what the model holds. Only
//! what no rule reads is left out: names for people, holders, times, and the words of a fault.

use super::bounds::{EPOCHS, Effect};
use sluice_core::failure::FailureClass;
use sluice_core::holder::Holder;
use sluice_core::ids::{ClaimId, Epoch, Version};
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome};
use sluice_core::record::{Body, Downstream, Labels};
use sluice_core::state::Status;
use sluice_core::unresolved::{Doubt, Unresolved};

/// A record. Claims and epochs are small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Rec {
    pub version: u8,
    pub status: Status,
    pub epoch: u8,
    pub claim: u8,
    pub marked: bool,
    doubts: [u8; EPOCHS],
    landed: u8,
    evidence: Option<u8>,
    outcome: End,
}

/// How a record ended. A result is named by the epoch that gave it; 0 is one that nobody gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum End {
    None,
    Success(u8),
    Fault(Word),
}

/// A holder's word on its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Word {
    Success,
    Permanent,
    Transient,
    NotStarted,
    Unknown,
    Unclassified,
    Overdue,
}

/// A claim id, by its number.
pub(super) fn claim_id(number: u8) -> ClaimId {
    ClaimId::from_bytes([number; 16])
}

pub(super) fn number(claim: ClaimId) -> u8 {
    claim.as_bytes()[0]
}

pub(super) fn small(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn place(epoch: Epoch) -> usize {
    let place = usize::try_from(epoch.0).unwrap_or(usize::MAX) - 1;
    assert!(place < EPOCHS, "{epoch} is beyond what a model is made for");
    place
}

impl Word {
    /// The class of a fault; none for a success.
    fn class(self) -> Option<FailureClass> {
        Some(match self {
            Self::Success => return None,
            Self::Permanent => FailureClass::Permanent,
            Self::Transient => FailureClass::Transient,
            Self::NotStarted => FailureClass::NotStarted,
            Self::Unknown => FailureClass::Unknown,
            Self::Unclassified => FailureClass::Unclassified,
            Self::Overdue => FailureClass::Overdue,
        })
    }

    fn of(class: FailureClass) -> Self {
        match class {
            FailureClass::Permanent => Self::Permanent,
            FailureClass::Transient => Self::Transient,
            FailureClass::NotStarted => Self::NotStarted,
            FailureClass::Unknown => Self::Unknown,
            FailureClass::Unclassified => Self::Unclassified,
            FailureClass::Overdue => Self::Overdue,
        }
    }

    /// The fault that a holder reports with it; none for a success.
    pub fn fault(self) -> Option<Fault> {
        self.class().map(|class| Fault {
            class,
            code: None,
            message: String::new(),
            detail: None,
            from_target: false,
        })
    }
}

/// The result of an epoch; of epoch 0 one that nobody gave.
pub(super) fn kept(epoch: u8) -> Kept {
    match epoch {
        0 => Kept::absent(NotKept::NeverGiven),
        _ => Kept::within(vec![b'0' + epoch], 1),
    }
}

fn epoch_of(kept: &Kept) -> u8 {
    kept.value.as_ref().map_or(0, |text| text[0] - b'0')
}

impl Rec {
    /// Takes in a body that the core made.
    pub fn of(body: &Body, version: Version, effect: Effect) -> Self {
        let mut doubts = [0; EPOCHS];
        for epoch in body.unresolved.epochs() {
            doubts[place(epoch)] = body.unresolved.why(epoch).map_or(0, |doubt| match doubt {
                Doubt::Lapsed => 1,
                Doubt::Unknown => 2,
                Doubt::Ended => 3,
            });
        }
        let rec = Self {
            version: small(version.0),
            status: body.status,
            epoch: small(body.epoch.0),
            claim: number(body.claim),
            marked: body.marked,
            doubts,
            landed: body.landed.iter().fold(0, |bits, epoch| bits | 1 << place(*epoch)),
            evidence: body.evidence.as_ref().map(epoch_of),
            outcome: match &body.outcome {
                Outcome::None => End::None,
                Outcome::Success(kept) => End::Success(epoch_of(kept)),
                Outcome::Fault(fault) => End::Fault(Word::of(fault.class)),
            },
        };
        assert_eq!(&rec.body(effect), body, "the model loses something of a record");
        rec
    }

    /// The body as the core knows it.
    pub fn body(&self, effect: Effect) -> Body {
        Body {
            status: self.status,
            epoch: Epoch(self.epoch.into()),
            claim: claim_id(self.claim),
            holder: Holder::default(),
            terms: effect.terms(),
            marked: self.marked,
            labels: Labels::default(),
            fingerprint: None,
            unresolved: self.unresolved(),
            landed: self.landed().map(|epoch| Epoch(epoch.into())).collect(),
            evidence: self.evidence.map(kept),
            outcome: match self.outcome {
                End::None => Outcome::None,
                End::Success(epoch) => Outcome::Success(kept(epoch)),
                End::Fault(word) => word.fault().map_or(Outcome::None, Outcome::Fault),
            },
            downstream: Downstream::default(),
        }
    }

    fn unresolved(&self) -> Unresolved {
        let known = [Doubt::Lapsed, Doubt::Unknown, Doubt::Ended];
        let doubt =
            |epoch: u8| (Epoch(epoch.into()), known[usize::from(self.doubts[usize::from(epoch) - 1]) - 1]);
        self.doubts().map(doubt).collect()
    }

    /// The epochs in doubt.
    pub fn doubts(&self) -> impl Iterator<Item = u8> + use<'_> {
        (1..).zip(self.doubts).filter(|(_, doubt)| *doubt > 0).map(|(epoch, _)| epoch)
    }

    /// The epochs that the ledger knows to have landed.
    pub fn landed(&self) -> impl Iterator<Item = u8> + use<> {
        let landed = self.landed;
        (1..=EPOCHS).filter(move |epoch| landed & 1 << (epoch - 1) != 0).map(|epoch| small(epoch as u64))
    }

    /// Whether the ledger knows that this epoch landed.
    pub fn knows_landed(&self, epoch: u8) -> bool {
        self.landed & 1 << (epoch - 1) != 0
    }

    /// Whether this epoch is in doubt.
    pub fn doubts_about(&self, epoch: u8) -> bool {
        self.doubts[usize::from(epoch) - 1] > 0
    }

    /// Forgets every doubt: a mistake that only plants make.
    pub fn forget_doubts(&mut self) {
        self.doubts = [0; EPOCHS];
    }

    /// Forgets every landing but one: a mistake that only plants make.
    pub fn forget_landings_but(&mut self, epoch: u8) {
        self.landed = 1 << (epoch - 1);
    }
}
