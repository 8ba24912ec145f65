//! A claim id is granted once, ever.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{claim_id, first_claim, id, next_claim, release, touch};
use sluice_core::change::{GrantGuard, Unmet};
use sluice_core::ids::{ClaimId, Epoch};
use sluice_core::record::Snapshot;
use sluice_core::store::Written;

pub(super) const RULES: &[Rule] = &[
    rule("the same claim id asked again finds its own claim and is not granted again", asked_again),
    rule("a claim after a release raises the epoch and is the newest grant", next_grant),
    rule("a claim id that a newer grant superseded is never granted again", never_again),
    rule("an older holder is known by its claim id and epoch together", older_holders),
    rule("a change in the name of a claim or epoch that was not granted changes nothing", strangers),
    rule("the same claim id on two records is two claims", two_records),
];

/// A record granted to these claim ids one after the other, and released each time.
fn granted(bench: Bench<'_>, key: &str, claims: &[ClaimId]) -> Result<Snapshot, String> {
    let id = id(key);
    let first = bench.applied(&id, first_claim(claims[0]))?;
    let mut found = bench.applied(&id, release(&first))?;
    for claim in &claims[1..] {
        let claimed = bench.applied(&id, next_claim(&found, *claim))?;
        found = bench.applied(&id, release(&claimed))?;
    }
    Ok(found)
}

fn asked_again(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claim = claim_id();
    let claimed = bench.applied(&id("k"), first_claim(claim))?;
    bench.advance(7_000);
    bench.refused(&id("k"), first_claim(claim), Unmet::Record)?;
    same("the record", &bench.found(&id("k"))?.record, &claimed.record)?;
    let released = bench.applied(&id("k"), release(&claimed))?;
    bench.refused(&id("k"), next_claim(&released, claim), Unmet::Grant)
}

fn next_grant(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let released = bench.released(&id("k"))?;
    let claim = claim_id();
    let next = bench.applied(&id("k"), next_claim(&released, claim))?;
    same("the epoch", &next.record.body.epoch, &Epoch(2))?;
    same("whose claim it is", &next.record.body.claim, &claim)?;
    let held = |claim, epoch| touch(&next).when_grant(GrantGuard::Held(claim, Epoch(epoch)));
    bench.refused(&id("k"), held(claim, 1), Unmet::Grant)?;
    bench.applied(&id("k"), held(claim, 2)).map(drop)
}

fn never_again(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claims = [claim_id(), claim_id(), claim_id(), claim_id()];
    let found = granted(bench, "k", &claims)?;
    for used in claims {
        bench.refused(&id("k"), next_claim(&found, used), Unmet::Grant)?;
    }
    bench.applied(&id("k"), next_claim(&found, claim_id())).map(drop)
}

fn older_holders(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claims = [claim_id(), claim_id(), claim_id()];
    let mut found = granted(bench, "k", &claims)?;
    for (claim, epoch) in claims.into_iter().zip(1..) {
        for asked in (0..5).filter(|asked| *asked != epoch) {
            let change = touch(&found).when_grant(GrantGuard::Held(claim, Epoch(asked)));
            bench.refused(&id("k"), change, Unmet::Grant)?;
        }
        found = bench.applied(&id("k"), touch(&found).when_grant(GrantGuard::Held(claim, Epoch(epoch))))?;
    }
    Ok(())
}

fn strangers(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let own = claimed.record.body.claim;
    for guard in [
        GrantGuard::Held(claim_id(), Epoch::FIRST),
        GrantGuard::Held(own, Epoch(2)),
        GrantGuard::Held(own, Epoch(0)),
        GrantGuard::Unused(own),
    ] {
        bench.refused(&id("k"), touch(&claimed).when_grant(guard), Unmet::Grant)?;
    }
    bench.applied(&id("k"), touch(&claimed).when_grant(GrantGuard::Unused(claim_id()))).map(drop)
}

fn two_records(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claims = [claim_id(), claim_id()];
    granted(bench, "a", &claims)?;
    let found = bench.released(&id("b"))?;
    let written = bench.apply(&id("b"), next_claim(&found, claims[0]))?;
    same("whether it was granted", &matches!(written, Written::Applied(_)), &true)?;
    bench.applied(&id("c"), first_claim(claims[1])).map(drop)
}
