//! What can happen to one intent.

use proptest::prelude::*;
use sluice_core::failure::FailureClass;
use sluice_core::holder::{GoneBecause, Liveness};

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct Op {
    /// How much time passes before.
    pub advance_ms: u64,
    /// Whether it is decided on what was there one change ago.
    pub stale: bool,
    /// What happens.
    pub act: Act,
}

#[derive(Clone, Debug)]
pub enum Act {
    /// A delivery arrives.
    Arrive { marks: bool, holder: Liveness },
    /// One of the last holders passes its point of no return.
    Mark(usize),
    /// One of the last holders renews.
    Renew(usize),
    /// One of the last holders performs, if it still may; it lands or does not.
    Perform { holder: usize, lands: bool },
    /// One of the last holders says what it knows, as truly as it can.
    Say { holder: usize, class: FailureClass, success: bool },
    /// Somebody looks whether the record lapses.
    Lapse(Liveness),
    /// Somebody knows more about an epoch.
    Verdict { epoch: Option<u64>, landed: bool, honest: bool, force: bool, holder: Liveness },
}

fn ops() -> impl Strategy<Value = Op> {
    let times = prop::sample::select(vec![0, 0, 0, 0, 1_000, 10_000, 29_999, 30_000, 60_000, 90_000]);
    (times, prop::bool::weighted(0.1), acts()).prop_map(|(advance_ms, stale, act)| Op {
        advance_ms,
        stale,
        act,
    })
}

/// Any sequence. One in eight begins with a wrong verdict after which the effect runs again, since chance alone hardly
/// ever finds the way to a double effect.
pub fn sequences() -> impl Strategy<Value = Vec<Op>> {
    let any = prop::collection::vec(ops(), 1..40);
    (prop::bool::weighted(0.125), any).prop_map(|(misjudged, mut ops)| {
        if misjudged {
            ops.splice(0..0, wrong_verdict());
        }
        ops
    })
}

fn wrong_verdict() -> Vec<Op> {
    let holder = Liveness::Unknown;
    let arrive = Act::Arrive { marks: false, holder };
    let perform = Act::Perform { holder: 0, lands: true };
    let verdict = Act::Verdict { epoch: None, landed: false, honest: false, force: true, holder };
    let acts = [arrive.clone(), perform.clone(), Act::Lapse(holder), verdict, arrive, perform];
    let ops = acts.into_iter().zip([0, 0, 30_000, 0, 0, 0]);
    ops.map(|(act, advance_ms)| Op { advance_ms, stale: false, act }).collect()
}

fn acts() -> impl Strategy<Value = Act> {
    let holder = 0_usize..3;
    let class = || {
        use FailureClass::{NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
        let unknown = prop::sample::select(vec![Unknown, Unclassified, Overdue]);
        prop_oneof![2 => Just(Transient), 1 => Just(NotStarted), 1 => Just(Permanent), 2 => unknown]
    };
    let epoch = prop_oneof![2 => Just(None), 1 => (1_u64..4).prop_map(Some)];
    prop_oneof![
        4 => (any::<bool>(), liveness()).prop_map(|(marks, holder)| Act::Arrive { marks, holder }),
        2 => holder.clone().prop_map(Act::Mark),
        1 => holder.clone().prop_map(Act::Renew),
        2 => (holder.clone(), any::<bool>()).prop_map(|(holder, lands)| Act::Perform { holder, lands }),
        4 => (holder, class(), any::<bool>())
            .prop_map(|(holder, class, success)| Act::Say { holder, class, success }),
        2 => liveness().prop_map(Act::Lapse),
        2 => (epoch, any::<bool>(), prop::bool::weighted(0.7), prop::bool::weighted(0.3), liveness())
            .prop_map(|(epoch, landed, honest, force, holder)| Act::Verdict { epoch, landed, honest, force, holder }),
    ]
}

fn liveness() -> impl Strategy<Value = Liveness> {
    prop_oneof![
        5 => Just(Liveness::Unknown),
        1 => Just(Liveness::Alive(Some(7))),
        1 => Just(Liveness::Gone(GoneBecause::LockFree)),
        1 => Just(Liveness::Gone(GoneBecause::Rebooted)),
    ]
}
