//! Circuits are written on the condition of their version, beside the records.

use super::bench::trouble;
use super::concurrency::so_many_at_once;
use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::block_on;
use crate::sample::id;
use sluice_core::breaker::{Circuit, CircuitState, NAME_LIMIT, Seen, Shared, SharedChange};
use sluice_core::ids::Version;
use sluice_core::record::LedgerTime;
use sluice_core::store::Store;
use std::sync::Arc;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule(
        "a circuit begins closed, is read as it was written, and stays when the ledger is opened again",
        read_back,
    ),
    rule("a circuit is written only over the version that its writer saw", conditional),
    rule("circuits of different names are apart, and any text is a name", names),
    rule("of many writers of one circuit one wins each version", writers),
    rule("a circuit is told with ledger time", time),
    rule("a circuit that was not written for a week is swept, and a younger one stays", forgotten),
    rule("a sweep forgets no more circuits at once than it is asked to", forgotten_in_turns),
    rule("circuits are listed in the order of their names, page by page", listed),
];

const WEEK: Duration = Duration::from_hours(7 * 24);

fn circuit(store: &Arc<dyn Store>, name: &str, change: Option<SharedChange>) -> Result<Seen, String> {
    block_on(store.circuit(name.to_owned(), change)).map_err(trouble)
}

/// One more write over that version; it is open until that moment.
fn open(over: u64, until: i64) -> SharedChange {
    let state = CircuitState::Open { until: LedgerTime(until) };
    let circuit = Circuit { version: Version(over + 1), state, ..Circuit::default() };
    SharedChange { expected: Version(over), next: Shared { circuit, ..Shared::default() } }
}

fn read_back(subject: &dyn Subject) -> Verdict {
    let store = subject.store();
    let seen = circuit(&store, "psp", None)?;
    same("one that was never written", &(seen.shared, seen.applied), &(Shared::default(), false))?;
    let change = open(0, 77);
    let seen = circuit(&store, "psp", Some(change.clone()))?;
    same("what the write answers", &(&seen.shared, seen.applied), &(&change.next, true))?;
    same("what is read then", &circuit(&store, "psp", None)?.shared, &change.next)?;
    if subject.reopen() {
        same("what is read later", &circuit(&subject.store(), "psp", None)?.shared, &change.next)?;
    }
    Ok(())
}

fn conditional(subject: &dyn Subject) -> Verdict {
    let store = subject.store();
    let bench = Bench::new(subject);
    bench.claim(&id("k"))?;
    let before = bench.seen(&id("k"))?;
    ensure!(
        !circuit(&store, "psp", Some(open(3, 1)))?.applied,
        "it was written over a version that was not there"
    );
    ensure!(circuit(&store, "psp", Some(open(0, 1)))?.applied, "a first write was refused");
    let late = circuit(&store, "psp", Some(open(0, 2)))?;
    same("a late writer's answer", &(late.applied, late.shared), &(false, open(0, 1).next))?;
    ensure!(circuit(&store, "psp", Some(open(1, 3)))?.applied, "a second write was refused");
    same("what is there", &circuit(&store, "psp", None)?.shared, &open(1, 3).next)?;
    same("records and their events", &bench.seen(&id("k"))?, &before)
}

fn names(subject: &dyn Subject) -> Verdict {
    let store = subject.store();
    let long = "n".repeat(NAME_LIMIT);
    // As long, and another one in its last byte.
    let other = format!("{}m", &long[1..]);
    let odd =
        [("a", 1), ("A", 2), ("a\0", 3), ("ä\u{10ffff}'\"", 4), (long.as_str(), 5), (other.as_str(), 6)];
    for (name, until) in odd {
        ensure!(circuit(&store, name, Some(open(0, until)))?.applied, "{name:?} was taken for another name");
    }
    same("one of them", &circuit(&store, "A", None)?.shared, &open(0, 2).next)
}

fn writers(subject: &dyn Subject) -> Verdict {
    for over in 0..4 {
        let asked = so_many_at_once(16, subject, |store, number| {
            let until = i64::try_from(number).unwrap_or_default();
            circuit(&store, "psp", Some(open(over, until)))
        })?;
        let won: Vec<_> = asked.iter().filter(|seen| seen.applied).collect();
        same("how many won", &won.len(), &1)?;
        let now = circuit(&subject.store(), "psp", None)?.shared;
        same("what is there", &now, &won[0].shared)?;
    }
    Ok(())
}

fn time(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    subject.advance(Duration::from_millis(500));
    let claimed = bench.claim(&id("k"))?.record.updated;
    subject.step_wall(86_400_000);
    subject.advance(Duration::from_millis(250));
    let now = circuit(&subject.store(), "psp", None)?.now;
    same("time passed", &(now.0 - claimed.0), &250)
}

fn forgotten(subject: &dyn Subject) -> Verdict {
    let (bench, store) = (Bench::new(subject), subject.store());
    circuit(&store, "old", Some(open(0, 1)))?;
    subject.advance(Duration::from_secs(2));
    circuit(&store, "young", Some(open(0, 1)))?;
    subject.advance(WEEK.saturating_sub(Duration::from_secs(1)));
    bench.sweep(10)?;
    same("the old one", &circuit(&store, "old", None)?.shared, &Shared::default())?;
    same("the young one", &circuit(&store, "young", None)?.shared, &open(0, 1).next)
}

fn listing(
    store: &Arc<dyn Store>,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<(String, Shared)>, String> {
    block_on(store.circuits(after.map(str::to_owned), limit)).map_err(trouble)
}

fn forgotten_in_turns(subject: &dyn Subject) -> Verdict {
    let (bench, store) = (Bench::new(subject), subject.store());
    for name in ["a", "b", "c"] {
        circuit(&store, name, Some(open(0, 1)))?;
    }
    subject.advance(WEEK + Duration::from_secs(1));
    for left in [1, 0] {
        bench.sweep(2)?;
        same("how many are left", &listing(&store, None, 10)?.len(), &left)?;
    }
    Ok(())
}

fn listed(subject: &dyn Subject) -> Verdict {
    let store = subject.store();
    same("the list of a fresh ledger", &listing(&store, None, 10)?, &Vec::new())?;
    let names = ["B", "a", "a\0", "ab", "ä"];
    let all: Vec<_> = (0..).zip(names).map(|(until, name)| (name.to_owned(), open(0, until).next)).collect();
    for (name, next) in all.iter().rev() {
        circuit(&store, name, Some(SharedChange { expected: Version(0), next: next.clone() }))?;
    }
    same("all of them", &listing(&store, None, 10)?, &all)?;
    same("a first page", &listing(&store, None, 2)?, &all[..2].to_vec())?;
    same("the page after it", &listing(&store, Some("a"), 2)?, &all[2..4].to_vec())?;
    same("what comes after a name that is not there", &listing(&store, Some("b"), 10)?, &all[4..].to_vec())?;
    same("a page of none", &listing(&store, None, 0)?, &Vec::new())
}
