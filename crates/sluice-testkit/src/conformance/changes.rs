//! A change is carried out whole, or not at all.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::block_on;
use crate::sample::{claim_id, edit, first_claim, id, release, success, touch};
use sluice_core::change::{Change, Expected, GrantGuard, LeaseGuard, Unmet};
use sluice_core::ids::{Epoch, Version};
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::{StoreErrorKind, Written};
use sluice_core::trail::EventKind;

pub(super) const RULES: &[Rule] = &[
    rule("a first claim of an absent record makes its first version", first),
    rule("a first claim by another id finds the record and changes nothing", second_claim),
    rule("a change of an absent record is refused and makes none", absent),
    rule("a change made for another version changes nothing", other_version),
    rule("a change made for another status changes nothing", other_status),
    rule("a change made for another epoch changes nothing", other_epoch),
    rule("the record is judged before the grant, and the grant before the lease", order),
    rule("the version grows by one with every change, without holes", versions),
    rule("what a change answers is what a read then finds", answers),
    rule("a change that is asked for twice applies once", twice),
    rule("a change whose caller went away is whole or not there at all", dropped),
    rule("created stays, and updated never goes back, whatever the wall clock does", times),
    rule("a full ledger refuses new keys and forgets no old one", full),
];

fn first(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    same("a record nobody made", &bench.read(&id("k"))?, &None)?;
    let change = first_claim(claim_id());
    let claimed = bench.applied(&id("k"), change.clone())?;
    same("the version", &claimed.record.version, &Version::FIRST)?;
    same("the name", &claimed.record.id, &id("k"))?;
    same("the body", &claimed.record.body, &change.set)?;
    same("created", &claimed.record.created, &claimed.record.updated)?;
    let incarnation = bench.store().ledger().incarnation;
    same("the incarnation", &claimed.record.incarnation, &incarnation)
}

fn second_claim(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.refused(&id("k"), first_claim(claim_id()), Unmet::Record)?;
    bench.applied(&id("k"), release(&claimed))?;
    // Released is free to be claimed, but not by a delivery that believes there is no record.
    bench.refused(&id("k"), first_claim(claim_id()), Unmet::Record)
}

fn absent(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let other = bench.claim(&id("other"))?;
    bench.refused(&id("k"), success(&other, b"1"), Unmet::Record)?;
    same("the record", &bench.read(&id("k"))?, &None)
}

/// A change that would be fine, were it not made for a record that differs in this.
fn misjudged(found: &Snapshot, differ: impl FnOnce(&mut Version, &mut Status, &mut Epoch)) -> Change {
    let mut change = touch(found);
    if let Expected::At { version, status, epoch } = &mut change.guard.expected {
        differ(version, status, epoch);
    }
    change
}

fn other_version(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let found = bench.applied(&id("k"), touch(&claimed))?;
    for wrong in [0, 1, 3, 1 << 40] {
        let change = misjudged(&found, |version, _, _| *version = Version(wrong));
        bench.refused(&id("k"), change, Unmet::Record)?;
    }
    bench.applied(&id("k"), touch(&found)).map(drop)
}

fn other_status(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for actual in Status::ALL {
        let id = id(actual.as_str());
        let claimed = bench.claim(&id)?;
        let found = bench.applied(&id, edit(&claimed, EventKind::Evidence, |set| set.status = actual))?;
        for wrong in Status::ALL.into_iter().filter(|wrong| *wrong != actual) {
            bench.refused(&id, misjudged(&found, |_, status, _| *status = wrong), Unmet::Record)?;
        }
        bench.applied(&id, touch(&found))?;
    }
    Ok(())
}

fn other_epoch(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let found = bench.applied(&id("k"), edit(&claimed, EventKind::Evidence, |set| set.epoch = Epoch(5)))?;
    for wrong in [0, 1, 4, 6] {
        let change = misjudged(&found, |_, _, epoch| *epoch = Epoch(wrong));
        bench.refused(&id("k"), change, Unmet::Record)?;
    }
    bench.applied(&id("k"), touch(&found)).map(drop)
}

