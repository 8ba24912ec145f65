//! `sluice effects list`.

use super::StoreArg;
use super::show::document;
use crate::exit;
use crate::open::place;
use crate::report::{Fail, say};
use crate::text::{printable, rfc3339, shell_word};
use clap::{Args, ValueEnum};
use serde_json::json;
use sluice::Namespace;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::{Flag, Query, Store, Upkeep};
use std::io::Write;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct ListArgs {
    /// Only intents in this state; may be given more than once
    #[arg(long, value_enum)]
    status: Vec<StatusArg>,
    /// Only this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only what changed within this time, as in 1h
    #[arg(long, value_parser = humantime::parse_duration)]
    since: Option<Duration>,
    /// Only intents whose key was also used for a different request
    #[arg(long)]
    conflicts: bool,
    /// At most so many
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Only this namespace; all without it
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Go on where a page ended: the next of --json, which is said on stderr otherwise
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    /// One JSON object a line
    #[arg(long, conflicts_with = "json")]
    jsonl: bool,
    #[command(flatten)]
    store: StoreArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum StatusArg {
    InFlight,
    Succeeded,
    Failed,
    Released,
    Indeterminate,
}

impl From<StatusArg> for Status {
    fn from(arg: StatusArg) -> Self {
        match arg {
            StatusArg::InFlight => Self::InFlight,
            StatusArg::Succeeded => Self::Succeeded,
            StatusArg::Failed => Self::Failed,
            StatusArg::Released => Self::Released,
            StatusArg::Indeterminate => Self::Indeterminate,
        }
    }
}

pub async fn list(args: ListArgs) -> Result<u8, Fail> {
    let store = place(args.store.store.as_deref())?.open_existing().await?;
    let namespace = args.namespace.map(Namespace::new).transpose()?;
    let query = Query {
        namespace,
        statuses: args.status.into_iter().map(Status::from).collect(),
        tool: args.tool,
        within: args.since,
        flagged: args.conflicts.then_some(Flag::Conflict),
        limit: args.limit as usize,
        after: args.after,
        ..Query::default()
    };
    let mut page = store.list(query).await?;
    if let Some(since) = args.since {
        // A list counts from the ledger's last write, which may be long ago.
        let now = store.condition().await?.time.0;
        let earliest = now.saturating_sub(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        page.items.retain(|item| item.record.updated.0 >= earliest);
    }
    let mut out = std::io::stdout().lock();
    // Whoever reads the list may have seen enough.
    let _ = if args.json {
        let items: Vec<_> = page.items.iter().map(document).collect();
        writeln!(out, "{}", json!({"v": 1, "items": items, "next": page.next}))
    } else if args.jsonl {
        page.items.iter().try_for_each(|item| writeln!(out, "{}", document(item)))
    } else {
        page.items.iter().try_for_each(|item| writeln!(out, "{}", line(item)))
    };
    match &page.next {
        Some(next) if !args.json => say(&format!("there is more: --after {next}")),
        None if page.items.is_empty() && !args.json && !args.jsonl => say("no intent fits"),
        _ => {}
    }
    Ok(exit::OK)
}

fn line(item: &Snapshot) -> String {
    let record = &item.record;
    let tool = record.body.labels.tool.as_deref().unwrap_or("-");
    let namespace = match record.id.namespace.as_str() {
        "default" => String::new(),
        namespace => format!("  --namespace {}", shell_word(&printable(namespace))),
    };
    let double = if record.body.double_effect() { "  DOUBLE EFFECT" } else { "" };
    format!(
        "{}  {:<13}  {:<16}  {}{namespace}{double}",
        rfc3339(record.updated),
        record.body.status.as_str(),
        printable(tool),
        printable(record.id.key.as_str())
    )
}
