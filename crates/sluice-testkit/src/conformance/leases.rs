//! A lease is judged on the store's clock, to the millisecond, and moves only where a change says so.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{claim_id, edit, first_claim, id, lapse, mark, next_claim, release, success, touch};
use sluice_core::change::{LeaseGuard, LeaseSet, Unmet};
use sluice_core::lease::LeaseView;
use sluice_core::state::Status;
use sluice_core::trail::EventKind;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a store says exactly how long a lease runs, and how long it has been over", views),
    rule("a live guard holds until the lease is over and not a moment longer", live),
    rule("an ended guard holds from the moment the lease is over and not earlier", ended),
    rule("a lease that must have been over for a time is judged to the millisecond", ended_for),
    rule("a change that keeps the lease leaves its end where it was", keep),
    rule("a grant starts a lease of its own length from now, even a shorter one", grant),
    rule("settling leaves a lease that runs or has ended as it is", settle),
    rule("a lease of a hundred years is a lease like any other", century),
    rule("no step of the wall clock touches a lease", wall),
];

const MS: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);

fn views(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let all = Duration::from_secs(30);
    same("a lease just granted", &claimed.lease, &LeaseView::Live(all))?;
    bench.advance(12_345);
    same("a lease that runs", &bench.found(&id("k"))?.lease, &LeaseView::Live(17_655 * MS))?;
    bench.advance(17_654);
    same("a lease at 29.999 s", &bench.found(&id("k"))?.lease, &LeaseView::Live(MS))?;
    bench.advance(1);
    same("a lease at 30 s", &bench.found(&id("k"))?.lease, &LeaseView::Ended(Duration::ZERO))?;
    bench.advance(90_001);
    same("a lease at 120.001 s", &bench.found(&id("k"))?.lease, &LeaseView::Ended(90_001 * MS))
}

fn live(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(29_999);
    let marked = bench.applied(&id("k"), mark(&claimed))?;
    bench.advance(1);
    bench.refused(&id("k"), touch(&marked).when_lease(LeaseGuard::Live), Unmet::LeaseOver)?;
    bench.applied(&id("k"), touch(&marked).when_lease(LeaseGuard::Any)).map(drop)
}

fn ended(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.refused(&id("k"), lapse(&claimed).when_lease(LeaseGuard::Ended), Unmet::LeaseRuns)?;
    bench.advance(29_999);
    bench.refused(&id("k"), lapse(&claimed).when_lease(LeaseGuard::Ended), Unmet::LeaseRuns)?;
    bench.advance(1);
    bench.applied(&id("k"), lapse(&claimed).when_lease(LeaseGuard::Ended)).map(drop)
}

fn ended_for(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let quiet = |time| touch(&claimed).when_lease(LeaseGuard::EndedFor(time));
    bench.refused(&id("k"), quiet(Duration::ZERO), Unmet::LeaseRuns)?;
    bench.advance(30_000);
    bench.refused(&id("k"), quiet(MS), Unmet::LeaseRuns)?;
    bench.advance(59_999);
    bench.refused(&id("k"), quiet(MINUTE), Unmet::LeaseRuns)?;
    bench.advance(1);
    let after = bench.applied(&id("k"), quiet(MINUTE))?;
    same("the lease", &after.lease, &LeaseView::Ended(MINUTE))?;
    bench.refused(&id("k"), touch(&after).when_lease(LeaseGuard::EndedFor(MINUTE + MS)), Unmet::LeaseRuns)
}

fn keep(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(10_000);
    let kept = bench.applied(&id("k"), touch(&claimed))?;
    same("a lease that runs", &kept.lease, &LeaseView::Live(Duration::from_secs(20)))?;
    bench.advance(25_000);
    let kept = bench.applied(&id("k"), touch(&kept))?;
    same("a lease that ended", &kept.lease, &LeaseView::Ended(Duration::from_secs(5)))?;
    same("what is read", &bench.found(&id("k"))?.lease, &kept.lease)
}

fn grant(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(1_000);
    let short = bench.applied(&id("k"), touch(&claimed).and_lease(LeaseSet::Grant(2_500 * MS)))?;
    same("the lease", &short.lease, &LeaseView::Live(2_500 * MS))?;
    bench.advance(100_000);
    let released = bench.applied(&id("k"), release(&short))?;
    let next = bench.applied(&id("k"), next_claim(&released, claim_id()))?;
    same("the lease of the next grant", &next.lease, &LeaseView::Live(30_000 * MS))?;
    bench.advance(29_999);
    bench.applied(&id("k"), mark(&next)).map(drop)
}

fn settle(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("early"))?;
    bench.advance(10_000);
    let settled = bench.applied(&id("early"), success(&claimed, b"1"))?;
    same("a lease that runs", &settled.lease, &LeaseView::Live(20_000 * MS))?;
    let claimed = bench.claim(&id("late"))?;
    bench.advance(75_000);
    let lapsed = bench.applied(&id("late"), lapse(&claimed))?;
    same("a lease that ended", &lapsed.lease, &LeaseView::Ended(45_000 * MS))?;
    bench.advance(15_000);
    // The quiet period counts from the end of the lease, not from the lapse.
    let verdict = edit(&lapsed, EventKind::Verdict, |set| set.status = Status::Released);
    bench.applied(&id("late"), verdict.when_lease(LeaseGuard::EndedFor(MINUTE))).map(drop)
}

fn century(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let century = Duration::from_hours(100 * 365 * 24);
    let mut change = first_claim(claim_id());
    change.set.terms.lease = century;
    let claimed = bench.applied(&id("k"), change.and_lease(LeaseSet::Grant(century)))?;
    bench.advance(1_000);
    let found = bench.found(&id("k"))?;
    same("the record", &found.record, &claimed.record)?;
    same("the lease", &found.lease, &LeaseView::Live(century.saturating_sub(1_000 * MS)))
}

fn wall(subject: &dyn Subject) -> Verdict {
    const HOUR_MS: i64 = 3_600_000;
    const TEN_YEARS_MS: i64 = 315_576_000_000;
    let bench = Bench::new(subject);
    for step_ms in [HOUR_MS, -HOUR_MS, TEN_YEARS_MS, -TEN_YEARS_MS] {
        let id = id(&format!("step {step_ms}"));
        let claimed = bench.claim(&id)?;
        subject.step_wall(step_ms);
        same("the lease after a step", &bench.found(&id)?.lease, &claimed.lease)?;
        bench.refused(&id, lapse(&claimed).when_lease(LeaseGuard::Ended), Unmet::LeaseRuns)?;
        bench.advance(29_999);
        let marked = bench.applied(&id, mark(&claimed))?;
        bench.advance(1);
        bench.refused(&id, touch(&marked).when_lease(LeaseGuard::Live), Unmet::LeaseOver)?;
        subject.step_wall(-step_ms);
        same("the lease after a step", &bench.found(&id)?.lease, &LeaseView::Ended(Duration::ZERO))?;
    }
    Ok(())
}
