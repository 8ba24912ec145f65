//! `sluice explain`: one intent's story.

mod doubt;
mod kept;
mod later;
mod now;
mod past;
#[cfg(test)]
mod tests;

use super::find::Which;
use crate::child::locks::Locks;
use crate::exit;
use crate::report::Fail;
use crate::run::downstream::downstream;
use crate::spool::Spool;
use crate::text::rfc3339;
use clap::Args;
use serde_json::{Value, json};
use sluice::core::deliveries::Deliveries;
use sluice::core::downstream::Profile;
use sluice::core::holder::Liveness;
use sluice::core::ids::RecordId;
use sluice::core::record::Snapshot;
use sluice::core::store::{Condition, Store, Upkeep};
use sluice::core::trail::Event;
use sluice_sqlite::SqliteStore;
use std::io::Write;

#[derive(Args, Debug)]
pub struct ExplainArgs {
    #[command(flatten)]
    which: Which,
    /// What the target does with keys, as for sluice run: tells until when the same key may be sent again
    #[arg(long, value_name = "NAME|TOML")]
    downstream: Option<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub async fn explain(args: ExplainArgs) -> Result<u8, Fail> {
    let found = args.which.find().await?;
    let id = &found.snapshot.record.id;
    let locks = Locks::beside(found.store.path());
    let named = &found.snapshot.record.body.holder;
    let holder = locks.judge(named);
    let story = Story {
        events: found.store.events(id).await?,
        deliveries: found.store.deliveries(id).await?,
        condition: found.store.condition().await?,
        holder,
        pid: locks.who_lives(holder, named),
        is_kept_aside: is_kept_aside(&found.store, id),
        target: args.downstream.as_deref().map(downstream).transpose()?,
        found: found.snapshot,
    };
    let mut out = std::io::stdout().lock();
    // Whoever reads the story may have heard enough.
    let _ = if args.json {
        writeln!(out, "{}", story.document())
    } else {
        story.lines().iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    Ok(exit::OK)
}

/// All that is known of one intent.
struct Story {
    found: Snapshot,
    events: Vec<Event>,
    deliveries: Option<Deliveries>,
    condition: Condition,
    holder: Liveness,
    pid: Option<u32>,
    target: Option<Profile>,
    /// Whether an outcome of it waits beside the ledger.
    is_kept_aside: bool,
}

fn is_kept_aside(store: &SqliteStore, id: &RecordId) -> bool {
    let waiting = Spool::of_store(store).map(|spool| spool.waiting()).unwrap_or_default();
    waiting.iter().any(|(_, unrecorded)| unrecorded.id == *id)
}

impl Story {
    /// Whether nobody holds the claim any more: its lease or its process ended.
    fn is_over(&self) -> bool {
        self.holder.is_gone() || !self.found.lease.is_live()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = super::show::describe(&self.found, self.is_over());
        let mut chapter = |title: String, told: Vec<String>| {
            lines.push(String::new());
            lines.push(title);
            lines.extend(told.iter().map(|line| format!("  {line}")));
        };
        chapter("what happened".to_owned(), self.events.iter().map(past::line).collect());
        if let Some(deliveries) = &self.deliveries {
            chapter(later::title(deliveries), later::lines(deliveries));
        }
        chapter(format!("now, at {}", rfc3339(self.condition.time)), self.now());
        chapter("what is kept, and until when".to_owned(), self.kept());
        lines
    }

    /// Members are only ever added.
    fn document(&self) -> Value {
        json!({
            "v": 1,
            "record": super::show::document(&self.found),
            "events": self.events.iter().map(past::document).collect::<Vec<_>>(),
            "deliveries": self.deliveries.as_ref().map(later::document),
            "now": self.now(),
            "kept": self.kept(),
            "until": self.until(),
        })
    }
}
