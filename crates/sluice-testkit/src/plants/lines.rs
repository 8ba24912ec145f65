//! The planted lines.

use super::{How, Plant};
use crate::broken::Fault;
use sluice_core::breaker::{CircuitState, Shared};
use sluice_core::change::{Change, Expected, GrantGuard, LeaseGuard};
use sluice_core::ids::Epoch;
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Snapshot};
use sluice_core::state::Status;
use sluice_core::trail::EventKind;
use std::time::Duration;

const fn plant(name: &'static str, sentence: &'static str, how: How) -> Plant {
    Plant { name, sentence, how }
}

/// Every planted bug. Those of rules that do not exist yet arrive with them.
pub const PLANTS: &[Plant] = &[
    plant("no-fencing", "a claim is granted whoever holds it", How::Store(Fault::GrantsUnchecked)),
    plant(
        "two-steps",
        "a change is checked against an older look and written unconditionally",
        How::Asks(unconditional),
    ),
    plant(
        "settle-without-epoch",
        "a holder's word is written whatever epoch runs by then",
        How::Asks(settle_anyway),
    ),
    plant(
        "verdict-without-epoch",
        "a verdict is written whatever happened since it was asked for",
        How::Asks(verdict_anyway),
    ),
    plant(
        "unknown-is-released",
        "an unknown outcome is written as \"did not happen\"",
        How::Asks(unknown_is_released),
    ),
    plant("unknown-is-failed", "an unknown outcome is written as a failure", How::Asks(unknown_is_failed)),
    plant("lapse-releases", "an ended lease is taken for \"did not happen\"", How::Asks(lapse_releases)),
    plant("word-clears-all", "a definite word takes every epoch out of doubt", How::Asks(word_clears_all)),
    plant(
        "quiet-ignored",
        "an ended lease is taken for one that ended long ago",
        How::SeesAndAsks(ended_long_ago, no_quiet),
    ),
    plant(
        "lease-of-a-dead-host",
        "a live lease is taken for one that ended",
        How::SeesAndAsks(ended_already, no_lease),
    ),
    plant("sweep-deletes-doubt", "a sweep forgets what nobody knows", How::Store(Fault::SweepsDoubt)),
    plant("sweep-deletes-running", "a sweep forgets what is in flight", How::Store(Fault::SweepsRunning)),
    plant("claim-after-perform", "the effect begins before its claim is durable", How::Pretends(is_claim)),
    plant("success-not-durable", "a success is told before it is recorded", How::Pretends(is_success)),
    plant("mark-not-durable", "the mark is acknowledged and not written", How::Pretends(is_mark)),
    plant("lapse-not-written", "an ended lease is never written down", How::Pretends(is_lapse)),
    plant(
        "marks-taken-for-granted",
        "a missing mark proves something for an effect that declared none",
        How::Asks(all_mark),
    ),
    plant("mark-forgotten", "a settlement in doubt forgets the mark", How::Sees(never_marked)),
    plant("key-re-derived", "the key for the target is made anew with each claim", How::Asks(new_key)),
    plant("epoch-not-raised", "a later claim keeps the epoch of the one before", How::Asks(same_epoch)),
    plant("landing-forgotten", "a second landing takes the place of the first", How::Asks(one_landing)),
    plant("late-success-refused", "a success after doubt is not written", How::Asks(late_success_is_doubt)),
    plant("event-left-out", "a change writes no event", How::Store(Fault::OmitsEvent)),
    plant("event-twice", "versions are counted twice", How::Store(Fault::VersionJumps)),
    plant("one-namespace", "all namespaces share one record", How::Store(Fault::IgnoresNamespace)),
    plant("leases-by-wall-clock", "leases are judged by the clock on the wall", How::LeasesByWall),
    plant(
        "witness-lies",
        "a dead process is taken for gone while its request is on its way",
        How::WitnessLies,
    ),
    plant("no-fingerprint", "nothing is compared when a key comes again", How::NoFingerprint),
    plant(
        "window-ignored",
        "a target is believed to remember keys for longer than it does",
        How::WindowIgnored,
    ),
    plant(
        "silence-is-no",
        "an attempt without an answer is tried again as one that did not happen",
        How::SilenceIsNo,
    ),
    plant(
        "mark-of-another-process",
        "a mark that another process made is not looked for before another attempt",
        How::Looks(never_marked),
    ),
    plant("budget-not-asked", "an attempt is repeated without a look at the retry budget", How::BudgetOff),
    plant("breaker-not-asked", "a target that is down is asked all the same", How::BreakerOff),
    plant("circuit-opens-for-nothing", "a circuit is open that heard of no trouble", How::Circuits(opened)),
    plant(
        "key-replaced-in-doubt",
        "what nobody knows is sent again under a new key",
        How::Asks(new_key_in_doubt),
    ),
    plant(
        "success-run-again",
        "a success is taken for released by the next delivery",
        How::Sees(success_is_released),
    ),
    plant(
        "failure-run-again",
        "a doubt is taken for released by the next delivery",
        How::Sees(doubt_is_released),
    ),
];

