//! Leases are judged by the boot and its clock; the wall clock decides nothing about them.

mod common;

use common::*;
use sluice_core::change::{Change, LeaseGuard, LeaseSet, Unmet};
use sluice_core::ids::Epoch;
use sluice_core::lease::LeaseView;
use sluice_core::record::Snapshot;
use sluice_core::state::{Status, Transition};
use sluice_core::store::{Renewed, Store, Written};
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::unresolved::Doubt;
use sluice_sqlite::SqliteStore;
use std::sync::Arc;
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;
const HOUR_MS: i64 = 3_600_000;

struct World {
    place: Place,
    clock: Arc<FakeClock>,
    store: SqliteStore,
}

fn world() -> World {
    let (place, clock) = (Place::new(), FakeClock::new());
    let store = open(&place.path, clock.options());
    World { place, clock, store }
}

fn lapse(found: &Snapshot, lease: LeaseGuard) -> Change {
    let event = EventDraft::new(EventKind::Lapsed).about(found.record.body.epoch, None);
    let change = Change::of(found, Transition::Doubt, event, |set| {
        set.unresolved.add(Epoch(1), Doubt::Lapsed);
    });
    change.unwrap().when_lease(lease).and_lease(LeaseSet::Settle)
}

fn renew(store: &SqliteStore, key: &str, held: &Snapshot, lease: Duration) -> Renewed {
    let body = &held.record.body;
    wait(store.renew(id(key), body.claim, body.epoch, lease)).unwrap()
}

fn refused(store: &SqliteStore, change: Change) -> Unmet {
    match wait(store.apply(id("k"), change)).unwrap() {
        Written::Found { unmet, .. } => unmet,
        Written::Applied(snapshot) => panic!("applied: {snapshot:?}"),
    }
}

#[test]
fn a_lease_runs_for_as_long_as_it_was_granted_and_then_counts_how_long_it_is_over() {
    let World { clock, store, place: _place } = world();
    assert_eq!(claim(&store, "k").lease, LeaseView::Live(S(30)));
    clock.pass(S(29));
    assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Live(S(1)));
    clock.pass(S(1));
    assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Ended(S(0)));
    clock.pass(S(7));
    assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Ended(S(7)));
}

#[test]
fn a_guard_on_the_lease_is_judged_when_it_is_written_not_when_it_was_read() {
    let World { clock, store, place: _place } = world();
    let claimed = claim(&store, "k");
    assert_eq!(refused(&store, lapse(&claimed, LeaseGuard::Ended)), Unmet::LeaseRuns);
    clock.pass(S(31));
    assert_eq!(refused(&store, mark(&claimed)), Unmet::LeaseOver);
    assert_eq!(refused(&store, lapse(&claimed, LeaseGuard::EndedFor(S(2)))), Unmet::LeaseRuns);
    clock.pass(S(1));
    let lapsed = apply(&store, "k", lapse(&claimed, LeaseGuard::EndedFor(S(2))));
    assert_eq!(lapsed.lease, LeaseView::Ended(S(2)), "a lapse leaves an end that is known");
}

#[test]
fn a_lease_of_another_boot_is_over_and_its_settlement_begins_to_count() {
    let World { clock, store, place: _place } = world();
    let claimed = claim(&store, "k");
    clock.reboot("boot-2");
    assert_eq!(read(&store, "k").unwrap().lease, LeaseView::EndedAtReboot);
    assert_eq!(refused(&store, mark(&claimed)), Unmet::LeaseOver);
    assert_eq!(refused(&store, lapse(&claimed, LeaseGuard::EndedFor(S(60)))), Unmet::LeaseRuns);
    let lapsed = apply(&store, "k", lapse(&claimed, LeaseGuard::Ended));
    assert_eq!(lapsed.lease, LeaseView::Ended(S(0)));
    clock.pass(S(60));
    assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Ended(S(60)));
}

#[test]
fn a_renewal_moves_the_lease_and_nothing_else() {
    let World { clock, store, place: _place } = world();
    let claimed = claim(&store, "k");
    clock.pass(S(20));
    let extended = Renewed::Extended { remaining: S(30), landed_elsewhere: false };
    assert_eq!(renew(&store, "k", &claimed, S(30)), extended);
    clock.pass(S(29));
    let found = read(&store, "k").unwrap();
    assert_eq!(found.lease, LeaseView::Live(S(1)));
    assert_eq!(found.record, claimed.record, "no version, no time of change");
    assert_eq!(wait(store.events(&id("k"))).unwrap().len(), 1, "no event");
}

