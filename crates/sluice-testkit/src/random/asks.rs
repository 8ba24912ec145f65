//! Changes whose guards are right, wrong, or half of each.

use super::bodies;
use crate::model::Model;
use crate::sample::claim_id;
use proptest::option;
use proptest::prelude::*;
use sluice_core::change::{Change, Expected, GrantGuard, Guard, LeaseGuard, LeaseSet};
use sluice_core::ids::{Epoch, Version};
use sluice_core::record::{Body, Record};
use sluice_core::state::Status;
use sluice_core::trail::{EventDraft, EventKind};
use std::time::Duration;

/// What is asked of a record, in terms of what the record is by then.
#[derive(Clone, Debug)]
pub struct Ask {
    /// How much time passes before.
    pub advance_ms: u64,
    /// Whether the host is started anew before.
    pub reboot: bool,
    expected: Wrong,
    grant: Grant,
    lease: LeaseGuard,
    set: Body,
    grants: bool,
    lease_set: LeaseSet,
    event: EventDraft,
}

/// How the record differs from what the change was made for.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Nothing,
    Absent,
    Version(i64),
    Status(Status),
    Epoch(i64),
}

/// Whose claim the change names.
#[derive(Clone, Copy, Debug)]
enum Grant {
    Any,
    UnusedFresh,
    UnusedNewest,
    UnusedOlder(usize),
    HeldNewest(i64),
    HeldOlder(usize, i64),
    HeldByStranger,
}

/// Any ask.
pub fn asks() -> impl Strategy<Value = Ask> {
    // The boundaries of the leases that `lease_sets` gives, a millisecond around them, and none at all.
    let times = vec![0, 1, 999, 1_000, 1_001, 29_999, 30_000, 30_001, 59_999, 60_000, 90_000];
    let before = (prop::sample::select(times), prop::bool::weighted(0.03));
    let guard = (wrongs(), grants(), lease_guards());
    let set = (bodies(), prop::bool::weighted(0.3), lease_sets(), events());
    (before, guard, set).prop_map(|((advance_ms, reboot), guard, set)| Ask {
        advance_ms,
        reboot,
        expected: guard.0,
        grant: guard.1,
        lease: guard.2,
        set: set.0,
        grants: set.1,
        lease_set: set.2,
        event: set.3,
    })
}

fn wrongs() -> impl Strategy<Value = Wrong> {
    prop_oneof![
        8 => Just(Wrong::Nothing),
        1 => Just(Wrong::Absent),
        1 => (-2_i64..3).prop_map(Wrong::Version),
        1 => prop::sample::select(Status::ALL.to_vec()).prop_map(Wrong::Status),
        1 => (-2_i64..3).prop_map(Wrong::Epoch),
    ]
}

fn grants() -> impl Strategy<Value = Grant> {
    prop_oneof![
        3 => Just(Grant::Any),
        3 => Just(Grant::UnusedFresh),
        1 => Just(Grant::UnusedNewest),
        2 => any::<usize>().prop_map(Grant::UnusedOlder),
        3 => prop_oneof![3 => Just(0_i64), 1 => -1_i64..2].prop_map(Grant::HeldNewest),
        3 => (any::<usize>(), prop_oneof![3 => Just(0_i64), 1 => -1_i64..2])
            .prop_map(|(which, off)| Grant::HeldOlder(which, off)),
        1 => Just(Grant::HeldByStranger),
    ]
}

fn lease_guards() -> impl Strategy<Value = LeaseGuard> {
    let quiet = prop::sample::select(vec![0, 1, 29_999, 30_000, 60_000]);
    prop_oneof![
        3 => Just(LeaseGuard::Any),
        2 => Just(LeaseGuard::Live),
        2 => Just(LeaseGuard::Ended),
        2 => quiet.prop_map(|ms| LeaseGuard::EndedFor(Duration::from_millis(ms))),
    ]
}

/// What may happen to a lease.
pub(super) fn lease_sets() -> impl Strategy<Value = LeaseSet> {
    let lease = prop::sample::select(vec![0, 1, 1_000, 30_000]);
    prop_oneof![
        Just(LeaseSet::Keep),
        Just(LeaseSet::Settle),
        lease.prop_map(|ms| LeaseSet::Grant(Duration::from_millis(ms))),
    ]
}

fn events() -> impl Strategy<Value = EventDraft> {
    let kind = prop::sample::select(EventKind::ALL.to_vec());
    let status = option::of(prop::sample::select(Status::ALL.to_vec()));
    let words = || option::of(".{0,8}");
    let about = (option::of((1_u64..9).prop_map(Epoch)), any::<bool>());
    (kind, status, about, words(), words()).prop_map(|(kind, status, (epoch, claimed), by, reason)| {
        EventDraft { kind, epoch, claim: claimed.then(claim_id), status, by, reason }
    })
}

impl Ask {
    /// The change that this asks of the record as it is by now; none where it asks for an older holder and there
    /// is none yet.
    pub fn change(&self, model: &Model) -> Option<Change> {
        let found = model.record.as_ref()?;
        let grant = self.grant_guard(found, model)?;
        let mut set = self.set.clone();
        (set.epoch, set.claim) = match (self.grants, grant) {
            (false, _) => (found.body.epoch, found.body.claim),
            (true, GrantGuard::Unused(claim)) => (found.body.epoch.next(), claim),
            (true, _) => (found.body.epoch.next(), set.claim),
        };
        Some(Change {
            guard: Guard {
                expected: self.expected(found),
                grant,
                lease: self.lease,
                sent: None,
                key_age: None,
            },
            set,
            lease: self.lease_set,
            event: self.event.clone(),
            preceded_by: None,
        })
    }

    fn expected(&self, found: &Record) -> Expected {
        let (mut version, mut status, mut epoch) = (found.version, found.body.status, found.body.epoch);
        match self.expected {
            Wrong::Nothing => {}
            Wrong::Absent => return Expected::Absent,
            Wrong::Version(off) => version = Version(version.0.saturating_add_signed(off)),
            Wrong::Status(other) => status = other,
            Wrong::Epoch(off) => epoch = shifted(epoch, off),
        }
        Expected::At { version, status, epoch }
    }

    fn grant_guard(&self, found: &Record, model: &Model) -> Option<GrantGuard> {
        let older = |which: usize| {
            let all = model.superseded();
            (!all.is_empty()).then(|| all[which % all.len()])
        };
        Some(match self.grant {
            Grant::Any => GrantGuard::Any,
            Grant::UnusedFresh => GrantGuard::Unused(claim_id()),
            Grant::UnusedNewest => GrantGuard::Unused(found.body.claim),
            Grant::UnusedOlder(which) => GrantGuard::Unused(older(which)?.0),
            Grant::HeldNewest(off) => GrantGuard::Held(found.body.claim, shifted(found.body.epoch, off)),
            Grant::HeldOlder(which, off) => {
                let (claim, epoch) = older(which)?;
                GrantGuard::Held(claim, shifted(epoch, off))
            }
            Grant::HeldByStranger => GrantGuard::Held(claim_id(), found.body.epoch),
        })
    }
}

fn shifted(epoch: Epoch, off: i64) -> Epoch {
    Epoch(epoch.0.saturating_add_signed(off))
}
