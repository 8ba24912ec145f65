//! Page by page, every record is seen exactly once.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::block_on;
use crate::sample::{id, touch};
use sluice_core::ids::RecordId;
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::Query;

pub(super) const RULES: &[Rule] = &[
    rule("records are listed newest first, by when they were made", newest_first),
    rule("paging visits every record exactly once, however long the pages are", exactly_once),
    rule("paging under a filter visits what the filter finds exactly once", filtered),
    rule("records made or changed between two pages neither hide nor repeat any other", disturbed),
    rule("a page holds 50 records unless told otherwise, and never more than 1,000", page_lengths),
    rule("a place to go on from that no page gave is an error and not the first page", bad_places),
];

fn ids(count: usize) -> Vec<RecordId> {
    (0..count).map(|number| id(&format!("k{number}"))).collect()
}

/// Everything a query finds, page by page, with `between` called after each page.
fn pages(
    bench: Bench<'_>,
    query: &Query,
    mut between: impl FnMut() -> Verdict,
) -> Result<Vec<Snapshot>, String> {
    let mut query = query.clone();
    let mut all = Vec::new();
    loop {
        let page = bench.list(query.clone())?;
        ensure!(page.items.len() <= query.page(), "a page is longer than asked for");
        ensure!(page.next.is_none() || !page.items.is_empty(), "an empty page says that there is another");
        all.extend(page.items);
        ensure!(all.len() < 5_000, "paging does not end");
        let Some(next) = page.next else { return Ok(all) };
        query.after = Some(next);
        between()?;
    }
}

fn names(items: &[Snapshot]) -> Vec<String> {
    items.iter().map(|item| item.record.id.key.to_string()).collect()
}

fn newest_first(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut first = None;
    for id in ids(5) {
        first.get_or_insert(bench.claim(&id)?);
        bench.advance(1);
    }
    let order = ["k4", "k3", "k2", "k1", "k0"].map(String::from).to_vec();
    same("the order", &bench.keys(Query::default())?, &order)?;
    // A change makes no record newer; else a list would move under whoever pages through it.
    let first = first.ok_or("no record was made")?;
    bench.applied(&id("k0"), touch(&first))?;
    same("the order after a change", &bench.keys(Query::default())?, &order)
}

fn exactly_once(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ids(24);
    for id in &ids {
        bench.claim(id)?;
    }
    let expected: Vec<_> = ids.iter().rev().map(|id| id.key.to_string()).collect();
    for limit in [1, 2, 5, 7, 12, 23, 24, 25] {
        let query = Query { limit, ..Query::default() };
        same(&format!("pages of {limit}"), &names(&pages(bench, &query, || Ok(()))?), &expected)?;
    }
    Ok(())
}

fn filtered(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ids(24);
    for (number, id) in ids.iter().enumerate() {
        let claimed = bench.claim(id)?;
        if number % 3 == 0 {
            bench.applied(id, crate::sample::release(&claimed))?;
        }
    }
    let expected: Vec<_> = ids.iter().step_by(3).rev().map(|id| id.key.to_string()).collect();
    for limit in [1, 3, 4, 8, 9] {
        let query = Query {
            statuses: vec![Status::Released],
            key_prefix: Some("k".into()),
            limit,
            ..Query::default()
        };
        same(&format!("pages of {limit}"), &names(&pages(bench, &query, || Ok(()))?), &expected)?;
    }
    Ok(())
}

fn disturbed(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ids(10);
    for id in &ids {
        bench.claim(id)?;
    }
    let query = Query { limit: 3, ..Query::default() };
    let mut turn = 0;
    let all = pages(bench, &query, || {
        turn += 1;
        bench.claim(&id(&format!("new{turn}")))?;
        for changed in [turn, 9 - turn] {
            let found = bench.found(&ids[changed])?;
            bench.applied(&ids[changed], touch(&found))?;
        }
        Ok(())
    })?;
    let expected: Vec<_> = ids.iter().rev().map(|id| id.key.to_string()).collect();
    same("what the pages held", &names(&all), &expected)
}

fn page_lengths(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.claim_all(&ids(1_001))?;
    for (limit, length) in [(0, 50), (1, 1), (999, 999), (1_000, 1_000), (1_001, 1_000), (usize::MAX, 1_000)]
    {
        let page = bench.list(Query { limit, ..Query::default() })?;
        same(&format!("a page of {limit}"), &page.items.len(), &length)?;
        ensure!(page.next.is_some(), "a page of {limit} hides that there is more");
    }
    Ok(())
}

fn bad_places(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.claim(&id("k"))?;
    for place in ["", "nonsense", "-1", "99999999999999999999999999", "1; DROP TABLE records"] {
        let query = Query { after: Some(place.to_owned()), ..Query::default() };
        ensure!(block_on(bench.store().list(query)).is_err(), "{place:?} was taken for a place");
    }
    Ok(())
}
