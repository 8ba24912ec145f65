//! `sluice key suggest`: which members could be an identity.

use super::recorded::{self, Progress, Recorded};
use crate::contract::{FILE, write_new};
use crate::exit;
use crate::report::{Fail, tell};
use crate::text::printable;
use clap::Args;
use serde_json::{Value, json};
use sluice::core::key::JsonPointer;
use sluice_advice::Deliveries;
use sluice_advice::suggest::{Limits, Suggested, Suggestion, suggest as search};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// So many sets are told in words.
const TOLD: usize = 10;

#[derive(Args, Debug)]
pub struct SuggestArgs {
    /// Recorded deliveries, labelled with their action, one JSON object a line, or - for stdin
    deliveries: PathBuf,
    /// Which member labels a raw event with its action
    #[arg(long, value_name = "POINTER")]
    action: Option<String>,
    /// How many members an identity has at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=6))]
    max_fields: u8,
    /// Write a contract with the best identity into sluice.toml, which must not be there yet
    #[arg(long)]
    write: bool,
    /// The name of the effect that --write writes
    #[arg(long, value_name = "NAME", default_value = "my_effect")]
    effect: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn suggest(args: &SuggestArgs) -> Result<u8, Fail> {
    let action = args.action.as_deref().map(JsonPointer::parse).transpose()?;
    let Recorded { file, shown, length } = recorded::open(&args.deliveries)?;
    let progress = Progress::new(length);
    let mut deliveries = Deliveries::new(BufReader::with_capacity(1 << 18, file), action);
    let counted = std::iter::from_fn(|| {
        progress.show(deliveries.bytes_read());
        deliveries.next()
    });
    let found = search(counted, Limits { fields: usize::from(args.max_fields), ..Limits::default() });
    progress.clear();
    let found = found.map_err(|error| recorded::refused(&shown, &error))?;
    if found.actions < 2 {
        let said = format!(
            "{shown}: a search needs deliveries of two actions at least, labelled: \"action\": LABEL, or --action POINTER; it has {} and {} unlabelled deliveries",
            found.actions, found.unlabelled
        );
        return Err(Fail::Status(exit::BAD_INPUT, said));
    }
    if args.json {
        tell!("{}", document(&found));
    } else {
        show(&found);
    }
    if let (true, Some(best)) = (args.write, found.sets.first()) {
        write(&args.effect, best)?;
    }
    Ok(if found.sets.is_empty() { exit::FINDINGS } else { exit::OK })
}

fn show(found: &Suggested) {
    for (at, set) in found.sets.iter().take(TOLD).enumerate() {
        let against = if set.against.is_empty() {
            String::new()
        } else {
            format!("   against it: {}", set.against.join(", "))
        };
        tell!("{:>2}. {}{against}", at + 1, printable(&set.members.join(", ")));
    }
    if found.sets.len() > TOLD {
        tell!("    and {} more: --json", found.sets.len() - TOLD);
    }
    let left_out = |members: &[String], why: &str| {
        if !members.is_empty() {
            let more = members.len().saturating_sub(TOLD);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            tell!(
                "left out, since {why}: {}{more}",
                printable(&members[..members.len().min(TOLD)].join(", "))
            );
        }
    };
    left_out(&found.unstable, "they change within an action");
    left_out(&found.missing, "they are missing or empty in a delivery");
    if found.is_cut_off {
        tell!("the search was cut off: there may be more, with more members");
    }
    let actions = found.actions;
    let end = match (found.sets.is_empty(), found.proof) {
        (true, Some([a, b])) => format!(
            "no set of members separates the {actions} actions: lines {a} and {b} are different actions and agree in them"
        ),
        (true, None) => format!("no set of so many members separates the {actions} actions: --max-fields"),
        _ => format!(
            "each of these is equal within every one of the {actions} actions, and different between any two"
        ),
    };
    tell!("{end}");
}

fn document(found: &Suggested) -> Value {
    let set = |set: &Suggestion| json!({"members": set.members, "against": set.against});
    json!({
        "v": 1, "actions": found.actions, "unlabelled": found.unlabelled, "items": found.sets.iter().map(set).collect::<Vec<_>>(),
        "missing": found.missing, "unstable": found.unstable, "proof": found.proof, "cut_off": found.is_cut_off,
    })
}

fn write(effect: &str, best: &Suggestion) -> Result<(), Fail> {
    let list = best.members.iter().map(|member| format!("'{member}'")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "# Suggested by recorded deliveries; say what it is, then: sluice key lint\nversion = 1\n\n[effect.{effect}]\none         = \"…\"\nfor_each    = \"…\"\nidentity    = [{list}]\n"
    );
    sluice::core::contract::Contracts::parse(&text)
        .map_err(|error| Fail::usage(format!("--write: {}", error.message())))?;
    write_new(Path::new(FILE), &text, &format!("put this into it: identity = [{list}]"))
}
