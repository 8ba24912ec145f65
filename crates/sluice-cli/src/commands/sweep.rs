//! `sluice sweep`: forgets what has outlived its keeping time.

use super::StoreArg;
use crate::child::locks::Locks;
use crate::exit;
use crate::open::place;
use crate::report::{Fail, say};
use clap::Args;
use serde_json::json;
use sluice::Sluice;
use sluice::core::state::Status;
use sluice::core::store::{Query, Store};
use sluice_sqlite::SqliteStore;
use std::collections::BTreeSet;

#[derive(Args, Debug)]
pub struct SweepArgs {
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub async fn sweep(args: SweepArgs) -> Result<u8, Fail> {
    let store = place(args.store.store.as_deref())?.open_existing().await?;
    let swept = Sluice::open_shared(store.clone()).build().sweep().await?;
    let locks = sweep_locks(&store).await?;
    if args.json {
        crate::report::tell!(
            "{}",
            json!({
                "v": 1,
                "results": swept.results,
                "records": swept.records,
                "lock_files": locks,
                "is_halted": swept.is_halted,
            })
        );
    } else {
        crate::report::tell!(
            "{} results and {} records outlived their time; {locks} lock files were no longer needed",
            swept.results,
            swept.records
        );
    }
    if swept.is_halted {
        say(
            "nothing was forgotten: the clock of this host jumped, and retention waits until somebody has looked\n  look: sluice doctor",
        );
        return Ok(exit::FINDINGS);
    }
    Ok(exit::OK)
}

/// Killed commands leave their lock files behind. One that a record in flight or in doubt names is proof, and stays.
async fn sweep_locks(store: &SqliteStore) -> Result<usize, Fail> {
    let locks = Locks::beside(store.path());
    let files = locks.idle();
    let mut needed = BTreeSet::new();
    let mut after = None;
    loop {
        let statuses = vec![Status::InFlight, Status::Indeterminate];
        let page = store.list(Query { statuses, limit: 1000, after, ..Query::default() }).await?;
        needed.extend(page.items.into_iter().filter_map(|item| item.record.body.holder.lock));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    Ok(files.into_iter().filter(|file| !needed.contains(file) && locks.remove_idle(file)).count())
}
