//! A renewal moves the lease of a live claim, and nothing else.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::sample::{claim_id, edit, id, next_claim, release};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::lease::LeaseView;
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::Renewed;
use sluice_core::trail::EventKind;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a renewal moves the lease and neither version, event nor time of change", only_the_lease),
    rule("a renewal counts from now and answers the time that remains", from_now),
    rule("a renewal by another claim id is lost and leaves the lease alone", other_claim),
    rule("a renewal for another epoch is lost and leaves the lease alone", other_epoch),
    rule("a holder that was superseded renews nothing", superseded),
    rule("a lease that is over is not renewed", ended),
    rule("a record that is not in flight renews nothing", settled),
    rule("a renewal of an absent record is lost and makes none", absent),
    rule("a renewal says that another execution landed only for an older epoch", landed_elsewhere),
];

const LEASE: Duration = Duration::from_secs(40);

fn renew_own(bench: Bench<'_>, found: &Snapshot) -> Result<Renewed, String> {
    let body = &found.record.body;
    bench.renew(&found.record.id, body.claim, body.epoch, LEASE)
}

/// A renewal that must be lost, and must leave everything as it was.
fn lost(bench: Bench<'_>, id: &RecordId, claim: ClaimId, epoch: u64) -> Verdict {
    let before = bench.seen(id)?;
    same("the renewal", &bench.renew(id, claim, Epoch(epoch), LEASE)?, &Renewed::Lost)?;
    same("what a lost renewal left behind", &bench.seen(id)?, &before)
}

fn only_the_lease(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let before = bench.seen(&id("k"))?;
    for _ in 0..3 {
        bench.advance(10_000);
        renew_own(bench, &claimed)?;
    }
    let after = bench.seen(&id("k"))?;
    let record = |snapshot: Option<Snapshot>| snapshot.map(|found| found.record);
    same("the record", &record(after.snapshot), &record(before.snapshot))?;
    same("the events", &after.events, &before.events)?;
    // The version that was read before the renewals is still the one to write against.
    bench.applied(&id("k"), release(&claimed)).map(drop)
}

fn from_now(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(29_999);
    let expected = Renewed::Extended { remaining: LEASE, landed_elsewhere: false };
    same("the renewal", &renew_own(bench, &claimed)?, &expected)?;
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Live(LEASE))?;
    bench.advance(39_999);
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Live(Duration::from_millis(1)))?;
    bench.advance(1);
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Ended(Duration::ZERO))
}

fn other_claim(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.claim(&id("k"))?;
    bench.advance(1_000);
    lost(bench, &id("k"), claim_id(), 1)
}

fn other_epoch(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(1_000);
    for epoch in [0, 2, 99] {
        lost(bench, &id("k"), claimed.record.body.claim, epoch)?;
    }
    Ok(())
}

fn superseded(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let released = bench.released(&id("k"))?;
    let next = bench.applied(&id("k"), next_claim(&released, claim_id()))?;
    bench.advance(1_000);
    let old = released.record.body.claim;
    lost(bench, &id("k"), old, 1)?;
    lost(bench, &id("k"), old, 2)?;
    lost(bench, &id("k"), next.record.body.claim, 1)
}

fn ended(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(30_000);
    lost(bench, &id("k"), claimed.record.body.claim, 1)?;
    bench.advance(3_600_000);
    lost(bench, &id("k"), claimed.record.body.claim, 1)
}

fn settled(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for status in Status::ALL.into_iter().filter(|status| *status != Status::InFlight) {
        let id = id(status.as_str());
        let claimed = bench.claim(&id)?;
        bench.applied(&id, edit(&claimed, EventKind::Evidence, |set| set.status = status))?;
        bench.advance(1_000);
        lost(bench, &id, claimed.record.body.claim, 1)?;
    }
    Ok(())
}

fn absent(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    lost(bench, &id("k"), claim_id(), 1)
}

fn landed_elsewhere(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for (landed, expected) in
        [(vec![], false), (vec![3], false), (vec![4], false), (vec![2, 3], true), (vec![1], true)]
    {
        let id = id(&format!("landed {landed:?}"));
        let claimed = bench.claim(&id)?;
        let found = bench.applied(
            &id,
            edit(&claimed, EventKind::Evidence, |set| {
                set.epoch = Epoch(3);
                set.landed = landed.iter().map(|epoch| Epoch(*epoch)).collect();
            }),
        )?;
        match renew_own(bench, &found)? {
            Renewed::Extended { landed_elsewhere, .. } => {
                same(&format!("epoch 3 where {landed:?} landed"), &landed_elsewhere, &expected)?;
            }
            Renewed::Lost => ensure!(false, "a live claim was lost"),
        }
    }
    Ok(())
}
