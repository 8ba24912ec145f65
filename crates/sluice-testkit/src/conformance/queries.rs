//! Lists find what they were asked for: all of it, and nothing else.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{claim_id, edit, first_claim, id_in, touch};
use sluice_core::ids::Epoch;
use sluice_core::key::Namespace;
use sluice_core::state::Status;
use sluice_core::store::{Flag, Query};
use sluice_core::trail::{EventDraft, EventKind};
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a list shows records as a read does, lease and all", as_read),
    rule("each filter finds its own records, and all of them", alone),
    rule("filters together find what each of them finds", together),
    rule("a key prefix is text and never a pattern", prefixes),
    rule("what was flagged is found by its flag, and nothing else", flagged),
    rule("a list of what changed lately counts on the ledger's own time", within),
];

/// What a record of the filter rules is like.
#[derive(Clone, Copy)]
struct Made {
    namespace: &'static str,
    status: Status,
    tool: Option<&'static str>,
    prefix: &'static str,
}

const NAMESPACES: [&str; 2] = ["test", "prod"];
const TOOLS: [Option<&str>; 4] = [None, Some("charge"), Some("Charge"), Some("char%")];
const PREFIXES: [&str; 2] = ["order-", "mail-"];

/// One record of every combination, oldest first, with its key.
fn every_kind(bench: Bench<'_>) -> Result<Vec<(Made, String)>, String> {
    let mut made = Vec::new();
    for namespace in NAMESPACES {
        for status in Status::ALL {
            for tool in TOOLS {
                for prefix in PREFIXES {
                    let key = format!("{prefix}{}", made.len());
                    let id = id_in(namespace, &key);
                    let mut change = first_claim(claim_id());
                    change.set.status = status;
                    change.set.labels.tool = tool.map(str::to_owned);
                    bench.applied(&id, change)?;
                    made.push((Made { namespace, status, tool, prefix }, key));
                }
            }
        }
    }
    Ok(made)
}

/// Whether a query finds exactly the keys of those that are wanted, newest first.
fn finds(bench: Bench<'_>, made: &[(Made, String)], query: Query, wanted: impl Fn(&Made) -> bool) -> Verdict {
    let what = format!("{query:?}");
    let keys = made.iter().rev().filter(|(made, _)| wanted(made)).map(|(_, key)| key.clone());
    same(&what, &bench.keys(Query { limit: 1000, ..query })?, &keys.collect())
}

fn namespace(name: &str) -> Option<Namespace> {
    Namespace::new(name).ok()
}

fn as_read(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for key in ["a", "b", "c"] {
        bench.claim(&id_in("test", key))?;
        bench.advance(11_000);
    }
    let page = bench.list(Query::default())?;
    same("how many are listed", &page.items.len(), &3)?;
    for item in &page.items {
        same("a listed record", item, &bench.found(&item.record.id)?)?;
    }
    Ok(())
}

fn alone(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let made = every_kind(bench)?;
    let none = Query::default;
    finds(bench, &made, none(), |_| true)?;
    for name in NAMESPACES {
        finds(bench, &made, Query { namespace: namespace(name), ..none() }, |made| made.namespace == name)?;
    }
    for status in Status::ALL {
        let statuses = vec![status];
        finds(bench, &made, Query { statuses, ..none() }, |made| made.status == status)?;
    }
    let statuses = vec![Status::InFlight, Status::Failed, Status::InFlight];
    let open = |made: &Made| matches!(made.status, Status::InFlight | Status::Failed);
    finds(bench, &made, Query { statuses, ..none() }, open)?;
    for tool in TOOLS.into_iter().flatten() {
        let query = Query { tool: Some(tool.into()), ..none() };
        finds(bench, &made, query, |made| made.tool == Some(tool))?;
    }
    for prefix in PREFIXES {
        let query = Query { key_prefix: Some(prefix.into()), ..none() };
        finds(bench, &made, query, |made| made.prefix == prefix)?;
    }
    finds(bench, &made, Query { namespace: namespace("nobody's"), ..none() }, |_| false)?;
    finds(bench, &made, Query { key_prefix: Some(String::new()), ..none() }, |_| true)
}

