//! `sluice todo`: all that needs a person, also as a check for monitoring.

use super::StoreArg;
use crate::child::locks::Locks;
use crate::exit;
use crate::open::place;
use crate::report::Fail;
use crate::spool::Spool;
use crate::text::{in_words, printable, rfc3339, verdicts};
use clap::Args;
use serde_json::{Value, json};
use sluice::Namespace;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::{Flag, Query, Store, Upkeep};
use sluice::core::trail::EventKind;
use sluice_sqlite::SqliteStore;
use std::io::Write;

#[derive(Args, Debug)]
pub struct TodoArgs {
    /// Exit with status 1 where something needs a person
    #[arg(long)]
    exit_code: bool,
    /// At most so many of each kind
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Only this namespace; all without it
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

/// One thing that needs a person.
struct Item {
    kind: &'static str,
    said: String,
    next: Vec<String>,
    record: Option<Snapshot>,
}

pub async fn todo(args: TodoArgs) -> Result<u8, Fail> {
    let store = place(args.store.store.as_deref())?.open_existing().await?;
    let namespace = args.namespace.as_deref().map(Namespace::new).transpose()?;
    let query = Query { namespace, limit: args.limit as usize, ..Query::default() };
    let (mut items, mut more) = (Vec::new(), false);
    for (found, next) in
        [doubts(&store, &query).await?, stuck(&store, &query).await?, doubles(&store, &query).await?]
    {
        items.extend(found);
        more |= next;
    }
    items.extend(halted(&store).await?);
    items.extend(unrecorded(&store));
    print(&args, &items, more);
    Ok(if args.exit_code && !items.is_empty() { exit::FINDINGS } else { exit::OK })
}

fn resolve(found: &Snapshot) -> Vec<String> {
    let id = &found.record.id;
    let [landed, did_not] = verdicts(id, found.record.body.unresolved.epochs());
    vec![
        format!("look: sluice explain {}", in_words(id)),
        format!("it happened: {landed}"),
        format!("it did not: {did_not}"),
    ]
}

async fn doubts(store: &SqliteStore, query: &Query) -> Result<(Vec<Item>, bool), Fail> {
    let page = store.list(Query { statuses: vec![Status::Indeterminate], ..query.clone() }).await?;
    let more = page.next.is_some();
    let locks = Locks::beside(store.path());
    let items = page.items.into_iter().map(|found| Item {
        kind: "indeterminate",
        said: match locks.seen_alive(&found.record.body.holder) {
            Some(pid) => format!("nobody knows whether it happened, and process {pid} still runs it"),
            None => "nobody knows whether it happened".to_owned(),
        },
        next: resolve(&found),
        record: Some(found),
    });
    Ok((items.collect(), more))
}

/// What is in flight by the record, and is not any more: nobody delivered it again, so that nobody has said so yet.
async fn stuck(store: &SqliteStore, query: &Query) -> Result<(Vec<Item>, bool), Fail> {
    let locks = Locks::beside(store.path());
    let page = store.list(Query { statuses: vec![Status::InFlight], ..query.clone() }).await?;
    let more = page.next.is_some();
    let over = page
        .items
        .into_iter()
        .map(|found| (locks.judge(&found.record.body.holder), found))
        .filter(|(holder, found)| !found.lease.is_live() || holder.is_gone());
    let items = over.map(|(holder, found)| {
        let unmarked = found.record.body.provably_not_begun();
        let what = match locks.who_lives(holder, &found.record.body.holder) {
            Some(pid) => format!("its lease ended, and process {pid} still runs it"),
            None if holder.is_gone() => "what ran it is gone without a word".to_owned(),
            None => "its lease ended without a word".to_owned(),
        };
        let (said, next) = if unmarked {
            let said = format!("{what}; it did not happen, for it never passed its mark, and no longer can");
            (said, vec!["deliver it again, and it runs".to_owned()])
        } else {
            (
                format!("{what}, and nobody delivered it again: nobody knows whether it happened"),
                resolve(&found),
            )
        };
        Item { kind: "stuck", said, next, record: Some(found) }
    });
    Ok((items.collect(), more))
}

/// A double effect stays on the list until a person has written a note about it.
async fn doubles(store: &SqliteStore, query: &Query) -> Result<(Vec<Item>, bool), Fail> {
    let page = store.list(Query { flagged: Some(Flag::DoubleEffect), ..query.clone() }).await?;
    let more = page.next.is_some();
    let mut items = Vec::new();
    for found in page.items {
        let events = store.events(&found.record.id).await?;
        let last_change = events.iter().rposition(|event| event.version.is_some());
        let noted =
            events.iter().rposition(|event| event.draft.kind == EventKind::Note && event.draft.by.is_some());
        if noted > last_change {
            continue;
        }
        let key = in_words(&found.record.id);
        items.push(Item {
            kind: "double_effect",
            said: "it happened more than once: undo one at the target".to_owned(),
            next: vec![
                format!("look: sluice explain {key}"),
                format!("when it is undone: sluice effects note {key} --reason WHAT"),
            ],
            record: Some(found),
        });
    }
    Ok((items, more))
}

async fn halted(store: &SqliteStore) -> Result<Option<Item>, Fail> {
    Ok(store.condition().await?.is_halted.then(|| Item {
        kind: "retention_halted",
        said: "the clock of this host jumped, so that nothing is forgotten until somebody has looked"
            .to_owned(),
        next: vec!["look: sluice doctor".to_owned()],
        record: None,
    }))
}

fn unrecorded(store: &SqliteStore) -> Option<Item> {
    let spool = Spool::of_store(store)?;
    let waiting = spool.files().len();
    (waiting > 0).then(|| Item {
        kind: "unrecorded",
        said: format!("{waiting} outcomes are not in the ledger yet; the next sluice run takes them in"),
        next: Vec::new(),
        record: None,
    })
}

fn print(args: &TodoArgs, items: &[Item], more: bool) {
    let mut out = std::io::stdout().lock();
    // Whoever reads the list may have seen enough.
    let _ = if args.json {
        let items: Vec<_> = items.iter().map(document).collect();
        writeln!(out, "{}", json!({"v": 1, "items": items, "more": more}))
    } else {
        items.iter().flat_map(lines).try_for_each(|line| writeln!(out, "{line}"))
    };
    if items.is_empty() && !args.json {
        crate::report::say("nothing needs a person");
    } else if more {
        crate::report::say("there is more of a kind than is shown: raise --limit");
    }
}

fn document(item: &Item) -> Value {
    json!({
        "kind": item.kind,
        "message": item.said,
        "next": item.next,
        "record": item.record.as_ref().map(super::show::document),
    })
}

fn lines(item: &Item) -> Vec<String> {
    let mut lines = Vec::new();
    match &item.record {
        Some(found) => {
            let tool = found.record.body.labels.tool.as_deref().unwrap_or("-");
            lines.push(format!(
                "{}  {}  {}  since {}",
                item.kind,
                printable(tool),
                printable(found.record.id.key.as_str()),
                rfc3339(found.record.updated)
            ));
            lines.push(format!("  {}", item.said));
        }
        None => lines.push(format!("{}  {}", item.kind, item.said)),
    }
    lines.extend(item.next.iter().map(|line| format!("  {line}")));
    lines
}
