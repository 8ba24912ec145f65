//! `sluice demo crash`: a charge that is killed in the middle.

use super::stage::{Stage, failed, title};
use crate::exit;
use crate::input::reason;
use crate::report::{Fail, tell};
use rustix::process::{Pid, Signal, kill_process_group};
use sluice::idempotency_key_text;
use std::path::Path;
use std::time::Duration;

/// How often the demo looks whether its own command has charged before it gives up, and the pause between.
const LOOKS: u32 = 2000;
const PAUSE: Duration = Duration::from_millis(10);

const ARGS: &str = r#"{"order":"o-17","amount_cents":1999}"#;
const SCRIPT: &str = r#"echo $$ > "$1/pid"; echo "charged 1999" >> "$1/charges"; sleep 60"#;
const TARGET: &str = "charges";

pub fn play(stage: &Stage) -> Result<u8, Fail> {
    let folder = stage.folder();
    let charge =
        ["run", "--tool", "charge_card", "--args", ARGS, "--", "sh", "-c", SCRIPT, "charge", &folder];
    title("1. Charge a card, and kill everything with -9 right after the charge");
    charge_and_kill(stage, &charge)?;
    stage.count(TARGET, "charges so far", 1)?;

    title("2. The same instruction arrives again");
    stage.sluice(&charge, exit::INDETERMINATE)?;
    tell!("exit status {}", exit::INDETERMINATE);
    stage.count(TARGET, "charges still", 1)?;

    let intent = format!(r#"{{"tool":"charge_card","args":{ARGS}}}"#);
    let key = idempotency_key_text(intent.as_bytes())?;
    title("3. A person looks at the target, and says what is true");
    let resolve = ["effects", "resolve", key.as_str(), "--landed", "--result", r#"{"charge":"ch_1"}"#];
    let reason = ["--by", "you", "--reason", "the charge is in the target's list"];
    stage.sluice(&[&resolve[..], &reason].concat(), exit::OK)?;

    title("4. The same instruction arrives once more");
    stage.sluice(&charge, exit::OK)?;
    stage.count(TARGET, "charges in the end", 1)?;

    title("5. The story");
    stage.sluice(&["explain", "--last"], exit::OK)?;
    Ok(exit::OK)
}

fn charge_and_kill(stage: &Stage, charge: &[&str]) -> Result<(), Fail> {
    let mut running = stage.typed(charge).spawn().map_err(|error| failed(reason(&error)))?;
    let charged = (0..LOOKS).any(|_| {
        std::thread::sleep(PAUSE);
        stage.charges(TARGET) > 0
    });
    let _ = running.kill();
    let _ = running.wait();
    kill_group(&stage.path("pid"));
    if !charged {
        return Err(failed("the command did not charge"));
    }
    tell!("kill -9");
    Ok(())
}

fn kill_group(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).ok().and_then(|text| text.trim().parse().ok());
    if let Some(group) = pid.and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