fn whatever_is_there(change: &mut Change, found: Option<&Snapshot>) {
    change.guard.expected = found.map_or(Expected::Absent, |found| Expected::At {
        version: found.record.version,
        status: found.record.body.status,
        epoch: found.record.body.epoch,
    });
    change.guard.grant = GrantGuard::Any;
    change.guard.lease = LeaseGuard::Any;
}

fn unconditional(change: &mut Change, found: Option<&Snapshot>) {
    if found.is_some() && change.guard.expected != Expected::Absent {
        whatever_is_there(change, found);
    }
}

fn is_word(change: &Change) -> bool {
    use EventKind::{Failed, Released, Succeeded, Unknown};
    matches!(change.event.kind, Succeeded | Failed | Released | Unknown)
}

fn settle_anyway(change: &mut Change, found: Option<&Snapshot>) {
    if is_word(change) && found.is_some() {
        whatever_is_there(change, found);
    }
}

fn verdict_anyway(change: &mut Change, found: Option<&Snapshot>) {
    if change.event.kind == EventKind::Verdict && found.is_some() {
        whatever_is_there(change, found);
    }
}

fn unknown_becomes(change: &mut Change, status: Status) {
    if change.event.kind == EventKind::Unknown {
        change.set.unresolved.clear();
        change.set.status = status;
    }
}

fn unknown_is_released(change: &mut Change, _: Option<&Snapshot>) {
    unknown_becomes(change, Status::Released);
}

fn unknown_is_failed(change: &mut Change, _: Option<&Snapshot>) {
    unknown_becomes(change, Status::Failed);
}

fn lapse_releases(change: &mut Change, _: Option<&Snapshot>) {
    if change.event.kind == EventKind::Lapsed {
        change.set.unresolved.clear();
        change.set.status = Status::Released;
    }
}

fn word_clears_all(change: &mut Change, _: Option<&Snapshot>) {
    let to = match change.event.kind {
        EventKind::Failed => Status::Failed,
        EventKind::Released => Status::Released,
        _ => return,
    };
    change.set.unresolved.clear();
    change.set.status = to;
}

fn ended_long_ago(found: &mut Snapshot) {
    if let LeaseView::Ended(_) = found.lease {
        found.lease = LeaseView::Ended(Duration::from_hours(24));
    }
}

fn ended_already(found: &mut Snapshot) {
    if matches!(found.lease, LeaseView::Live(left) if left < Duration::from_secs(4)) {
        found.lease = LeaseView::Ended(Duration::from_hours(24));
    }
}

fn no_quiet(change: &mut Change, _: Option<&Snapshot>) {
    if let LeaseGuard::EndedFor(_) = change.guard.lease {
        change.guard.lease = LeaseGuard::Ended;
    }
}

fn no_lease(change: &mut Change, _: Option<&Snapshot>) {
    if matches!(change.guard.lease, LeaseGuard::Ended | LeaseGuard::EndedFor(_)) {
        change.guard.lease = LeaseGuard::Any;
    }
}

fn is_claim(change: &Change) -> bool {
    matches!(change.event.kind, EventKind::Claimed | EventKind::Reclaimed)
}

fn is_success(change: &Change) -> bool {
    change.event.kind == EventKind::Succeeded
}

fn is_mark(change: &Change) -> bool {
    change.event.kind == EventKind::Marked
}

fn is_lapse(change: &Change) -> bool {
    change.event.kind == EventKind::Lapsed
}

fn all_mark(change: &mut Change, _: Option<&Snapshot>) {
    change.set.terms.declares_marks = true;
}

fn opened(shared: &mut Shared) {
    shared.circuit.state = CircuitState::Open { until: LedgerTime(i64::MAX) };
}

fn never_marked(found: &mut Snapshot) {
    found.record.body.marked = false;
}

fn new_key(change: &mut Change, _: Option<&Snapshot>) {
    if is_claim(change) {
        change.set.downstream.key = format!("{} {}", change.set.downstream.key, change.set.epoch);
    }
}

fn same_epoch(change: &mut Change, found: Option<&Snapshot>) {
    if is_claim(change) && found.is_some() {
        change.set.epoch = Epoch::FIRST;
    }
}

fn one_landing(change: &mut Change, _: Option<&Snapshot>) {
    while change.set.landed.len() > 1 {
        change.set.landed.pop_first();
    }
}

fn late_success_is_doubt(change: &mut Change, found: Option<&Snapshot>) {
    let doubted = found.is_some_and(|found| found.record.body.status == Status::Indeterminate);
    if let (true, EventKind::Succeeded, Some(found)) = (doubted, change.event.kind, found) {
        change.set = found.record.body.clone();
        change.set.status = Status::Released;
        change.set.unresolved.clear();
    }
}

fn success_is_released(found: &mut Snapshot) {
    let body = &mut found.record.body;
    if body.status == Status::Succeeded {
        body.status = Status::Released;
        body.landed.clear();
    }
}

fn doubt_is_released(found: &mut Snapshot) {
    let body = &mut found.record.body;
    if body.status == Status::Indeterminate {
        body.status = Status::Released;
        body.unresolved.clear();
    }
}

fn new_key_in_doubt(change: &mut Change, _: Option<&Snapshot>) {
    if change.event.kind == EventKind::Reclaimed {
        change.set.downstream.key.push('x');
    }
}
