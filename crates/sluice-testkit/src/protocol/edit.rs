//! Changes of the core as small values, and back; nothing is lost on the way.

use super::bounds::Effect;
use super::compact::{Rec, claim_id, number, small};
use sluice_core::change::{Change, Expected, GrantGuard, Guard, LeaseGuard, LeaseSet};
use sluice_core::ids::{Epoch, Version};
use sluice_core::state::Status;

/// A change, and what must be true when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edit {
    pub expected: Option<(u8, Status, u8)>,
    pub grant: Granted,
    pub needs: Needs,
    pub lease: Lease,
    pub set: Rec,
}

/// What a change wants of a claim id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Granted {
    Any,
    Unused(u8),
    Held(u8, u8),
}

/// What a change wants of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Needs {
    Any,
    Live,
    Ended,
    Quiet,
}

/// What a change does to the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lease {
    Keep,
    Grant,
    Settle,
}

impl Edit {
    /// Takes in a change that the core made.
    pub fn of(change: &Change, effect: Effect) -> Self {
        let guard = &change.guard;
        let edit = Self {
            expected: match guard.expected {
                Expected::Absent => None,
                Expected::At { version, status, epoch } => Some((small(version.0), status, small(epoch.0))),
            },
            grant: match guard.grant {
                GrantGuard::Any => Granted::Any,
                GrantGuard::Unused(claim) => Granted::Unused(number(claim)),
                GrantGuard::Held(claim, epoch) => Granted::Held(number(claim), small(epoch.0)),
            },
            needs: match guard.lease {
                LeaseGuard::Any => Needs::Any,
                LeaseGuard::Live => Needs::Live,
                LeaseGuard::Ended => Needs::Ended,
                LeaseGuard::EndedFor(_) => Needs::Quiet,
            },
            lease: match change.lease {
                LeaseSet::Keep => Lease::Keep,
                LeaseSet::Grant(_) => Lease::Grant,
                LeaseSet::Settle => Lease::Settle,
            },
            set: Rec::of(&change.set, Version(0), effect),
        };
        assert_eq!(&edit.guard(effect), guard, "the model loses something of a change");
        edit
    }

    /// What must be true when it is written, as the core knows it.
    pub fn guard(&self, effect: Effect) -> Guard {
        Guard {
            expected: self.expected.map_or(Expected::Absent, |(version, status, epoch)| Expected::At {
                version: Version(version.into()),
                status,
                epoch: Epoch(epoch.into()),
            }),
            grant: match self.grant {
                Granted::Any => GrantGuard::Any,
                Granted::Unused(claim) => GrantGuard::Unused(claim_id(claim)),
                Granted::Held(claim, epoch) => GrantGuard::Held(claim_id(claim), Epoch(epoch.into())),
            },
            lease: match self.needs {
                Needs::Any => LeaseGuard::Any,
                Needs::Live => LeaseGuard::Live,
                Needs::Ended => LeaseGuard::Ended,
                Needs::Quiet => LeaseGuard::EndedFor(effect.quiet()),
            },
            sent: None,
            key_age: None,
        }
    }
}

impl Granted {
    /// The claim id it names.
    pub fn claim(&mut self) -> Option<&mut u8> {
        match self {
            Self::Any => None,
            Self::Unused(claim) | Self::Held(claim, _) => Some(claim),
        }
    }
}