fn together(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let made = every_kind(bench)?;
    for name in NAMESPACES {
        for prefix in PREFIXES {
            for statuses in [
                vec![Status::Indeterminate],
                vec![Status::InFlight, Status::Indeterminate],
                vec![Status::Succeeded, Status::InFlight],
            ] {
                let query = Query {
                    namespace: namespace(name),
                    statuses: statuses.clone(),
                    tool: Some("charge".into()),
                    key_prefix: Some(prefix.into()),
                    within: Some(Duration::from_mins(1)),
                    ..Query::default()
                };
                let wanted = |made: &Made| {
                    let placed = made.namespace == name && made.prefix == prefix;
                    placed && statuses.contains(&made.status) && made.tool == Some("charge")
                };
                finds(bench, &made, query, wanted)?;
            }
        }
    }
    Ok(())
}

fn prefixes(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let keys = [
        "a",
        "a%",
        "a%b",
        "ab",
        "A",
        "a_",
        "a_b",
        "axb",
        "a\\",
        "a\\b",
        "a'",
        "a'b",
        "a\"",
        "a*",
        "a?",
        "a[",
        "\u{d7ff}x",
        "\u{e000}",
        "a\u{10ffff}",
        "a\u{10ffff}z",
        "\u{10ffff}",
        "\u{10ffff}\u{10ffff}",
        "b",
    ];
    let ids: Vec<_> = keys.iter().map(|key| id_in("test", key)).collect();
    for id in &ids {
        bench.claim(id)?;
    }
    for prefix in keys.iter().chain(&["c", "a\u{10fffe}", "%", "_"]) {
        let query = Query { key_prefix: Some((*prefix).to_owned()), ..Query::default() };
        let wanted: Vec<_> =
            keys.iter().rev().filter(|key| key.starts_with(prefix)).map(|&key| key.to_owned()).collect();
        same(&format!("keys that begin with {prefix:?}"), &bench.keys(query)?, &wanted)?;
    }
    Ok(())
}

fn flagged(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for key in ["plain", "conflict", "note", "double", "landed once"] {
        bench.claim(&id_in("test", key))?;
    }
    bench.notice(&id_in("test", "conflict"), EventDraft::new(EventKind::KeyConflict))?;
    bench.notice(&id_in("test", "conflict"), EventDraft::new(EventKind::KeyConflict))?;
    bench.notice(&id_in("test", "note"), EventDraft::new(EventKind::Note))?;
    bench.notice(&id_in("test", "no record"), EventDraft::new(EventKind::KeyConflict))?;
    for (key, epochs) in [("double", &[1, 3][..]), ("landed once", &[12])] {
        let found = bench.found(&id_in("test", key))?;
        let landed = epochs.iter().map(|epoch| Epoch(*epoch));
        bench
            .applied(&found.record.id, edit(&found, EventKind::Evidence, |set| set.landed.extend(landed)))?;
    }
    let with = |flag| Query { flagged: Some(flag), ..Query::default() };
    same("conflicts", &bench.keys(with(Flag::Conflict))?, &vec!["conflict".to_owned()])?;
    same("double effects", &bench.keys(with(Flag::DoubleEffect))?, &vec!["double".to_owned()])
}

fn within(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let old = bench.claim(&id_in("test", "old"))?;
    let changed = bench.claim(&id_in("test", "changed"))?;
    bench.advance(3_600_000);
    bench.claim(&id_in("test", "new"))?;
    bench.applied(&id_in("test", "changed"), edit(&changed, EventKind::Evidence, |_| {}))?;
    let lately = |ms| Query { within: Some(Duration::from_millis(ms)), ..Query::default() };
    same(
        "what changed in the last hour but a bit",
        &bench.keys(lately(3_599_999))?,
        &["new", "changed"].map(String::from).to_vec(),
    )?;
    same("what changed in the last hour", &bench.keys(lately(3_600_000))?.len(), &3)?;
    same("what changed just now", &bench.keys(lately(0))?.len(), &2)?;
    bench.applied(&id_in("test", "old"), touch(&old))?;
    same("what changed just now", &bench.keys(lately(0))?.len(), &3)
}
