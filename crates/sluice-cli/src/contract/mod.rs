//! Where contracts come from: `sluice.toml`, found upward from the working folder, and the keys for what is sensitive.

mod identity_keys;
mod terms;

pub use identity_keys::identity_keys;
pub use terms::{Contracted, contracted};

use crate::exit;
use crate::input;
use crate::report::{Fail, say};
use clap::Args;
use sluice::core::contract::{Contract, Contracts};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE: &str = "sluice.toml";

/// Which contracts.
#[derive(Args, Clone, Debug, Default)]
pub struct ContractArg {
    /// The file with the contracts; without it sluice.toml, looked for from the working folder upward
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
}

/// The contracts of a file, and where it is.
#[derive(Debug)]
pub struct Loaded {
    pub path: PathBuf,
    pub contracts: Contracts,
}

impl ContractArg {
    /// Reads the file.
    pub fn load(&self) -> Result<Loaded, Fail> {
        let path = match &self.contract {
            Some(path) => path.clone(),
            None => upward().ok_or_else(|| {
                config(format!(
                    "there is no {FILE} in this folder or above it\n  make one: sluice key init, or name one: --contract FILE"
                ))
            })?,
        };
        load(path)
    }
}

/// Reads one file of contracts.
pub fn load(path: PathBuf) -> Result<Loaded, Fail> {
    let shown = path.display();
    let bytes =
        input::file(&path.to_string_lossy()).map_err(|_| config(format!("{shown} cannot be read")))?;
    let text = String::from_utf8(bytes).map_err(|_| config(format!("{shown} is not UTF-8")))?;
    let contracts = Contracts::parse(&text).map_err(|error| {
        let line = error.line().map_or_else(String::new, |line| format!(":{line}"));
        config(format!("{shown}{line}: {}", error.message()))
    })?;
    Ok(Loaded { path, contracts })
}

impl Loaded {
    /// The contract of that effect; where the file has only one, it need not be named.
    pub fn one(&self, effect: Option<&str>) -> Result<&Contract, Fail> {
        let shown = self.path.display();
        let names =
            || self.contracts.iter().map(|contract| contract.effect.as_str()).collect::<Vec<_>>().join(", ");
        let Some(effect) = effect else {
            let mut all = self.contracts.iter();
            return match (all.next(), all.next()) {
                (Some(only), None) => Ok(only),
                (None, _) => Err(config(format!("{shown} has no contract: it needs an [effect.NAME]"))),
                _ => Err(Fail::usage(format!(
                    "{shown} has several contracts: say --effect with one of {}",
                    names()
                ))),
            };
        };
        self.contracts.get(effect).ok_or_else(|| {
            let near = self
                .contracts
                .nearest(effect)
                .map(|near| format!("; {near} may be meant"))
                .unwrap_or_default();
            config(format!("{shown} has no [effect.{effect}]{near}\n  it has {}", names()))
        })
    }
}

/// Writes a file of contracts that is not there yet; `instead` is what to do where it is.
pub fn write_new(path: &Path, text: &str, instead: &str) -> Result<(), Fail> {
    let shown = path.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            config(format!("{shown} is there already, and is left as it is\n  {instead}"))
        }
        _ => config(format!("{shown} cannot be written: {}", input::reason(&error))),
    })?;
    say(&format!("{shown} is written; make it yours, then: sluice key lint"));
    Ok(())
}

fn upward() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?;
    folder.ancestors().map(|folder| folder.join(FILE)).find(|path| Path::is_file(path))
}

pub fn config(said: String) -> Fail {
    Fail::Status(exit::CONFIG, said)
}
