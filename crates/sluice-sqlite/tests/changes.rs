//! A change is carried out whole, or not at all.

mod common;

use common::*;
use sluice_core::change::{GrantGuard, Unmet};
use sluice_core::failure::FailureClass;
use sluice_core::ids::{Epoch, Version};
use sluice_core::key::{Fingerprint, SecretId};
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome};
use sluice_core::state::Status;
use sluice_core::store::{Store, Written};
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::unresolved::Doubt;
use std::time::Duration;

#[test]
fn a_claim_and_its_settlement_are_two_versions_with_one_event_each() {
    let place = Place::new();
    let store = place.open();
    assert_eq!(read(&store, "k"), None);

    let claimed = claim(&store, "k");
    assert_eq!(claimed.record.version, Version::FIRST);
    assert!(claimed.lease.is_live());
    let settled = apply(&store, "k", success(&claimed, b"{\"paid\":1}"));
    assert_eq!(settled.record.version, Version(2));
    assert_eq!(settled.record.created, claimed.record.created);
    assert!(settled.record.updated >= claimed.record.updated);

    assert_eq!(read(&store, "k").unwrap().record, settled.record, "what is read is what was answered");
    let events = wait(store.events(&id("k"))).unwrap();
    let kinds: Vec<_> = events.iter().map(|event| (event.draft.kind, event.version)).collect();
    assert_eq!(kinds, [(EventKind::Claimed, Some(Version(1))), (EventKind::Succeeded, Some(Version(2)))]);
    assert_eq!(events[1].at, settled.record.updated);
}

#[test]
fn a_change_whose_guard_does_not_hold_changes_nothing_and_says_what_is_there() {
    let place = Place::new();
    let store = place.open();
    let claimed = claim(&store, "k");
    let before =
        place.raw().query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap();

    let answer = wait(store.apply(id("k"), first_claim(claim_id()))).unwrap();
    let Written::Found { snapshot, unmet } = answer else { panic!("a second first claim was granted") };
    assert_eq!(unmet, Unmet::Record);
    assert_eq!(snapshot.unwrap().record, claimed.record);
    assert_eq!(read(&store, "k").unwrap().record, claimed.record);
    let after = place.raw().query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(before, after);

    let answer = wait(store.apply(id("absent"), success(&claimed, b"1"))).unwrap();
    assert_eq!(answer, Written::Found { snapshot: None, unmet: Unmet::Record });
    assert_eq!(read(&store, "absent"), None);
}

#[test]
fn a_claim_id_is_granted_once_ever() {
    let place = Place::new();
    let store = place.open();
    let first = claim(&store, "k");
    let claims = [first.record.body.claim, claim_id(), claim_id()];
    let released = apply(&store, "k", release(&first));
    let second = apply(&store, "k", next_claim(&released, claims[1]));
    assert_eq!(second.record.body.epoch, Epoch(2));
    let released = apply(&store, "k", release(&second));
    let third = apply(&store, "k", next_claim(&released, claims[2]));
    let released = apply(&store, "k", release(&third));

    for used in claims {
        let answer = wait(store.apply(id("k"), next_claim(&released, used))).unwrap();
        assert!(matches!(answer, Written::Found { unmet: Unmet::Grant, .. }), "{used} was granted twice");
    }
    // The same id under another key is another claim.
    apply(&store, "other", first_claim(claims[1]));
}

#[test]
fn a_superseded_holder_is_known_by_claim_and_epoch_together() {
    let place = Place::new();
    let store = place.open();
    let first = claim(&store, "k");
    let old = first.record.body.claim;
    let released = apply(&store, "k", release(&first));
    let second = apply(&store, "k", next_claim(&released, claim_id()));

    let late = |grant| success(&second, b"1").when_grant(grant);
    let answer = wait(store.apply(id("k"), late(GrantGuard::Held(old, Epoch(2))))).unwrap();
    assert!(matches!(answer, Written::Found { unmet: Unmet::Grant, .. }));
    let answer = wait(store.apply(id("k"), late(GrantGuard::Held(claim_id(), Epoch(1))))).unwrap();
    assert!(matches!(answer, Written::Found { unmet: Unmet::Grant, .. }));
    apply(&store, "k", late(GrantGuard::Held(old, Epoch(1))));
}

