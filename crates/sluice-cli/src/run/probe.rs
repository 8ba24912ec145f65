//! `--probe`: a shell command that asks the target whether an execution took hold.

use super::result::ChildRun;
use crate::child::output::Stream;
use crate::child::watch::{End, kill_group};
use crate::report::say;
use serde_json::Value;
use sluice::{Asked, Failure, Probe, Prober};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// The status by which a probe says that it did not land.
const DID_NOT_LAND: i32 = 10;
/// How much of a probe's answer is read, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// By which status a shell says that there is no such command, or that it cannot be run.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Whether a probe turned out to be none.
pub type IsBroken = Arc<AtomicBool>;

/// Asks by a shell command; what cannot be started is said, and noted.
pub fn prober(command: &str) -> (Prober, IsBroken) {
    let command = command.to_owned();
    let broken = IsBroken::default();
    let noted = broken.clone();
    let prober = Prober::new(move |asked| {
        let (command, broken) = (command.clone(), noted.clone());
        async move { ask(&command, &asked, &broken).await }
    });
    (prober, broken)
}

async fn ask(command: &str, asked: &Asked, broken: &AtomicBool) -> Result<Probe<Value>, Failure> {
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .env("SLUICE_KEY", asked.id.key.as_str())
        .env("SLUICE_NAMESPACE", asked.id.namespace.as_str())
        .env("SLUICE_EPOCH", asked.epoch.0.to_string())
        .env("SLUICE_DOWNSTREAM_KEY", &asked.downstream_key)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = Group(child.id());
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LONGEST + 1).read_to_end(&mut said).await?;
    }
    // A probe that has more to say is told to stop by the end of its pipe.
    let status = child.wait().await?;
    group.has_ended();
    let is_whole = said.len() as u64 <= LONGEST;
    Ok(match status.code() {
        Some(0) if is_whole => Probe::Landed(as_if_it_had_run(said)),
        Some(0) => Probe::Landed(Value::Null),
        Some(DID_NOT_LAND) => Probe::DidNotLand,
        Some(status) if NOT_STARTED.contains(&status) => {
            if !broken.swap(true, Ordering::SeqCst) {
                say(&format!(
                    "the probe is no command that can be run: its shell ended with status {status}"
                ));
            }
            Probe::StillUnknown
        }
        _ => Probe::StillUnknown,
    })
}

/// The probe and what it started, ended together where nobody waits for its answer any more.
struct Group(Option<u32>);

impl Group {
    fn has_ended(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            kill_group(group);
        }
    }
}

/// What the probe printed is replayed as what the command would have printed.
fn as_if_it_had_run(said: Vec<u8>) -> Value {
    let end = End { exit: Some(0), signal: None, timed_out: false, was_asked: false };
    let run = ChildRun::new(end, Some((Stream::whole(said), Stream::whole(Vec::new()))));
    serde_json::to_value(&run).unwrap_or_default()
}
