//! Bodies in any state at all, whether or not a rule could lead there.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;
use sluice_core::failure::FailureClass;
use sluice_core::holder::Holder;
use sluice_core::ids::Epoch;
use sluice_core::key::{Fingerprint, SecretId};
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome};
use sluice_core::record::{Body, Downstream, Labels, LedgerTime, Terms};
use sluice_core::state::Status;
use sluice_core::unresolved::Doubt;
use std::time::Duration;

/// Counters as far as a ledger keeps them.
const LARGEST: u64 = i64::MAX.unsigned_abs();

/// Any body. Its claim id is made anew, since two records of one ledger never share one.
pub fn bodies() -> impl Strategy<Value = Body> {
    let state = (
        prop::sample::select(Status::ALL.to_vec()),
        (1_u64..6).prop_map(Epoch),
        any::<bool>(),
        vec(((1_u64..9).prop_map(Epoch), doubts()), 0..4),
        prop::collection::btree_set((1_u64..9).prop_map(Epoch), 0..4),
    )
        .boxed();
    let rest = (
        holders(),
        terms(),
        labels(),
        option::of(fingerprints()),
        option::of(kept()),
        outcomes(),
        downstreams(),
    )
        .boxed();
    // Boxed, since a strategy of everything at once is larger than a thread's stack in a build for debugging.
    (state, rest).prop_map(|(state, rest)| {
        let (status, epoch, marked, unresolved, landed) = state;
        let (holder, terms, labels, fingerprint, evidence, outcome, downstream) = rest;
        Body {
            status,
            epoch,
            claim: crate::sample::claim_id(),
            holder,
            terms,
            marked,
            labels,
            fingerprint,
            unresolved: unresolved.into_iter().collect(),
            landed,
            evidence,
            outcome,
            downstream,
        }
    })
}

fn doubts() -> impl Strategy<Value = Doubt> {
    prop_oneof![Just(Doubt::Lapsed), Just(Doubt::Unknown), Just(Doubt::Ended)]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        vec(any::<char>(), 0..12).prop_map(|chars| chars.into_iter().collect()),
        Just("\0\u{2028}'\"\\".to_owned()),
    ]
}

fn holders() -> impl Strategy<Value = Holder> {
    let numbers = (any::<u32>(), option::of(0..=LARGEST), option::of(any::<u32>()));
    (texts(), texts(), numbers, option::of(texts())).prop_map(|(machine, boot, numbers, lock)| Holder {
        machine,
        boot,
        pid: numbers.0,
        pid_start: numbers.1,
        process_group: numbers.2,
        lock,
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    let times = (1_000_u64..60_000, option::of(0..=LARGEST), 0..=LARGEST, 0..=LARGEST);
    (times, any::<bool>(), any::<bool>()).prop_map(|(times, declares_marks, repeatable)| Terms {
        lease: Duration::from_millis(times.0),
        attempt_timeout: times.1.map(Duration::from_millis),
        declares_marks,
        repeatable,
        keep_result: Duration::from_millis(times.2),
        remember: Duration::from_millis(times.3),
    })
}

fn labels() -> impl Strategy<Value = Labels> {
    let label = || option::of(texts());
    (label(), label(), label(), label()).prop_map(|(tool, actor, run_id, object_id)| Labels {
        tool,
        actor,
        run_id,
        object_id,
    })
}

fn fingerprints() -> impl Strategy<Value = Fingerprint> {
    (texts(), any::<[u8; 32]>()).prop_map(|(name, mac)| Fingerprint { secret_id: SecretId(name), mac })
}

fn downstreams() -> impl Strategy<Value = Downstream> {
    let first_used = option::of(any::<i64>().prop_map(LedgerTime));
    (texts(), any::<u32>(), first_used).prop_map(|(key, rotation, first_used)| Downstream {
        key,
        rotation,
        first_used,
    })
}

/// Any result, kept or not.
pub fn kept() -> impl Strategy<Value = Kept> {
    let value = prop_oneof![
        vec(any::<u8>(), 0..200).prop_map(Ok),
        prop::sample::select(NotKept::ALL.to_vec()).prop_map(Err),
    ];
    (option::of(0..=LARGEST), option::of(any::<[u8; 32]>()), value).prop_map(|(bytes, sha256, value)| Kept {
        bytes,
        sha256,
        value,
    })
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![Just(Outcome::None), kept().prop_map(Outcome::Success), faults().prop_map(Outcome::Fault),]
}

/// Any fault.
pub fn faults() -> impl Strategy<Value = Fault> {
    use FailureClass::{NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
    let all = vec![Permanent, Transient, NotStarted, Unknown, Unclassified, Overdue];
    let class = prop::sample::select(all);
    let said = (class, option::of(texts()), texts(), option::of(details()), any::<bool>());
    said.prop_map(|(class, code, message, detail, from_target)| {
        let detail = detail.map(|detail| detail.to_string());
        Fault { class, code, message, detail, from_target }
    })
}

/// Any JSON that is not null: a detail of null is read back as none (see `tests/found.rs`).
fn details() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300).prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((texts(), inner), 0..3).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
