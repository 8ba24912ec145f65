//! `sluice effects resolve`: a person says what became of an intent.

use super::find::OneKey;
use super::person::Person;
use crate::child::locks::Locks;
use crate::exit;
use crate::input;
use crate::report::Fail;
use crate::run::take_in;
use crate::run::witness::LockJudge;
use crate::spool::Spool;
use crate::text::{in_words, printable, rough};
use clap::Args;
use sluice::core::decide::{Judgement, Ruling, VerdictStep};
use sluice::core::ids::Epoch;
use sluice::core::key::Json;
use sluice::core::outcome::{Kept, NotKept};
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::{Resolved, Sluice};
use std::sync::Arc;

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("judgement").required(true).args(["landed", "did_not_land"]))]
pub struct ResolveArgs {
    #[command(flatten)]
    which: OneKey,
    /// It happened
    #[arg(long)]
    landed: bool,
    /// It did not happen; the next delivery may run it
    #[arg(long)]
    did_not_land: bool,
    /// What it gave, as JSON or @FILE, for replays
    #[arg(long, value_name = "JSON", requires = "landed")]
    result: Option<String>,
    /// Do not wait until the last holder can no longer act
    #[arg(long, requires = "did_not_land")]
    force: bool,
    #[command(flatten)]
    person: Person,
    /// Which epoch, where several are in doubt
    #[arg(long)]
    epoch: Option<u64>,
}

pub async fn resolve(args: ResolveArgs) -> Result<u8, Fail> {
    let ruling = ruling(&args)?;
    let found = args.which.find().await?;
    let locks = Locks::beside(found.store.path());
    let mut ports = sluice::system::ports();
    ports.witness = Arc::new(LockJudge::new(locks.clone()));
    let sluice = Sluice::open_shared(found.store.clone()).ports(ports).build();
    // What was kept aside is known already; it comes before what anybody says.
    if let Some(spool) = Spool::of_store(&found.store) {
        take_in(&sluice, &spool).await;
    }
    match sluice.resolve(&found.snapshot.record.id, &ruling).await? {
        Resolved::Taken(epoch, records) => {
            let (before, after) = *records;
            if after.record.body.status != Status::Indeterminate {
                locks.forget(&after.record.body.holder);
            }
            let (was, is) = (before.record.body.status, after.record.body.status);
            let said = if args.landed { "landed" } else { "did not land" };
            crate::report::tell!(
                "{} {epoch}: {was} → {is} ({said}) by {}",
                key(&after),
                printable(&ruling.by)
            );
            Ok(exit::OK)
        }
        Resolved::Already(epoch, record) => {
            crate::report::tell!("{} {epoch}: already {}", key(&record), record.record.body.status);
            Ok(exit::OK)
        }
        Resolved::Refused(step, record) => Err(refused(&step, &record, &locks)),
        Resolved::NoRecord => Err(Fail::Status(exit::BAD_INPUT, "the record is gone".to_owned())),
    }
}

fn key(found: &Snapshot) -> String {
    printable(found.record.id.key.as_str())
}

fn ruling(args: &ResolveArgs) -> Result<Ruling, Fail> {
    let (by, reason) = args.person.word()?;
    let judgement = match (&args.result, args.landed) {
        (_, false) => Judgement::DidNotLand,
        (None, true) => Judgement::Landed(Kept::absent(NotKept::NeverGiven)),
        (Some(result), true) => {
            let value = Json::parse(&input::json_argument(result)?)?;
            Judgement::Landed(Kept::within(value.canonical().into_bytes(), usize::MAX))
        }
    };
    Ok(Ruling { epoch: args.epoch.map(Epoch), judgement, by, reason, force: args.force })
}

fn refused(step: &VerdictStep, record: &Snapshot, locks: &Locks) -> Fail {
    let status = record.record.body.status;
    match step {
        VerdictStep::HolderLives(pid) => {
            let pid = pid.or_else(|| locks.who(&record.record.body.holder));
            let who =
                pid.map_or_else(|| "a process we may not inspect".to_owned(), |pid| format!("process {pid}"));
            Fail::Status(
                exit::AGAIN,
                format!(
                    "{who} still runs this effect, so nobody can say that it did not happen\n  end it, or wait for its end; --force overrules this"
                ),
            )
        }
        VerdictStep::NotQuiet(left) => Fail::Status(
            exit::AGAIN,
            format!(
                "the last holder might still send something: \"did not land\" is taken in {}\n  --force overrules this, at the risk of a second effect",
                rough(*left)
            ),
        ),
        VerdictStep::WhichEpoch(epochs) => {
            let epochs: Vec<_> = epochs.iter().map(|epoch| epoch.0.to_string()).collect();
            Fail::usage(format!(
                "several epochs are in doubt ({}): say which with --epoch",
                epochs.join(", ")
            ))
        }
        VerdictStep::NotInDoubt(epoch) => Fail::Status(exit::CONFLICT, format!("{epoch} is not in doubt")),
        VerdictStep::Contradicts => Fail::Status(
            exit::CONFLICT,
            format!("{}\n  look: sluice explain {}", stands(status), in_words(&record.record.id)),
        ),
        _ => Fail::Status(
            exit::CONFLICT,
            format!(
                "the record is {status}; only an indeterminate one can be resolved\n  look: sluice explain {}",
                in_words(&record.record.id)
            ),
        ),
    }
}

/// Why a verdict on a record that is settled changes nothing.
fn stands(status: Status) -> &'static str {
    match status {
        Status::Succeeded => {
            "the record says already that it happened, and how it ended cannot be changed any more"
        }
        Status::Failed => "the record says already that it did not happen: it failed, and would fail again",
        _ => "the record says already that it did not happen; it may run again",
    }
}
