//! `sluice demo`: what sluice promises, before the reader's eyes.

use crate::exit;
use crate::input::reason;
use crate::report::Fail;
use clap::Subcommand;
use rustix::process::{Pid, Signal, kill_process_group};
use sluice::idempotency_key_text;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum DemoCommand {
    /// Kill a command in the middle of its effect, run it again, and see one effect
    Crash,
}

/// How often the demo looks whether its own command has charged before it gives up, and the pause between.
const LOOKS: u32 = 2000;
const PAUSE: Duration = Duration::from_millis(10);

pub fn demo(command: DemoCommand) -> Result<u8, Fail> {
    let DemoCommand::Crash = command;
    let folder =
        tempfile::tempdir().map_err(|error| failed(&format!("no temporary folder: {}", reason(&error))))?;
    Crash { folder: folder.path().to_owned() }.play()
}

struct Crash {
    folder: PathBuf,
}

const ARGS: &str = r#"{"order":"o-17","amount_cents":1999}"#;

impl Crash {
    fn play(&self) -> Result<u8, Fail> {
        title("1. Charge a card, and kill everything with -9 right after the charge");
        self.charge_and_kill()?;
        self.count("charges so far")?;

        title("2. The same instruction arrives again");
        let status = self.sluice(&self.charge())?;
        crate::report::tell!("exit status {status}");
        expect(status, exit::INDETERMINATE)?;
        self.count("charges still")?;

        let intent = format!(r#"{{"tool":"charge_card","args":{ARGS}}}"#);
        let key = idempotency_key_text(intent.as_bytes())?;
        title("3. A person looks at the target, and says what is true");
        let resolve = ["effects", "resolve", key.as_str(), "--landed", "--result", r#"{"charge":"ch_1"}"#];
        let reason = ["--by", "you", "--reason", "the charge is in the target's list"];
        let resolve: Vec<_> = resolve.iter().chain(&reason).map(|word| (*word).to_owned()).collect();
        expect(self.sluice(&resolve)?, exit::OK)?;

        title("4. The same instruction arrives once more");
        expect(self.sluice(&self.charge())?, exit::OK)?;
        self.count("charges in the end")?;

        title("5. The story");
        expect(self.sluice(&["explain", "--last"].map(str::to_owned))?, exit::OK)?;
        if self.charges() == 1 { Ok(exit::OK) } else { Err(failed("there should have been one charge")) }
    }

    fn witness(&self) -> PathBuf {
        self.folder.join("charges")
    }

    fn charges(&self) -> usize {
        std::fs::read_to_string(self.witness()).unwrap_or_default().lines().count()
    }

    fn count(&self, what: &str) -> Result<(), Fail> {
        crate::report::tell!("{what}: {}", self.charges());
        if self.charges() == 1 { Ok(()) } else { Err(failed("there should have been one charge")) }
    }

    fn charge(&self) -> Vec<String> {
        let script = r#"echo $$ > "$1/pid"; echo "charged 1999" >> "$1/charges"; sleep 60"#;
        let folder = self.folder.display().to_string();
        ["run", "--tool", "charge_card", "--args", ARGS, "--", "sh", "-c", script, "charge", &folder]
            .map(str::to_owned)
            .to_vec()
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new("/proc/self/exe");
        command
            .args(words)
            .env("SLUICE_STORE", format!("sqlite:{}", self.folder.join("ledger.db").display()));
        command.stdin(Stdio::null());
        command
    }

    fn sluice(&self, words: &[String]) -> Result<u8, Fail> {
        crate::report::tell!("$ sluice {}", shown(words, &self.folder));
        let status = self.command(words).status().map_err(|error| failed(reason(&error)))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
    }

    fn charge_and_kill(&self) -> Result<(), Fail> {
        let words = self.charge();
        crate::report::tell!("$ sluice {}", shown(&words, &self.folder));
        let mut running = self.command(&words).spawn().map_err(|error| failed(reason(&error)))?;
        let charged = (0..LOOKS).any(|_| {
            std::thread::sleep(PAUSE);
            self.charges() > 0
        });
        if !charged {
            return Err(failed("the command did not charge"));
        }
        let _ = running.kill();
        let _ = running.wait();
        kill_group(&self.folder.join("pid"));
        crate::report::tell!("kill -9");
        Ok(())
    }
}

fn kill_group(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).ok().and_then(|text| text.trim().parse().ok());
    if let Some(group) = pid.and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn shown(words: &[String], folder: &Path) -> String {
    let words: Vec<_> = words
        .iter()
        .map(|word| crate::text::shell_word(&word.replace(&folder.display().to_string(), "DEMO")))
        .collect();
    words.join(" ")
}

fn title(text: &str) {
    crate::report::tell!("\n{text}");
}

fn expect(status: u8, wanted: u8) -> Result<(), Fail> {
    if status == wanted {
        Ok(())
    } else {
        Err(failed(&format!("exit status {status} where {wanted} was expected")))
    }
}

fn failed(said: &str) -> Fail {
    Fail::Status(exit::BUG, format!("the demo went wrong: {said}"))
}