fn order(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let nobody = GrantGuard::Held(claim_id(), Epoch::FIRST);
    let nothing_holds = touch(&claimed).when_grant(nobody).when_lease(LeaseGuard::Ended);
    let mut stale = nothing_holds.clone();
    stale.guard.expected = Expected::Absent;
    bench.refused(&id("k"), stale, Unmet::Record)?;
    bench.refused(&id("k"), nothing_holds, Unmet::Grant)?;
    bench.refused(&id("k"), touch(&claimed).when_lease(LeaseGuard::Ended), Unmet::LeaseRuns)
}

fn versions(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut found = bench.claim(&id("k"))?;
    for version in 2..20 {
        bench.refused(&id("k"), first_claim(claim_id()), Unmet::Record)?;
        found = bench.applied(&id("k"), touch(&found))?;
        same("the version", &found.record.version, &Version(version))?;
    }
    let carried: Vec<_> = bench.events(&id("k"))?.iter().map(|event| event.version).collect();
    same("the versions of the events", &carried, &(1..20).map(|version| Some(Version(version))).collect())
}

fn answers(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    same("the record", &bench.found(&id("k"))?, &claimed)?;
    bench.advance(1_000);
    let marked = bench.applied(&id("k"), crate::sample::mark(&claimed))?;
    same("the record", &bench.found(&id("k"))?, &marked)?;
    let settled = bench.applied(&id("k"), success(&marked, b"{\"paid\":1}"))?;
    same("the record", &bench.found(&id("k"))?, &settled)
}

fn twice(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let change = touch(&claimed);
    let once = bench.applied(&id("k"), change.clone())?;
    bench.refused(&id("k"), change, Unmet::Record)?;
    same("the record", &bench.found(&id("k"))?, &once)
}

fn dropped(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for attempt in 0..8 {
        let id = id(&format!("k{attempt}"));
        let change = first_claim(claim_id());
        drop(bench.store().apply(id.clone(), change.clone()));
        // Asking again is what a caller does that does not know; either answer is fine, half a change is not.
        if let Written::Found { snapshot, .. } = bench.apply(&id, change.clone())? {
            same(
                "whose claim is there",
                &snapshot.map(|found| found.record.body.claim),
                &Some(change.set.claim),
            )?;
        }
        same("the body", &bench.found(&id)?.record.body, &change.set)?;
        same("how many events there are", &bench.events(&id)?.len(), &1)?;
    }
    Ok(())
}

fn times(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let first = bench.claim(&id("k"))?;
    let mut last = first.clone();
    for step_ms in [0, -3_600_000, 7_200_000, -315_576_000_000, 0] {
        subject.step_wall(step_ms);
        bench.advance(1_500);
        let next = bench.applied(&id("k"), touch(&last))?;
        same("created", &next.record.created, &first.record.created)?;
        let (before, after) = (last.record.updated, next.record.updated);
        ensure!(after >= before, "updated went from {before:?} back to {after:?} at a step of {step_ms} ms");
        last = next;
    }
    let passed = last.record.updated.0 - first.record.updated.0;
    ensure!(passed > 0, "updated stood still while time passed");
    let event = bench.events(&id("k"))?.pop();
    same("when the last event was", &event.map(|event| event.at), &Some(last.record.updated))
}

fn full(subject: &dyn Subject) -> Verdict {
    let Some(store) = subject.capped(3) else {
        return Ok(());
    };
    let claim = |key: &str| block_on(store.apply(id(key), first_claim(claim_id())));
    for key in ["a", "b", "c"] {
        ensure!(matches!(claim(key), Ok(Written::Applied(_))), "{key} was refused though there is room");
    }
    match claim("d") {
        Err(error) => same("the kind of trouble", &error.kind, &StoreErrorKind::AtCapacity)?,
        Ok(written) => return Err(format!("a full ledger answered {written:?}")),
    }
    for key in ["a", "b", "c"] {
        let found = block_on(store.read(&id(key))).map_err(super::bench::trouble)?;
        let Some(found) = found else {
            return Err(format!("{key} was forgotten to make room"));
        };
        let written = block_on(store.apply(id(key), touch(&found)));
        ensure!(matches!(written, Ok(Written::Applied(_))), "a full ledger refused a change of what it has");
    }
    let page = block_on(store.list(sluice_core::store::Query::default())).map_err(super::bench::trouble)?;
    same("how many records are listed", &page.items.len(), &3)
}
