//! A place of one's own beside the ledger: the same disk, and never the ledger itself.

use crate::exit;
use crate::input::reason;
use crate::open::{self, private_folder};
use crate::report::{Fail, say};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where to measure.
#[derive(Clone, Debug)]
pub enum Place {
    /// In files in this folder, which lies in the other one.
    Disk { scratch: PathBuf, folder: PathBuf },
    /// In memory alone.
    Memory,
}

/// A place that is removed again.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<TempDir>,
    place: Place,
}

impl Scratch {
    /// Makes a folder beside the ledger that is named; the default folder is made where there is none, as `run` does.
    pub fn make(store: Option<&str>) -> Result<Self, Fail> {
        if open::is_memory(store)? {
            return Ok(Self { folder: None, place: Place::Memory });
        }
        let ledger = open::place(store)?;
        let folder = ledger.path.parent().unwrap_or(&ledger.path).to_owned();
        if ledger.is_default() {
            private_folder(&folder)?;
        }
        let made = tempfile::Builder::new().prefix(".sluice-bench-").tempdir_in(&folder);
        let made = made.map_err(|error| refused(&folder, &error))?;
        let place = Place::Disk { scratch: made.path().to_owned(), folder };
        Ok(Self { folder: Some(made), place })
    }

    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// Removes it, and says so where that fails.
    pub fn remove(self) {
        let Some(folder) = self.folder else { return };
        let path = folder.path().to_owned();
        if let Err(error) = folder.close() {
            say(&format!("{} could not be removed: {}", path.display(), reason(&error)));
        }
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> Fail {
    let shown = folder.display();
    let (status, said) = match error.kind() {
        ErrorKind::NotFound => (exit::CONFIG, format!("the folder {shown} does not exist")),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (exit::AWAY, format!("there is no room in the folder {shown}"))
        }
        _ => (exit::CONFIG, format!("nothing can be written to the folder {shown}: {}", reason(error))),
    };
    Fail::Status(status, format!("{said}\n  the measurement needs room beside the ledger, on the same disk"))
}