#[test]
fn a_renewal_is_lost_after_the_lease_or_for_another_claim_epoch_or_status() {
    let World { clock, store, place: _place } = world();
    let claimed = claim(&store, "k");
    let body = &claimed.record.body;
    let lost = |claim, epoch| wait(store.renew(id("k"), claim, epoch, LEASE)).unwrap() == Renewed::Lost;
    assert!(lost(claim_id(), body.epoch));
    assert!(lost(body.claim, Epoch(2)));
    assert_eq!(renew(&store, "absent", &claimed, LEASE), Renewed::Lost);
    clock.pass(S(30));
    assert!(lost(body.claim, body.epoch), "a lease that is over is never revived");

    let other = claim(&store, "other");
    apply(&store, "other", release(&other));
    assert_eq!(renew(&store, "other", &other, LEASE), Renewed::Lost);
    let rebooted = claim(&store, "rebooted");
    clock.reboot("boot-2");
    assert_eq!(renew(&store, "rebooted", &rebooted, LEASE), Renewed::Lost);
}

#[test]
fn a_renewal_tells_that_an_older_execution_landed() {
    let World { store, place: _place, .. } = world();
    let first = claim(&store, "k");
    let released = apply(&store, "k", release(&first));
    let second = apply(&store, "k", next_claim(&released, claim_id()));
    let evidence = EventDraft::new(EventKind::Evidence).about(Epoch(1), None);
    let change = Change::of(&second, Transition::Witness, evidence, |set| {
        set.landed = [Epoch(1)].into();
    });
    apply(&store, "k", change.unwrap());
    assert!(matches!(renew(&store, "k", &second, LEASE), Renewed::Extended { landed_elsewhere: true, .. }));
}

#[test]
fn a_wall_clock_that_steps_touches_no_lease_and_halts_retention_only_after_an_hour() {
    let World { place, clock, store } = world();
    let halted = || -> bool {
        place.raw().query_row("SELECT retention_halted FROM meta", [], |row| row.get(0)).unwrap()
    };
    claim(&store, "k");
    for (number, step) in [HOUR_MS, -2 * HOUR_MS, HOUR_MS].into_iter().enumerate() {
        clock.step_wall(step);
        assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Live(S(30)));
        claim(&store, &format!("hour {number}"));
        assert!(!halted());
    }
    let decade = 10 * 365 * 24 * HOUR_MS;
    for (number, step) in [decade, -2 * decade].into_iter().enumerate() {
        let before = read(&store, "k").unwrap().record.created;
        clock.step_wall(step);
        assert_eq!(read(&store, "k").unwrap().lease, LeaseView::Live(S(30)));
        let claimed = claim(&store, &format!("decade {number}"));
        assert_eq!(claimed.record.created, before, "ledger time follows the boot clock");
        assert!(halted());
    }
}

#[test]
fn ledger_time_never_goes_back_across_boots_and_handles() {
    let World { place, clock, mut store } = world();
    let mut last = claim(&store, "k0").record.created;
    for number in 1..20 {
        match number % 4 {
            0 => clock.reboot(&format!("boot-{number}")),
            1 => clock.step_wall(-1000 * HOUR_MS),
            2 => clock.pass(S(1)),
            _ => {
                drop(store);
                store = open(&place.path, clock.options());
            }
        }
        let now = claim(&store, &format!("k{number}")).record.created;
        assert!(now >= last, "{now:?} after {last:?}");
        last = now;
    }
}

#[test]
fn a_status_that_is_over_still_says_how_long_ago_its_lease_ended() {
    let World { clock, store, place: _place } = world();
    let claimed = claim(&store, "k");
    let settled = apply(&store, "k", success(&claimed, b"1"));
    assert_eq!(settled.lease, LeaseView::Live(S(30)));
    clock.pass(S(40));
    let found = read(&store, "k").unwrap();
    assert_eq!((found.record.body.status, found.lease), (Status::Succeeded, LeaseView::Ended(S(10))));
}
