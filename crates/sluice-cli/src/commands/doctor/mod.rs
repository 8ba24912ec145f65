//! `sluice doctor`: whether the ledger and its host keep what they promise.

mod checks;
mod finding;

use super::StoreArg;
use super::person::login_name;
use crate::exit;
use crate::open::place;
use crate::report::{Fail, say};
use crate::text::{printable, rfc3339};
use clap::Args;
use finding::{Finding, Level};
use serde_json::json;
use sluice::core::store::Upkeep;
use sluice_sqlite::SqliteStore;
use std::io::Write;

#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Have SQLite look through the whole file for damage; takes as long as reading it
    #[arg(long)]
    deep: bool,
    /// Take the clock of this host for right after it had jumped, so that the ledger forgets again what is due
    #[arg(long, requires = "reason")]
    accept_clock: bool,
    /// Who says so; the login name without it
    #[arg(long, value_name = "WHO", requires = "accept_clock")]
    by: Option<String>,
    /// How you know that the clock is right
    #[arg(long, value_name = "TEXT", requires = "accept_clock")]
    reason: Option<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub async fn doctor(args: DoctorArgs) -> Result<u8, Fail> {
    let place = place(args.store.store.as_deref())?;
    let store = match place.open_existing().await {
        Ok(store) => store,
        Err(fail) => return Err(unopened(&args, &place, fail)),
    };
    if args.accept_clock {
        accept(&args, &store).await?;
    }
    let findings = checks::all(&store, args.deep).await?;
    print(&args, &findings);
    let problems = findings.iter().any(|finding| finding.level == Level::Problem);
    Ok(if problems { exit::FINDINGS } else { exit::OK })
}

/// A ledger that cannot be opened still has a place that can be looked at.
fn unopened(args: &DoctorArgs, place: &crate::open::Place, fail: Fail) -> Fail {
    let findings = checks::place(&place.path);
    if !args.json {
        print(args, &findings);
    }
    fail
}

async fn accept(args: &DoctorArgs, store: &SqliteStore) -> Result<(), Fail> {
    let reason = args.reason.clone().unwrap_or_default();
    if reason.trim().is_empty() {
        return Err(Fail::usage("--reason needs a text: whoever reads the trail will ask how you knew"));
    }
    let by = args.by.clone().unwrap_or_else(login_name);
    let now = store.accept_clock(by.clone(), reason).await?;
    say(&format!(
        "the clock is accepted by {}: ledger time is {} now, and the age of everything counts from here",
        printable(&by),
        rfc3339(now.time)
    ));
    Ok(())
}

fn print(args: &DoctorArgs, findings: &[Finding]) {
    let mut out = std::io::stdout().lock();
    // Whoever reads the answer may have seen enough.
    let _ = if args.json {
        let items: Vec<_> = findings.iter().map(Finding::document).collect();
        writeln!(out, "{}", json!({"v": 1, "items": items}))
    } else {
        findings.iter().flat_map(Finding::lines).try_for_each(|line| writeln!(out, "{line}"))
    };
}
