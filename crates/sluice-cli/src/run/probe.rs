//! `--probe`: a shell command that asks the target whether an execution took hold.

use super::result::ChildRun;
use crate::child::output::Stream;
use crate::child::watch::End;
use serde_json::Value;
use sluice::{Asked, Failure, Probe, Prober};
use std::process::Stdio;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// The status by which a probe says that it did not land.
const DID_NOT_LAND: i32 = 10;
/// How much of a probe's answer is read, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// Asks by a shell command.
pub fn prober(command: &str) -> Prober {
    let command = command.to_owned();
    Prober::new(move |asked| {
        let command = command.clone();
        async move { ask(&command, &asked).await }
    })
}

async fn ask(command: &str, asked: &Asked) -> Result<Probe<Value>, Failure> {
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .env("SLUICE_KEY", asked.id.key.as_str())
        .env("SLUICE_NAMESPACE", asked.id.namespace.as_str())
        .env("SLUICE_EPOCH", asked.epoch.0.to_string())
        .env("SLUICE_DOWNSTREAM_KEY", &asked.downstream_key)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LONGEST + 1).read_to_end(&mut said).await?;
    }
    // A probe that has more to say is told to stop by the end of its pipe.
    let status = child.wait().await?;
    let is_whole = said.len() as u64 <= LONGEST;
    Ok(match status.code() {
        Some(0) if is_whole => Probe::Landed(as_if_it_had_run(said)),
        Some(0) => Probe::Landed(Value::Null),
        Some(DID_NOT_LAND) => Probe::DidNotLand,
        _ => Probe::StillUnknown,
    })
}

/// What the probe printed is replayed as what the command would have printed.
fn as_if_it_had_run(said: Vec<u8>) -> Value {
    let end = End { exit: Some(0), signal: None, timed_out: false, was_asked: false };
    let run = ChildRun::new(end, Some((Stream::whole(said), Stream::whole(Vec::new()))));
    serde_json::to_value(&run).unwrap_or_default()
}