#[test]
fn every_field_of_a_record_reads_back_equal() {
    let place = Place::new();
    let store = place.open();
    let mut change = first_claim(claim_id());
    let set = &mut change.set;
    set.holder.pid_start = Some(123_456);
    set.holder.process_group = Some(u32::MAX);
    set.holder.lock = Some("clm_x".into());
    set.terms.attempt_timeout = Some(Duration::from_millis(1));
    set.terms.declares_marks = true;
    set.marked = true;
    set.labels.actor = Some(String::new());
    set.labels.run_id = Some("run \u{0} \u{1f600} \u{202e}".into());
    set.labels.object_id = Some("'; DROP TABLE records; --".into());
    set.fingerprint = Some(Fingerprint { secret_id: SecretId("fp-1".into()), mac: [0xfe; 32] });
    set.unresolved = [(Epoch(1), Doubt::Lapsed), (Epoch(u64::MAX), Doubt::Unknown)].into_iter().collect();
    set.landed = [Epoch(3), Epoch(u64::MAX)].into();
    set.evidence = Some(Kept::within(b"\x00\xff".to_vec(), 10));
    set.outcome = Outcome::Success(Kept::within(vec![7; 100], 10));
    set.downstream.rotation = u32::MAX;
    let answered = apply(&store, "k", change);
    drop(store);
    assert_eq!(read(&place.open(), "k").unwrap().record, answered.record);
}

#[test]
fn every_kind_of_outcome_reads_back_equal() {
    let place = Place::new();
    let store = place.open();
    let detail = serde_json::json!({"n": 0.1, "\u{0}": [null, 9_007_199_254_740_991_i64]});
    let mut outcomes: Vec<_> = NotKept::ALL.map(|why| Outcome::Success(Kept::absent(why))).into();
    outcomes.extend([
        Outcome::None,
        Outcome::Success(Kept::within(Vec::new(), 0)),
        Outcome::Success(Kept::within(vec![0; 70_000], usize::MAX)),
        Outcome::Success(Kept::within(vec![1; 70_000], 65_536)),
        Outcome::Success(Kept { bytes: None, sha256: Some([1; 32]), value: Ok(b"x".to_vec()) }),
        Outcome::Fault(Fault {
            class: FailureClass::Permanent,
            code: Some("declined".into()),
            message: "card\u{0}declined \u{fffd}".into(),
            detail: Some(detail.to_string()),
            from_target: true,
        }),
    ]);
    for (number, outcome) in outcomes.into_iter().enumerate() {
        let key = format!("k{number}");
        let mut change = first_claim(claim_id());
        change.set.outcome = outcome.clone();
        apply(&store, &key, change);
        assert_eq!(read(&store, &key).unwrap().record.body.outcome, outcome);
    }
}

#[test]
fn odd_keys_are_kept_apart_byte_for_byte() {
    let place = Place::new();
    let store = place.open();
    let long = "x".repeat(200);
    let keys = ["a", "a%", "a_", "A", "a ", "\u{e9}", "e\u{301}", "\u{1f600}", "\u{fb33}", &long];
    for key in keys {
        claim(&store, key);
    }
    for key in keys {
        assert_eq!(read(&store, key).unwrap().record.id, id(key));
        assert_eq!(wait(store.events(&id(key))).unwrap().len(), 1);
    }
}

#[test]
fn a_notice_is_an_event_without_a_version_and_changes_no_record() {
    let place = Place::new();
    let store = place.open();
    let early = EventDraft::new(EventKind::Note).by("ann").because("before there was a record");
    wait(store.notice(id("k"), early.clone())).unwrap();
    let claimed = claim(&store, "k");
    wait(store.notice(id("k"), EventDraft::new(EventKind::KeyConflict))).unwrap();

    assert_eq!(read(&store, "k").unwrap().record, claimed.record);
    let events = wait(store.events(&id("k"))).unwrap();
    let seen: Vec<_> = events.iter().map(|event| (event.draft.kind, event.version)).collect();
    let claimed = (EventKind::Claimed, Some(Version(1)));
    assert_eq!(seen, [(EventKind::Note, None), claimed, (EventKind::KeyConflict, None)]);
    assert_eq!(events[0].draft, early);
    assert!(wait(store.events(&id("nobody"))).unwrap().is_empty());
}

#[test]
fn a_caller_that_stops_listening_changes_nothing_for_the_others() {
    let place = Place::new();
    let store = place.open();
    for number in 0..50 {
        drop(store.apply(id(&format!("k{number}")), first_claim(claim_id())));
    }
    drop(store.notice(id("k0"), EventDraft::new(EventKind::Note)));
    claim(&store, "last");
    drop(store);
    let store = place.open();
    for number in 0..50 {
        assert_eq!(read(&store, &format!("k{number}")).unwrap().record.body.status, Status::InFlight);
    }
}
