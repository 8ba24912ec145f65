//! `sluice key lint`: what can be said of a key before the first run.

use crate::contract::{ContractArg, load};
use crate::exit;
use crate::input;
use crate::report::{Fail, tell};
use clap::Args;
use serde_json::{Value, json};
use sluice::core::contract::Contract;
use sluice::core::key::Json;
use sluice::core::lint::{self, Finding, Lint, Question, Verdict};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct LintArgs {
    /// The file with the contracts; without it sluice.toml, looked for from the working folder upward
    file: Option<PathBuf>,
    /// Only this effect
    #[arg(long, value_name = "NAME", conflicts_with = "parts")]
    effect: Option<String>,
    /// The parts of a key that is derived without a contract: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON", conflicts_with = "file")]
    parts: Option<String>,
    /// An event, to judge by what stands in the members too: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON", conflicts_with = "parts")]
    sample: Option<String>,
    /// The contracts as they were: what is delivered again must still meet its record
    #[arg(long, value_name = "FILE", conflicts_with = "parts")]
    previous: Option<PathBuf>,
    /// Exit 1 for warnings too
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What was looked through, with the sentence that the contract reads back as.
struct Looked {
    sentence: Option<String>,
    lint: Lint,
}

pub fn lint(args: &LintArgs) -> Result<u8, Fail> {
    let looked = look(args)?;
    if args.json {
        let items: Vec<_> = looked.iter().map(document).collect();
        tell!("{}", json!({"v": 1, "items": items}));
    } else {
        looked.iter().for_each(show);
    }
    let is_bad = |one: &Looked| one.lint.has_errors() || args.exit_code && one.lint.has_warnings();
    Ok(if looked.iter().any(is_bad) { exit::FINDINGS } else { exit::OK })
}

fn look(args: &LintArgs) -> Result<Vec<Looked>, Fail> {
    if let Some(text) = &args.parts {
        let parts = Json::parse(&input::json_argument(text)?)?;
        return Ok(vec![Looked { sentence: None, lint: lint::parts(&parts) }]);
    }
    let loaded = ContractArg { contract: args.file.clone() }.load()?;
    let sample = args.sample.as_deref().map(|text| Ok::<_, Fail>(Json::parse(&input::json_argument(text)?)?));
    let sample = sample.transpose()?;
    let wanted = args.effect.as_deref().map(|name| loaded.one(Some(name))).transpose()?;
    let is_wanted = |effect: &str| wanted.is_none_or(|contract| contract.effect == effect);
    let mut looked = Vec::new();
    for (contract, mut lint) in loaded.contracts.iter().zip(lint::contracts(&loaded.contracts)) {
        if let Some(sample) = &sample {
            lint = with_sample(contract, sample, lint);
        }
        looked.push(Looked { sentence: Some(contract.to_string()), lint });
    }
    if let Some(path) = &args.previous {
        let old = load(path.clone())?;
        for change in lint::changed(&old.contracts, &loaded.contracts) {
            take_in(&mut looked, change);
        }
    }
    looked.retain(|one| is_wanted(&one.lint.effect));
    Ok(looked)
}

/// What the sample shows, and what only the whole file shows.
fn with_sample(contract: &Contract, sample: &Json, whole: Lint) -> Lint {
    let mut lint = lint::contract(contract, Some(sample));
    let is_new = |finding: &Finding| !lint.findings.contains(finding) && finding.id == "two-effects-one-key";
    let more: Vec<_> = whole.findings.into_iter().filter(is_new).collect();
    lint.findings.extend(more);
    lint
}

fn take_in(looked: &mut Vec<Looked>, change: Lint) {
    match looked.iter_mut().find(|one| one.lint.effect == change.effect) {
        Some(one) => one.lint.findings.extend(change.findings),
        None if change.findings.is_empty() => {}
        None => looked.push(Looked { sentence: None, lint: change }),
    }
}

fn show(one: &Looked) {
    let name = if one.lint.effect.is_empty() { "parts" } else { &one.lint.effect };
    tell!("{name}{}", one.sentence.as_ref().map(|said| format!(": {said}")).unwrap_or_default());
    for question in Question::ALL {
        tell!("  {:<11} {}", question.as_str(), in_words(one.lint.verdict(question)));
    }
    for finding in &one.lint.findings {
        let members = match finding.members.as_slice() {
            [] => String::new(),
            members => format!(" {}", members.join(", ")),
        };
        tell!("  {} {}{members}: {}", finding.severity.as_str(), finding.id, finding.reason);
        tell!("    instead: {}", finding.instead);
    }
}

fn in_words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Ok => "ok".to_owned(),
        Verdict::Problem => "problem".to_owned(),
        Verdict::Declare(what) => format!("not answerable: declare {what}"),
    }
}

fn document(one: &Looked) -> Value {
    let verdicts = Question::ALL.map(|question| {
        let (verdict, declare) = match one.lint.verdict(question) {
            Verdict::Ok => ("ok", None),
            Verdict::Problem => ("problem", None),
            Verdict::Declare(what) => ("not_answerable", Some(what)),
        };
        json!({"question": question.as_str(), "verdict": verdict, "declare": declare})
    });
    let findings: Vec<_> = one.lint.findings.iter().map(|finding| json!({
        "id": finding.id, "question": finding.question.as_str(), "severity": finding.severity.as_str(),
        "members": finding.members, "reason": finding.reason, "instead": finding.instead,
    })).collect();
    json!({"effect": one.lint.effect, "sentence": one.sentence, "verdicts": verdicts, "findings": findings})
}
