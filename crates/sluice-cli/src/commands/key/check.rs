//! `sluice key check`: what recorded deliveries say of a contract's key.

use super::checked;
use super::recorded::{self, Recorded};
use crate::contract::{ContractArg, config, identity_keys};
use crate::exit;
use crate::input::reason;
use crate::report::{Fail, tell};
use clap::Args;
use sluice::core::contract::{Contract, IdentityKeys};
use sluice::core::key::JsonPointer;
use sluice_advice::check::{Options, Pairs, Report, check as play, pairs};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

const HELP: &str = "\
A line of DELIVERIES is {\"at\": TIME, \"action\": LABEL, \"event\": {…}}: deliveries with one label asked for one action, and
action is null where nobody knows. Raw events are taken too; --action then names the member that labels them.

Exit 1 where the key would have done damage.";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct CheckArgs {
    /// Recorded deliveries, one JSON object a line, or - for stdin
    #[arg(required_unless_present = "pairs")]
    deliveries: Option<PathBuf>,
    /// Two files of pairs of events, one array of two a line: those of one action, and those of different ones
    #[arg(long, num_args = 2, value_names = ["SAME", "DIFFERENT"], conflicts_with_all = ["deliveries", "action"])]
    pairs: Option<Vec<PathBuf>>,
    /// Which member labels a raw event with its action
    #[arg(long, value_name = "POINTER")]
    action: Option<String>,
    /// The effect; unneeded where the file has one
    #[arg(long, value_name = "NAME")]
    effect: Option<String>,
    #[command(flatten)]
    contract: ContractArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn check(args: &CheckArgs) -> Result<u8, Fail> {
    let loaded = args.contract.load()?;
    let contract = loaded.one(args.effect.as_deref())?;
    let keys = identity_keys(contract)?;
    if let Some([same, different]) = args.pairs.as_deref() {
        return by_pairs(same, different, contract, &keys);
    }
    let path = args.deliveries.as_deref().unwrap_or(Path::new("-"));
    let action = args.action.as_deref().map(JsonPointer::parse).transpose()?;
    let options = Options { action, ..Options::default() };
    let Recorded { mut file, shown, length } = recorded::open(path)?;
    let progress = recorded::Progress::new(length);
    let report = play(&mut file, contract, &keys, &options, |bytes| progress.show(bytes));
    progress.clear();
    let report = report.map_err(|error| recorded::refused(&shown, &error))?;
    if args.json {
        tell!("{}", checked::document(contract, &report));
    } else {
        checked::show(contract, &report);
    }
    Ok(status(&report))
}

/// A contract that fits no delivery at all is the wrong one, or they are the wrong deliveries.
fn status(report: &Report) -> u8 {
    let keyless: u64 = report.keyless.values().map(|keyless| keyless.count).sum();
    match () {
        () if keyless == report.deliveries => exit::BAD_INPUT,
        () if report.has_findings() => exit::FINDINGS,
        () => exit::OK,
    }
}

fn by_pairs(same: &Path, different: &Path, contract: &Contract, keys: &IdentityKeys) -> Result<u8, Fail> {
    let read = |path: &Path, are_same: bool| -> Result<Pairs, Fail> {
        let shown = path.display().to_string();
        let file = File::open(path)
            .map_err(|error| config(format!("{shown} cannot be read: {}", reason(&error))))?;
        pairs(BufReader::new(file), are_same, contract, keys)
            .map_err(|error| recorded::refused(&shown, &error))
    };
    let (same, different) = (read(same, true)?, read(different, false)?);
    let told = |found: &Pairs, what: &str, which: &str| {
        for wrong in &found.wrong {
            tell!("line {} of {which}: {what}: {}", wrong.line, wrong.members.join(", "));
        }
    };
    told(&same, "one action has two keys; what changed", "the same");
    told(&different, "two actions have one key; what tells them apart", "the different");
    tell!(
        "with this key {} of {} pairs of one action would have run twice, and {} of {} pairs of two actions would have run once",
        same.wrong.len(),
        same.count,
        different.wrong.len(),
        different.count
    );
    Ok(if same.wrong.is_empty() && different.wrong.is_empty() { exit::OK } else { exit::FINDINGS })
}
