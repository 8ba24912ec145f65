//! A lease does not outlive the boot of the host that judges it.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{LEASE, claim_id, id, lapse, next_claim, release, touch};
use sluice_core::change::{LeaseGuard, LeaseSet, Unmet};
use sluice_core::lease::LeaseView;
use sluice_core::store::Renewed;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a lease ends when its host starts anew, however long it had left", over),
    rule("a lease that ended at a reboot has been over for no time at all", not_quiet),
    rule("settling a lease that ended at a reboot counts its end from now", settle),
    rule("keeping a lease that ended at a reboot leaves it so", keep),
    rule("a grant after a reboot is a lease like any other", grant),
];

fn over(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    if !subject.reboot() {
        return Ok(());
    }
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::EndedAtReboot)?;
    let (claim, epoch) = (claimed.record.body.claim, claimed.record.body.epoch);
    same("the renewal", &bench.renew(&id("k"), claim, epoch, LEASE)?, &Renewed::Lost)?;
    bench.refused(&id("k"), touch(&claimed).when_lease(LeaseGuard::Live), Unmet::LeaseOver)?;
    bench.applied(&id("k"), lapse(&claimed).when_lease(LeaseGuard::Ended)).map(drop)
}

fn not_quiet(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    if !subject.reboot() {
        return Ok(());
    }
    // Nobody knows how long the host was down, so no time counts until a change settles the lease.
    bench.advance(3_600_000);
    let quiet = touch(&claimed).when_lease(LeaseGuard::EndedFor(Duration::from_mins(1)));
    bench.refused(&id("k"), quiet, Unmet::LeaseRuns)?;
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::EndedAtReboot)
}

fn settle(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    if !subject.reboot() {
        return Ok(());
    }
    bench.advance(5_000);
    let lapsed = bench.applied(&id("k"), lapse(&claimed))?;
    same("the lease once settled", &lapsed.lease, &LeaseView::Ended(Duration::ZERO))?;
    let quiet = || touch(&lapsed).when_lease(LeaseGuard::EndedFor(Duration::from_mins(1)));
    bench.advance(59_999);
    bench.refused(&id("k"), quiet(), Unmet::LeaseRuns)?;
    bench.advance(1);
    bench.applied(&id("k"), quiet()).map(drop)
}

fn keep(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    if !subject.reboot() {
        return Ok(());
    }
    let kept = bench.applied(&id("k"), touch(&claimed).and_lease(LeaseSet::Keep))?;
    same("the lease", &kept.lease, &LeaseView::EndedAtReboot)
}

fn grant(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    if !subject.reboot() {
        return Ok(());
    }
    let released = bench.applied(&id("k"), release(&claimed))?;
    let next = bench.applied(&id("k"), next_claim(&released, claim_id()))?;
    same("the lease", &next.lease, &LeaseView::Live(LEASE))?;
    bench.advance(29_999);
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Live(Duration::from_millis(1)))?;
    bench.advance(1);
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Ended(Duration::ZERO))
}
