//! A ledger and a target in a folder that is removed at the end, and this very command to run against them.

use crate::exit;
use crate::input::reason;
use crate::report::{Fail, tell};
use crate::text::shell_word;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Stage {
    folder: TempDir,
}

impl Stage {
    pub fn new() -> Result<Self, Fail> {
        match tempfile::tempdir() {
            Ok(folder) => Ok(Self { folder }),
            Err(error) => Err(failed(&format!("no temporary folder: {}", reason(&error)))),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder as a word for a command.
    pub fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// How many lines the target has, each a charge.
    pub fn charges(&self, target: &str) -> usize {
        std::fs::read_to_string(self.path(target)).unwrap_or_default().lines().count()
    }

    /// Says how many charges there are, and ends the demo where there should be another number.
    pub fn count(&self, target: &str, what: &str, wanted: usize) -> Result<(), Fail> {
        let charges = self.charges(target);
        tell!("{what}: {charges}");
        if charges == wanted {
            return Ok(());
        }
        Err(failed(&format!("{charges} charges where there should have been {wanted}")))
    }

    /// Says what is typed, and readies it.
    pub fn typed(&self, words: &[&str]) -> Command {
        let shown: Vec<_> = words.iter().map(|word| shown(&word.replace(&self.folder(), "DEMO"))).collect();
        tell!("$ sluice {}", shown.join(" "));
        let mut command = Command::new("/proc/self/exe");
        let store = format!("sqlite:{}", self.path("ledger.db").display());
        command.args(words).env("SLUICE_STORE", store).stdin(Stdio::null());
        command
    }

    /// Says what is typed, and does it.
    pub fn sluice(&self, words: &[&str], wanted: u8) -> Result<(), Fail> {
        let ended = self.typed(words).status().map_err(|error| failed(reason(&error)))?;
        match ended.code() {
            Some(status) if status == i32::from(wanted) => Ok(()),
            Some(status) => Err(failed(&format!("exit status {status} where {wanted} was expected"))),
            None => Err(failed("a command was ended by a signal")),
        }
    }
}

/// Our own flags need no quotes, though a word of somebody else's that begins with a hyphen does.
fn shown(word: &str) -> String {
    let rest = word.trim_start_matches('-');
    if rest.is_empty() || shell_word(rest) == rest { word.to_owned() } else { shell_word(word) }
}

pub fn title(text: &str) {
    tell!("\n{text}");
}

pub fn failed(said: &str) -> Fail {
    Fail::Status(exit::BUG, format!("the demo went wrong: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_that_does_not_show_what_it_says_is_a_bug() {
        let stage = Stage::new().unwrap();
        std::fs::write(stage.path("charges"), "charged\ncharged\n").unwrap();
        stage.count("charges", "charges", 2).unwrap();
        assert!(matches!(stage.count("charges", "charges", 1), Err(Fail::Status(exit::BUG, _))));
        assert!(matches!(stage.count("nothing", "charges", 1), Err(Fail::Status(exit::BUG, _))));
    }
}
