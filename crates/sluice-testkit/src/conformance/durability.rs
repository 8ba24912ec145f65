//! What was acknowledged is there when the ledger is opened again.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::sample::{LEASE, claim_id, first_claim, id, next_claim, release, success};
use sluice_core::change::{LeaseSet, Unmet};
use sluice_core::ids::Epoch;
use sluice_core::lease::LeaseView;
use sluice_core::store::{Ledger, Query, Renewed};
use sluice_core::trail::{EventDraft, EventKind};
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a ledger has a name of 32 hex digits, a life, and secrets with names of their own", ledger),
    rule("name, life and secrets of a ledger survive closing and opening it", same_ledger),
    rule("records, events and their order survive closing and opening the ledger", records),
    rule("a lease runs on across closing and opening the ledger", lease),
    rule("a claim id that was superseded is still never granted after the ledger was opened again", grants),
];

fn ledger(subject: &dyn Subject) -> Verdict {
    let store = subject.store();
    let Ledger { id, incarnation, fingerprint_secrets, downstream_secret } = store.ledger();
    let hex = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    ensure!(hex, "{id:?} is no name of a ledger");
    ensure!(*incarnation >= 1, "a ledger in life {incarnation}");
    ensure!(!fingerprint_secrets.is_empty(), "a ledger without a secret for fingerprints");
    let mut secrets: Vec<_> = fingerprint_secrets
        .iter()
        .chain([downstream_secret])
        .map(|secret| (&secret.id, secret.bytes))
        .collect();
    let all = secrets.len();
    secrets.sort_unstable();
    secrets.dedup_by(|a, b| a.0 == b.0 || a.1 == b.1);
    same("how many secrets differ", &secrets.len(), &all)
}

fn secrets(ledger: &Ledger) -> Vec<(String, [u8; 32])> {
    let all = ledger.fingerprint_secrets.iter().chain([&ledger.downstream_secret]);
    all.map(|secret| (secret.id.to_string(), secret.bytes)).collect()
}

fn same_ledger(subject: &dyn Subject) -> Verdict {
    let before = subject.store().ledger().clone();
    if !subject.reopen() {
        return Ok(());
    }
    let store = subject.store();
    let after = store.ledger();
    same("the name", &after.id, &before.id)?;
    same("the life", &after.incarnation, &before.incarnation)?;
    ensure!(secrets(after) == secrets(&before), "the secrets are not those from before");
    Ok(())
}

fn records(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ["a", "b", "c"].map(id);
    for (id, ms) in ids.iter().zip([5, 7, 11]) {
        bench.advance(ms);
        let claimed = bench.claim(id)?;
        bench.notice(id, EventDraft::new(EventKind::Note).because("a\0b"))?;
        bench.applied(id, success(&claimed, &[0, 255, 10]))?;
    }
    bench.notice(&id("none"), EventDraft::new(EventKind::Note))?;
    let look = || -> Result<_, String> {
        let seen: Result<Vec<_>, _> = ids.iter().chain([&id("none")]).map(|id| bench.seen(id)).collect();
        Ok((seen?, bench.list(Query::default())?.items))
    };
    let before = look()?;
    if !subject.reopen() {
        return Ok(());
    }
    same("the ledger", &look()?, &before)?;
    bench.claim(&id("d"))?;
    same("the newest record", &bench.keys(Query::default())?.first().map(String::as_str), &Some("d"))
}

fn lease(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(12_000);
    if !subject.reopen() {
        return Ok(());
    }
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Live(Duration::from_secs(18)))?;
    let renewed = bench.renew(&id("k"), claimed.record.body.claim, Epoch::FIRST, LEASE)?;
    ensure!(matches!(renewed, Renewed::Extended { .. }), "the holder lost its claim");
    bench.advance(29_999);
    subject.reopen();
    same("the lease", &bench.found(&id("k"))?.lease, &LeaseView::Live(Duration::from_millis(1)))?;
    bench.applied(&id("k"), release(&claimed).and_lease(LeaseSet::Keep)).map(drop)
}

fn grants(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let old = claim_id();
    let first = bench.applied(&id("k"), first_claim(old))?;
    let released = bench.applied(&id("k"), release(&first))?;
    let second = bench.applied(&id("k"), next_claim(&released, claim_id()))?;
    let released = bench.applied(&id("k"), release(&second))?;
    if !subject.reopen() {
        return Ok(());
    }
    bench.refused(&id("k"), next_claim(&released, old), Unmet::Grant)?;
    bench.refused(&id("k"), next_claim(&released, second.record.body.claim), Unmet::Grant)
}
