//! What must be true when a change is written, and when a lease moves.

mod common;

use common::{ENDED, LIVE, Ledger, QUIET, claim_id, fault, success};
use sluice_core::change::{Change, Facts, GrantGuard, LeaseGuard, Unmet, renewal};
use sluice_core::downstream::KeyAge;
use sluice_core::failure::FailureClass::Transient;
use sluice_core::holder::Liveness;
use sluice_core::ids::{ClaimId, Epoch, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Record, Snapshot};
use sluice_core::state::{Status, Transition};
use sluice_core::store::Renewed;
use sluice_core::trail::{EventDraft, EventKind};
use std::time::Duration;

type Edit = fn(&mut Record);

const S: fn(u64) -> Duration = Duration::from_secs;

/// Released at epoch 1 by claim 1, in flight at epoch 2 under claim 2.
fn second_grant() -> Ledger {
    Ledger::in_flight().settled(1, 1, &fault(Transient)).claimed(2, false)
}

fn change(found: &Snapshot) -> Change {
    Change::of(found, Transition::Mark, EventDraft::new(EventKind::Marked), |_| ()).unwrap()
}

fn check(change: &Change, snapshot: &Snapshot, granted_before: Option<Epoch>) -> Result<(), Unmet> {
    let (record, lease) = (Some(&snapshot.record), snapshot.lease);
    change.guard.check(Facts { record, lease, granted_before, now: LedgerTime(0) })
}

#[test]
fn a_change_applies_only_to_the_very_record_it_was_made_for() {
    let found = second_grant().snapshot().clone();
    assert_eq!(check(&change(&found), &found, None), Ok(()));
    let edits: [(&str, Edit); 3] = [
        ("its version", |record| record.version = Version(record.version.0 + 1)),
        ("its state", |record| record.body.status = Status::Indeterminate),
        ("its epoch", |record| record.body.epoch = Epoch(1)),
    ];
    for (what, edit) in edits {
        let mut other = found.clone();
        edit(&mut other.record);
        assert_eq!(check(&change(&found), &other, None), Err(Unmet::Record), "{what} is another one");
    }
    let absent = Facts { record: None, lease: LIVE, granted_before: None, now: LedgerTime(0) };
    assert_eq!(change(&found).guard.check(absent), Err(Unmet::Record));
}

#[test]
fn a_first_claim_needs_that_there_is_no_record() {
    let found = second_grant().snapshot().clone();
    let first = Change::first_claim(found.record.body.clone(), EventDraft::new(EventKind::Claimed));
    assert_eq!(check(&first, &found, None), Err(Unmet::Record));
    let absent = Facts { record: None, lease: LIVE, granted_before: None, now: LedgerTime(0) };
    assert_eq!(first.guard.check(absent), Ok(()));
}

#[test]
fn a_claim_id_is_looked_for_in_the_newest_grant_and_among_the_older_ones() {
    let found = second_grant().snapshot().clone();
    let older = Some(Epoch(1));
    let unmet = Err(Unmet::Grant);
    for (grant, granted_before, expected) in [
        (GrantGuard::Any, None, Ok(())),
        (GrantGuard::Unused(claim_id(3)), None, Ok(())),
        (GrantGuard::Unused(claim_id(2)), None, unmet),
        (GrantGuard::Unused(claim_id(1)), older, unmet),
        (GrantGuard::Held(claim_id(2), Epoch(2)), None, Ok(())),
        (GrantGuard::Held(claim_id(2), Epoch(1)), None, unmet),
        (GrantGuard::Held(claim_id(1), Epoch(1)), older, Ok(())),
        (GrantGuard::Held(claim_id(1), Epoch(2)), older, unmet),
        (GrantGuard::Held(claim_id(3), Epoch(2)), None, unmet),
    ] {
        let change = change(&found).when_grant(grant);
        assert_eq!(check(&change, &found, granted_before), expected, "{grant:?}");
    }
}

#[test]
fn older_grants_are_looked_up_only_where_they_can_matter() {
    let (first, second) = (Ledger::in_flight(), second_grant());
    let asked = |ledger: &Ledger, grant| {
        let record = ledger.now.as_ref().map(|now| &now.record);
        change(second.snapshot()).when_grant(grant).guard.looks_up(record)
    };
    let guards: [fn(ClaimId) -> GrantGuard; 2] =
        [GrantGuard::Unused, |claim| GrantGuard::Held(claim, Epoch(1))];
    for guard in guards {
        assert_eq!(asked(&second, guard(claim_id(1))), Some(claim_id(1)));
        assert_eq!(asked(&second, guard(claim_id(2))), None, "it is the newest grant");
        assert_eq!(asked(&first, guard(claim_id(9))), None, "there is no older grant");
        assert_eq!(asked(&Ledger::empty(), guard(claim_id(1))), None, "there is no grant at all");
    }
    assert_eq!(asked(&second, GrantGuard::Any), None, "nobody asks");
}

