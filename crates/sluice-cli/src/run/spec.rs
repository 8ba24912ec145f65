//! From flags to a delivery.

use super::args::{Indeterminate, KeepOutput, RunArgs};
use super::downstream::downstream;
use crate::child::watch::GRACE;
use crate::contract::Contracted;
use crate::input;
use crate::report::Fail;
use serde_json::Value;
use sluice::core::deliveries::DeliveryId;
use sluice::core::downstream::{Profile, oldest_key};
use sluice::core::key::{Json, Request, Suspicions};
use sluice::core::lease;
use sluice::core::record::{Labels, Terms};
use sluice::core::retention;
use sluice::core::retry::{Backoff, Retry};
use sluice::{EffectSpec, Intent, Key, Namespace, OnIndeterminate, Wait};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// A delivery, and what the command gets on stdin where that is part of the request.
#[derive(Debug)]
pub struct Wanted {
    pub spec: EffectSpec,
    pub stdin: Option<Vec<u8>>,
    /// What should not be in its key; empty where nobody wants to know.
    pub suspicions: Suspicions,
}

/// Reads the flags, and the files and stdin they name.
pub fn wanted(args: &RunArgs, contracted: Option<&Contracted>) -> Result<Wanted, Fail> {
    check(args)?;
    let named = match contracted {
        Some(contracted) => by_contract(args, contracted),
        None => named(args)?,
    };
    let stdin = if args.stdin { Some(input::stdin(input::STDIN_LIMIT)?) } else { None };
    let request = request(args, &named, stdin.as_deref())?;
    let downstream = args.downstream.as_deref().map(downstream).transpose()?;
    let downstream =
        downstream.or_else(|| contracted.and_then(|contracted| contracted.contract.downstream.clone()));
    check_ways_on(args, downstream.as_ref())?;
    let terms = Terms {
        lease: args.lease,
        // A command that ignores the request to end is killed after the grace; later nothing of it can act.
        attempt_timeout: args.timeout.map(|limit| limit.saturating_add(GRACE + Duration::from_secs(5))),
        declares_marks: args.marked,
        repeatable: args.repeatable,
        keep_result: args.keep_result.unwrap_or(retention::KEEP_RESULT),
        remember: args.remember(),
    };
    let spec = EffectSpec {
        namespace: Some(Namespace::new(args.namespace.as_str())?),
        fingerprint: request,
        terms,
        labels: named.labels,
        on_duplicate: args.on_duplicate.map(Into::into).unwrap_or_default(),
        wait: if args.no_wait { Wait::No } else { args.wait },
        on_indeterminate: on_indeterminate(args),
        retry: Retry { backoff: Backoff { tries: args.tries(), ..Backoff::default() }, ..Retry::default() },
        deadline: args.deadline,
        // A command that ignores the request to end is killed after its own grace.
        deadline_grace: GRACE + Duration::from_secs(5),
        max_lease: args.max_lease,
        circuit: args.circuit.clone(),
        downstream,
        on_failed: args.on_failed.map(Into::into).unwrap_or_default(),
        first_sent: args.first_sent,
        delivery: args.delivery.as_deref().map(DeliveryId::new).transpose()?,
        ..EffectSpec::new(named.key)
    };
    Ok(Wanted { spec, stdin, suspicions: named.suspicions })
}

fn check(args: &RunArgs) -> Result<(), Fail> {
    if !(lease::SHORTEST..=lease::LONGEST).contains(&args.lease) {
        return Err(Fail::usage("--lease is at least 1s and at most a year"));
    }
    if !(retention::SHORTEST..=retention::LONGEST).contains(&args.remember()) {
        return Err(Fail::usage("--remember is at least 1s and at most 100 years"));
    }
    let texts = [&args.intent, &args.args, &args.event, &args.fingerprint];
    let from_stdin =
        texts.iter().filter(|text| text.as_deref() == Some("-")).count() + usize::from(args.stdin);
    if from_stdin > 1 {
        return Err(Fail::usage("stdin can be read only once: --stdin and - stand for the same text"));
    }
    if args.tool.is_some() && args.key.is_none() && args.args.is_none() && args.run_id.is_none() {
        return Err(Fail::usage(
            "--tool alone is no intent: every call of that tool would be the same one\n  add --args with what decides the effect, or --run-id where there is nothing else",
        ));
    }
    if args.json && args.keep_output == KeepOutput::None {
        return Err(Fail::usage(
            "--json puts the command's output into its document, and --keep-output none lets it pass unseen",
        ));
    }
    if args.object_id.is_some() && args.keep_output == KeepOutput::None {
        return Err(Fail::usage(
            "--object-id reads the command's output, which --keep-output none lets pass unseen",
        ));
    }
    Ok(())
}

