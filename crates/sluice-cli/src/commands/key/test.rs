//! `sluice key test`: the cases that a key must tell apart, played.

use crate::contract::{ContractArg, identity_keys};
use crate::exit;
use crate::input;
use crate::report::{Fail, tell};
use clap::Args;
use serde_json::{Value, json};
use sluice::core::key::Json;
use sluice_testkit::{Case, Expected, Seen, contract_cases};

#[derive(Args, Debug)]
pub struct TestArgs {
    /// The effect; unneeded where the file has one
    #[arg(long, value_name = "NAME")]
    effect: Option<String>,
    /// An event of its kind: JSON, @FILE, a path, or - for stdin
    #[arg(long, value_name = "EVENT")]
    sample: String,
    #[command(flatten)]
    contract: ContractArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn test(args: &TestArgs) -> Result<u8, Fail> {
    let loaded = args.contract.load()?;
    let contract = loaded.one(args.effect.as_deref())?;
    let event = Json::parse(&input::json_or_path(&args.sample)?)?;
    let cases = contract_cases(contract, &event, &identity_keys(contract)?).await?;
    if args.json {
        let items: Vec<_> = cases.iter().map(document).collect();
        tell!(
            "{}",
            json!({"v": 1, "effect": contract.effect, "sentence": contract.to_string(), "items": items})
        );
    } else {
        tell!("{}: {contract}", contract.effect);
        cases.iter().for_each(show);
    }
    Ok(if cases.iter().all(Case::holds) { exit::OK } else { exit::FINDINGS })
}

fn show(case: &Case) {
    match (case.expected, case.seen) {
        (Expected::To(_), Some(seen)) if case.holds() => tell!("  ok    {:<58} {}", case.name, seen.as_str()),
        (Expected::To(expected), seen) => {
            let seen = seen.map_or("was not tried", Seen::as_str);
            tell!("  wrong {:<58} {seen}, expected: {}", case.name, expected.as_str());
            tell!("        {}", case.otherwise);
        }
        (Expected::Nothing(why), _) => tell!("  -     {:<58} not tried: {why}", case.name),
    }
}

fn document(case: &Case) -> Value {
    let (expected, why) = match case.expected {
        Expected::To(expected) => (Some(expected.as_str()), None),
        Expected::Nothing(why) => (None, Some(why)),
    };
    json!({
        "case": case.name, "expected": expected, "seen": case.seen.map(Seen::as_str), "holds": case.holds(),
        "not_tried": why, "otherwise": (!case.holds()).then_some(case.otherwise),
    })
}