#[test]
fn what_a_change_needs_of_the_lease_is_judged_on_the_lease_that_is_found() {
    let found = second_grant().snapshot().clone();
    let (runs, over) = (Err(Unmet::LeaseRuns), Err(Unmet::LeaseOver));
    for (guard, expected) in [
        (LeaseGuard::Any, [Ok(()), Ok(()), Ok(()), Ok(())]),
        (LeaseGuard::Live, [Ok(()), over, over, over]),
        (LeaseGuard::Ended, [runs, Ok(()), Ok(()), Ok(())]),
        (LeaseGuard::EndedFor(S(60)), [runs, runs, Ok(()), runs]),
    ] {
        let change = change(&found).when_lease(guard);
        let judged = [LIVE, ENDED, QUIET, LeaseView::EndedAtReboot]
            .map(|lease| check(&change, &Snapshot { lease, ..found.clone() }, None));
        assert_eq!(judged, expected, "{guard:?}");
    }
}

#[test]
fn a_key_that_is_too_old_stops_the_change_in_the_store() {
    let found = second_grant().snapshot().clone();
    let with = |at_most| {
        change(&found).when_key_age(Some(KeyAge { first_used: LedgerTime(-2_000), at_most: S(at_most) }))
    };
    assert_eq!(check(&with(2), &found, None), Ok(()));
    assert_eq!(check(&with(1), &found, None), Err(Unmet::KeyAge));
}

#[test]
fn only_the_live_lease_of_the_newest_grant_is_renewed() {
    let renew = |ledger: &Ledger, n, epoch| {
        let Snapshot { record, lease } = ledger.snapshot();
        renewal(record, *lease, claim_id(n), Epoch(epoch), S(30))
    };
    let extended = Renewed::Extended { remaining: S(30), landed_elsewhere: false };
    let ledger = second_grant();
    assert_eq!(renew(&ledger, 2, 2), extended);
    for (n, epoch) in [(1, 1), (1, 2), (2, 1), (2, 3)] {
        assert_eq!(renew(&ledger, n, epoch), Renewed::Lost, "claim {n} at epoch {epoch}");
    }
    assert_eq!(renew(&ledger.clone().lease(ENDED), 2, 2), Renewed::Lost);
    assert_eq!(renew(&ledger.clone().settled(2, 2, &fault(Transient)), 2, 2), Renewed::Lost);
    let mut own = ledger.snapshot().clone();
    own.record.body.landed.insert(Epoch(2));
    assert_eq!(renewal(&own.record, LIVE, claim_id(2), Epoch(2), S(30)), extended, "not elsewhere");
}

#[test]
fn a_renewal_says_that_an_older_execution_landed() {
    let known = Ledger::in_flight().lease(ENDED).lapsed(Liveness::Unknown).reclaimed(2);
    let known = known.settled(1, 1, &success("old"));
    let renewed = renewal(&known.snapshot().record, LIVE, claim_id(2), Epoch(2), S(5));
    assert_eq!(renewed, Renewed::Extended { remaining: S(5), landed_elsewhere: true });
}

#[test]
fn a_grant_names_the_older_one_that_is_filed_and_any_other_change_none() {
    let (first, second) = (Ledger::in_flight(), second_grant());
    let claim = change(second.snapshot());
    assert_eq!(claim.supersedes(None), None, "a first claim");
    assert_eq!(claim.supersedes(Some(&first.snapshot().record)), Some((Epoch(1), claim_id(1))));
    assert_eq!(claim.supersedes(Some(&second.snapshot().record)), None, "the same grant");
    assert_eq!(change(first.snapshot()).supersedes(Some(&second.snapshot().record)), None, "an older one");
}

#[test]
fn a_changes_event_says_what_state_the_record_is_left_in() {
    let found = second_grant().snapshot().clone();
    let doubt = Change::of(&found, Transition::Doubt, EventDraft::new(EventKind::Lapsed), |_| ()).unwrap();
    assert_eq!((doubt.set.status, doubt.event.status), (Status::Indeterminate, Some(Status::Indeterminate)));
    assert_eq!(doubt.events().count(), 1);
    let two = doubt.preceded_by(EventDraft::new(EventKind::Reopened));
    assert_eq!(
        two.events().map(|event| event.kind).collect::<Vec<_>>(),
        [EventKind::Reopened, EventKind::Lapsed]
    );
    let refused = Change::of(&found, Transition::Reopen, EventDraft::new(EventKind::Reopened), |_| ());
    assert_eq!(refused.unwrap_err().from, Some(Status::InFlight));
}
