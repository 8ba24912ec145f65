//! `sluice effects show`.

use super::find::Which;
use crate::exit;
use crate::report::{Fail, say};
use crate::run::result::ChildRun;
use crate::text::{printable, rfc3339, rough};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sluice::core::outcome::{NotKept, Outcome};
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use std::io::Write;

#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    which: Which,
    /// Print what the command wrote, as far as it was kept, and nothing else
    #[arg(long, value_name = "STREAM", num_args = 0..=1, default_missing_value = "stdout", value_enum)]
    output: Option<StreamArg>,
    /// One JSON document
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StreamArg {
    Stdout,
    Stderr,
}

pub async fn show(args: ShowArgs) -> Result<u8, Fail> {
    let found = args.which.find().await?.snapshot;
    let mut out = std::io::stdout().lock();
    // Whoever reads the answer may have seen enough.
    let _ = match args.output {
        Some(stream) => return output(&found, stream, &mut out),
        None if args.json => writeln!(out, "{}", document(&found)),
        None => describe(&found, !found.lease.is_live()).iter().try_for_each(|line| writeln!(out, "{line}")),
    };
    Ok(exit::OK)
}

fn output(found: &Snapshot, stream: StreamArg, out: &mut impl Write) -> Result<u8, Fail> {
    let Some(run) = ChildRun::of(&found.record.body.outcome) else {
        return Err(Fail::Status(exit::NO_OUTPUT, "no output of this intent is kept".to_owned()));
    };
    let stream = match stream {
        StreamArg::Stdout => run.stdout,
        StreamArg::Stderr => run.stderr,
    };
    let _ = out.write_all(&stream.kept());
    if !stream.complete {
        say(&format!("only the last part of {} bytes is kept", stream.bytes));
        return Ok(exit::NO_OUTPUT);
    }
    Ok(exit::OK)
}

/// One record as JSON; members are only ever added.
pub fn document(found: &Snapshot) -> Value {
    let record = &found.record;
    let body = &record.body;
    let epochs = |epochs: Vec<u64>| json!(epochs);
    let (fault, result) = match &body.outcome {
        Outcome::None => (Value::Null, Value::Null),
        Outcome::Fault(fault) => {
            (json!({"class": fault.class, "code": fault.code, "message": fault.message}), Value::Null)
        }
        Outcome::Success(kept) => (
            Value::Null,
            json!({"bytes": kept.bytes, "kept": kept.value.is_ok(), "reason": kept.value.as_ref().err()}),
        ),
    };
    json!({
        "v": 1,
        "namespace": record.id.namespace.as_str(),
        "key": record.id.key.as_str(),
        "status": body.status.as_str(),
        "version": record.version,
        "epoch": body.epoch,
        "created": rfc3339(record.created),
        "updated": rfc3339(record.updated),
        "tool": body.labels.tool,
        "actor": body.labels.actor,
        "run_id": body.labels.run_id,
        "object_id": body.labels.object_id,
        "downstream_key": body.downstream.key,
        "lease_ms": lease_ms(found),
        "marked": body.marked,
        "declares_marks": body.terms.declares_marks,
        "unresolved": epochs(body.unresolved.epochs().map(|epoch| epoch.0).collect()),
        "landed": epochs(body.landed.iter().map(|epoch| epoch.0).collect()),
        "double_effect": body.double_effect(),
        "fault": fault,
        "result": result,
    })
}

/// The time left, where somebody holds the claim.
fn lease_ms(found: &Snapshot) -> Option<u64> {
    let held = found.record.body.status == Status::InFlight;
    held.then(|| sluice::core::duration::as_ms(found.lease.remaining()))
}

fn remark(found: &Snapshot, is_over: bool) -> &'static str {
    match found.record.body.status {
        Status::InFlight if is_over => "  (as recorded; its lease or its process ended without a word)",
        _ if found.record.body.double_effect() => "  (DOUBLE EFFECT)",
        _ => "",
    }
}

/// One record in lines for people.
///
/// `is_over` is whether what is in flight by the record is known not to be any more.
pub fn describe(found: &Snapshot, is_over: bool) -> Vec<String> {
    let record = &found.record;
    let body = &record.body;
    let mut lines = vec![
        format!("key        {}", printable(record.id.key.as_str())),
        format!("namespace  {}", printable(record.id.namespace.as_str())),
        format!("status     {}{}", body.status, remark(found, is_over)),
        format!("epoch      {}", body.epoch.0),
        format!("first seen {}", rfc3339(record.created)),
        format!("changed    {}", rfc3339(record.updated)),
    ];
    let labels = &body.labels;
    for (name, value) in [
        ("tool", &labels.tool),
        ("actor", &labels.actor),
        ("run", &labels.run_id),
        ("object", &labels.object_id),
    ] {
        lines.extend(value.as_ref().map(|value| format!("{name:<10} {}", printable(value))));
    }
    if !body.unresolved.is_empty() || body.status == Status::InFlight {
        lines.push(format!("target key {}", printable(&body.downstream.key)));
    }
    if body.status == Status::InFlight && !is_over {
        lines.push(format!("lease      ends in {} unless it is renewed", rough(found.lease.remaining())));
    }
    if !body.unresolved.is_empty() {
        let epochs: Vec<_> = body.unresolved.epochs().map(|epoch| epoch.0.to_string()).collect();
        lines.push(format!("unresolved epoch {}", epochs.join(", ")));
    }
    match &body.outcome {
        Outcome::None => {}
        Outcome::Fault(fault) => lines.push(format!("said       {}", printable(&fault.message))),
        Outcome::Success(kept) => lines.push(match (&kept.value, kept.bytes) {
            (Ok(_), Some(bytes)) => format!("result     {bytes} bytes"),
            (Err(NotKept::NeverGiven), _) => "result     never given".to_owned(),
            (Err(NotKept::Expired), _) => "result     no longer kept".to_owned(),
            (_, Some(bytes)) => format!("result     not kept ({bytes} bytes)"),
            (_, None) => "result     not kept".to_owned(),
        }),
    }
    lines
}