/// What nobody knows is run again only where that does no harm, and asked about only where somebody says how.
fn check_ways_on(args: &RunArgs, downstream: Option<&Profile>) -> Result<(), Fail> {
    let bound = args.timeout;
    let honours = downstream.is_some_and(|target| oldest_key(target, bound).is_some());
    match (args.on_indeterminate, args.probe.is_some()) {
        (Some(Indeterminate::Reclaim), _) if !args.repeatable && !honours => Err(Fail::usage(
            "--on-indeterminate reclaim runs a command again of which nobody knows whether it happened, so it needs --repeatable, or a --downstream that is known to remember keys",
        )),
        (Some(Indeterminate::Probe), false) => Err(Fail::usage(
            "--on-indeterminate probe asks the target whether it happened: say with --probe how",
        )),
        (Some(Indeterminate::Refuse | Indeterminate::Reclaim), true) => {
            Err(Fail::usage("--probe is for --on-indeterminate probe"))
        }
        _ => Ok(()),
    }
}

fn on_indeterminate(args: &RunArgs) -> Option<OnIndeterminate> {
    let probe = args.probe.as_ref().map(|_| OnIndeterminate::Probe);
    args.on_indeterminate.map(Into::into).or(probe)
}

struct Named {
    key: Key,
    labels: Labels,
    compared: Compared,
    suspicions: Suspicions,
}

enum Compared {
    /// What the contract compares, if anything.
    Members(Option<Request>),
    Parts(Json),
    Command,
}

/// What follows from a contract. Members that should not be in a key are told here too, for whoever never ran the lint.
fn by_contract(args: &RunArgs, contracted: &Contracted) -> Named {
    let derived = &contracted.derived;
    let suspicions = suspected(args, || Suspicions::of_parts(&derived.parts));
    let compared = Compared::Members(derived.request.clone());
    Named { key: derived.key.clone(), labels: derived.labels.clone(), compared, suspicions }
}

fn named(args: &RunArgs) -> Result<Named, Fail> {
    let tool = args.tool.clone().unwrap_or_else(|| base_name(args));
    let labels = Labels {
        tool: Some(tool.clone()),
        actor: args.actor.clone(),
        run_id: args.run_id.clone(),
        object_id: None,
    };
    if let Some(key) = &args.key {
        let suspicions = suspected(args, || Suspicions::of_key(key));
        let key = Key::new(key.as_str())?;
        return Ok(Named { key, labels, compared: Compared::Command, suspicions });
    }
    let intent = match &args.intent {
        Some(text) => Intent::from_text(&input::json_argument(text)?)?,
        None => from_parts(args, &tool)?,
    };
    let text = |part: Option<&str>, other: Option<String>| part.map(str::to_owned).or(other);
    let labels = Labels {
        tool: text(intent.get_tool(), labels.tool),
        actor: text(intent.get_actor(), labels.actor),
        run_id: text(intent.get_run_id(), labels.run_id),
        object_id: None,
    };
    let parts = intent.parts()?;
    let suspicions = suspected(args, || Suspicions::of_parts(&parts));
    let compared = parts.get("args").cloned().unwrap_or(parts);
    Ok(Named { key: intent.key()?, labels, compared: Compared::Parts(compared), suspicions })
}

fn suspected(args: &RunArgs, look: impl FnOnce() -> Suspicions) -> Suspicions {
    if args.no_warn { Suspicions::default() } else { look() }
}

/// An intent from single flags. The tool is always part of it: two tools with the same arguments are two intents.
fn from_parts(args: &RunArgs, tool: &str) -> Result<Intent, Fail> {
    if args.args.is_none() && args.run_id.is_none() {
        return Err(Fail::usage(
            "say what the intent is: --tool and --args (what decides the effect), --run-id, --intent, or --key\n  the same intent runs once, so it must not change between deliveries and must differ between actions",
        ));
    }
    let mut parts = vec![("tool", Value::from(tool).to_string())];
    if let Some(text) = &args.args {
        parts.push(("args", Json::parse(&input::json_argument(text)?)?.canonical()));
    }
    parts.extend(args.actor.as_ref().map(|actor| ("actor", Value::from(actor.as_str()).to_string())));
    parts.extend(args.run_id.as_ref().map(|run| ("runId", Value::from(run.as_str()).to_string())));
    let members: Vec<_> = parts.iter().map(|(name, text)| format!("\"{name}\":{text}")).collect();
    Ok(Intent::from_text(format!("{{{}}}", members.join(",")).as_bytes())?)
}

fn base_name(args: &RunArgs) -> String {
    let program = args.command.first().map(Path::new);
    program
        .and_then(Path::file_name)
        .map_or_else(|| "?".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn request(args: &RunArgs, named: &Named, stdin: Option<&[u8]>) -> Result<Option<Request>, Fail> {
    let request = match (args.fingerprint.as_deref(), &named.compared) {
        (Some("none"), _) => return Ok(None),
        (Some(text), _) => Request::json_value(&Json::parse(&input::json_argument(text)?)?),
        (None, Compared::Members(Some(request))) => request.clone(),
        (None, Compared::Members(None)) if stdin.is_none() => return Ok(None),
        (None, Compared::Members(None)) => Request::bytes::<[&[u8]; 0]>([]),
        (None, Compared::Parts(parts)) => Request::json_value(parts),
        (None, Compared::Command) => Request::bytes(args.command.iter().map(|word| word.as_bytes())),
    };
    Ok(Some(match stdin {
        Some(bytes) => request.and("stdin", sluice::core::outcome::digest(bytes)),
        None => request,
    }))
}
