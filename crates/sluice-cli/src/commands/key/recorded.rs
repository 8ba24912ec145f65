//! Where recorded deliveries come from, and how far reading them has come.

use crate::exit;
use crate::input::reason;
use crate::report::Fail;
use sluice_advice::ReadError;
use std::cell::Cell;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// A file of deliveries.
pub struct Recorded {
    pub file: File,
    pub shown: String,
    pub length: u64,
}

/// Opens a file; stdin is put into a temporary one, since examples are read again.
pub fn open(path: &Path) -> Result<Recorded, Fail> {
    let shown = if path.as_os_str() == "-" { "stdin".to_owned() } else { path.display().to_string() };
    let unreadable = |error: std::io::Error| {
        Fail::Status(exit::BAD_INPUT, format!("{shown} cannot be read: {}", reason(&error)))
    };
    let file = if path.as_os_str() == "-" { from_stdin()? } else { File::open(path).map_err(unreadable)? };
    let length = file.metadata().map_err(unreadable)?.len();
    Ok(Recorded { file, shown: shown.clone(), length })
}

fn from_stdin() -> Result<File, Fail> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Fail::usage("stdin is a terminal: name a file, or use a pipe"));
    }
    let copied =
        tempfile::tempfile().and_then(|mut file| std::io::copy(&mut stdin.lock(), &mut file).map(|_| file));
    copied.map_err(|error| {
        Fail::Status(exit::BAD_INPUT, format!("stdin cannot be kept in a temporary file: {}", reason(&error)))
    })
}

pub fn refused(shown: &str, error: &ReadError) -> Fail {
    let status = if error.is_io { exit::AWAY } else { exit::BAD_INPUT };
    Fail::Status(status, format!("{shown}: {error}"))
}

/// A line on a terminal that says how far it is.
pub struct Progress {
    length: u64,
    told: Cell<u64>,
    is_shown: bool,
}

impl Progress {
    pub fn new(length: u64) -> Self {
        Self { length, told: Cell::new(0), is_shown: std::io::stderr().is_terminal() && length > 8 << 20 }
    }

    pub fn show(&self, bytes: u64) {
        let percent = bytes.saturating_mul(100) / self.length.max(1);
        if self.is_shown && percent > self.told.get() {
            self.told.set(percent);
            let done = usize::try_from(percent / 4).unwrap_or(25).min(25);
            let bar = format!("{}{}", "=".repeat(done), " ".repeat(25 - done));
            let _ = write!(std::io::stderr().lock(), "\rreading [{bar}] {percent:>3} %");
        }
    }

    pub fn clear(&self) {
        if self.told.get() > 0 {
            let _ = write!(std::io::stderr().lock(), "\r{:40}\r", "");
        }
    }
}
