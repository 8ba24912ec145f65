//! One writer wins, whoever else asks at the same time.

use super::bench::trouble;
use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::block_on;
use crate::sample::{claim_id, first_claim, id, lapse, next_claim, success, touch};
use sluice_core::change::{Change, LeaseGuard};
use sluice_core::ids::{ClaimId, RecordId, Version};
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::{Store, Written};
use std::sync::{Arc, Barrier};
use std::thread;

pub(super) const RULES: &[Rule] = &[
    rule("of many first claims at once one is granted, and the others find it", first_claims),
    rule("of many claims of a released record one is granted, and the others find it", next_claims),
    rule("of many takeovers of an ended claim one happens", takeovers),
    rule("a settlement and a lapse at the same time never overwrite each other", settle_or_lapse),
    rule("many writers of one record lose no change and leave no hole in its versions", counters),
    rule("different keys are written at the same time without touching each other", different_keys),
];

const THREADS: usize = 8;
const ROUNDS: usize = 6;

/// What many threads do at the same moment, each with its own number.
fn at_once<T: Send>(
    subject: &dyn Subject,
    work: impl Fn(Arc<dyn Store>, usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    so_many_at_once(THREADS, subject, work)
}

/// The same for another number of threads.
pub(super) fn so_many_at_once<T: Send>(
    threads: usize,
    subject: &dyn Subject,
    work: impl Fn(Arc<dyn Store>, usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let barrier = Barrier::new(threads);
    let stores: Vec<_> = (0..threads).map(|_| subject.store()).collect();
    thread::scope(|scope| {
        let start = |(number, store)| {
            let (work, barrier) = (&work, &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(store, number)
            })
        };
        let threads: Vec<_> = stores.into_iter().enumerate().map(start).collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())));
        done.collect()
    })
}

fn ask(store: &Arc<dyn Store>, id: &RecordId, change: Change) -> Result<Written, String> {
    block_on(store.apply(id.clone(), change)).map_err(trouble)
}

/// One was granted, and every other one found the record that it made.
fn one_winner(asked: &[(ClaimId, Written)], now: &Snapshot) -> Verdict {
    let won: Vec<_> = asked
        .iter()
        .filter(|(_, written)| matches!(written, Written::Applied(_)))
        .map(|(claim, _)| *claim)
        .collect();
    same("whose claims were granted", &won, &vec![now.record.body.claim])?;
    for (_, written) in asked {
        if let Written::Found { snapshot, .. } = written {
            let found = snapshot.as_ref().map(|found| &found.record);
            same("what a loser found", &found, &Some(&now.record))?;
        }
    }
    Ok(())
}

fn first_claims(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for round in 0..ROUNDS {
        let id = id(&format!("k{round}"));
        let asked = at_once(subject, |store, _| {
            let claim = claim_id();
            Ok((claim, ask(&store, &id, first_claim(claim))?))
        })?;
        one_winner(&asked, &bench.found(&id)?)?;
        same("how many events there are", &bench.events(&id)?.len(), &1)?;
    }
    Ok(())
}

fn next_claims(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut released = bench.released(&id("k"))?;
    for round in 1..=ROUNDS {
        let asked = at_once(subject, |store, _| {
            let claim = claim_id();
            Ok((claim, ask(&store, &id("k"), next_claim(&released, claim))?))
        })?;
        let now = bench.found(&id("k"))?;
        one_winner(&asked, &now)?;
        same("how many events there are", &bench.events(&id("k"))?.len(), &(2 * round + 1))?;
        released = bench.applied(&id("k"), crate::sample::release(&now))?;
    }
    Ok(())
}

fn takeovers(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for round in 0..ROUNDS {
        let id = id(&format!("k{round}"));
        let claimed = bench.claim(&id)?;
        bench.advance(30_000);
        let asked = at_once(subject, |store, _| {
            let claim = claim_id();
            let mut change = next_claim(&claimed, claim).when_lease(LeaseGuard::Ended);
            change.set.marked = false;
            Ok((claim, ask(&store, &id, change)?))
        })?;
        one_winner(&asked, &bench.found(&id)?)?;
    }
    Ok(())
}

fn settle_or_lapse(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for round in 0..ROUNDS {
        let id = id(&format!("k{round}"));
        let claimed = bench.claim(&id)?;
        bench.advance(30_000);
        let asked = at_once(subject, |store, number| {
            let change = if number % 2 == 0 {
                success(&claimed, b"paid")
            } else {
                lapse(&claimed).when_lease(LeaseGuard::Ended)
            };
            let status = change.set.status;
            Ok((status, matches!(ask(&store, &id, change)?, Written::Applied(_))))
        })?;
        let won: Vec<Status> = asked.iter().filter(|(_, won)| *won).map(|(status, _)| *status).collect();
        same("who wrote", &won, &vec![bench.found(&id)?.record.body.status])?;
        same("the version", &bench.found(&id)?.record.version, &Version(2))?;
    }
    Ok(())
}

/// Reads and writes until the change applied; another writer's change only makes it look again.
fn add_one(store: &Arc<dyn Store>, id: &RecordId) -> Result<Version, String> {
    let mut found = block_on(store.read(id)).map_err(trouble)?;
    loop {
        let Some(seen) = found else {
            return Err("the record is gone".into());
        };
        match ask(store, id, touch(&seen))? {
            Written::Applied(now) => return Ok(now.record.version),
            Written::Found { snapshot, .. } => {
                let newer = snapshot.as_ref().is_some_and(|now| now.record.version > seen.record.version);
                ensure!(newer, "a change was refused though nobody else wrote");
                found = snapshot.map(|found| *found);
            }
        }
    }
}

fn counters(subject: &dyn Subject) -> Verdict {
    const EACH: usize = 6;
    let bench = Bench::new(subject);
    bench.claim(&id("k"))?;
    let versions = at_once(subject, |store, _| {
        (0..EACH).map(|_| add_one(&store, &id("k"))).collect::<Result<Vec<_>, _>>()
    })?;
    let mut versions = versions.concat();
    versions.sort_unstable();
    let all = (THREADS * EACH) as u64;
    same("the versions that were answered", &versions, &(2..=all + 1).map(Version).collect())?;
    let found = bench.found(&id("k"))?;
    same("how often it was counted", &u64::from(found.record.body.downstream.rotation), &all)?;
    let carried: Vec<_> = bench.events(&id("k"))?.into_iter().filter_map(|event| event.version).collect();
    same("the versions of the events", &carried, &(1..=all + 1).map(Version).collect())
}

fn different_keys(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claims = at_once(subject, |store, number| {
        let mut claims = Vec::new();
        for round in 0..ROUNDS {
            let (id, claim) = (id(&format!("{number} {round}")), claim_id());
            let written = ask(&store, &id, first_claim(claim))?;
            ensure!(matches!(written, Written::Applied(_)), "{id} was refused");
            claims.push((id, claim));
        }
        Ok(claims)
    })?;
    for (id, claim) in claims.concat() {
        same("whose claim it is", &bench.found(&id)?.record.body.claim, &claim)?;
        same("how many events there are", &bench.events(&id)?.len(), &1)?;
    }
    Ok(())
}
