//! Outcomes that the ledger did not take, kept in files until it does (RULINGS 25).

use crate::open::{private_folder, state_folder};
use serde::{Deserialize, Serialize};
use sluice::core::ids::{ClaimId, Epoch, RecordId};
use sluice::core::outcome::{Fault, Kept, NotKept};
use sluice::core::ports::{BoxFuture, Evidence, Report, Unrecorded};
use sluice::core::store::Store;
use sluice_sqlite::SqliteStore;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A folder with one file per unrecorded outcome of one ledger.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    v: u32,
    id: RecordId,
    claim: ClaimId,
    epoch: Epoch,
    outcome: StoredOutcome,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredOutcome {
    Success {
        result: Option<String>,
        not_kept: Option<NotKept>,
        bytes: Option<u64>,
        sha256: Option<[u8; 32]>,
        object_id: Option<String>,
    },
    Fault(Fault),
}

impl Spool {
    /// The spool of an opened ledger; none where there is no state folder.
    pub fn of_store(store: &SqliteStore) -> Option<Self> {
        Some(Self::of(&state_folder().ok()?, &store.ledger().id))
    }

    /// The spool of the ledger with this id, inside the state folder.
    pub fn of(state_folder: &Path, ledger: &str) -> Self {
        Self { folder: state_folder.join("unrecorded").join(ledger) }
    }

    /// The files of outcomes that wait there.
    pub fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let whole = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(whole).collect();
        files.sort();
        files
    }

    /// What waits there, with its file. A file that cannot be read is left where it is.
    pub fn waiting(&self) -> Vec<(PathBuf, Unrecorded)> {
        self.files().into_iter().filter_map(|path| read(&path).map(|unrecorded| (path, unrecorded))).collect()
    }

    fn write(&self, unrecorded: Unrecorded) -> Option<()> {
        private_folder(&self.folder).ok()?;
        let name = format!("{}.json", unrecorded.claim);
        let text = serde_json::to_vec(&Stored::from(unrecorded)).ok()?;
        let part = self.folder.join(format!(".{name}.part"));
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part).ok()?;
        file.write_all(&text).and_then(|()| file.sync_all()).ok()?;
        std::fs::rename(&part, self.folder.join(name)).ok()?;
        std::fs::File::open(&self.folder).and_then(|folder| folder.sync_all()).ok()
    }
}

fn read(path: &Path) -> Option<Unrecorded> {
    let stored: Stored = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    Some(stored.into())
}

impl Evidence for Spool {
    fn keep(&self, unrecorded: Unrecorded) -> BoxFuture<'_, bool> {
        let kept = self.write(unrecorded).is_some();
        Box::pin(std::future::ready(kept))
    }
}

impl From<Unrecorded> for Stored {
    fn from(from: Unrecorded) -> Self {
        let outcome = match from.report {
            Report::Fault(fault) => StoredOutcome::Fault(fault),
            Report::Success { kept, object_id } => {
                let (result, not_kept) = match kept.value {
                    Ok(text) => (String::from_utf8(text).ok(), None),
                    Err(reason) => (None, Some(reason)),
                };
                StoredOutcome::Success { result, not_kept, bytes: kept.bytes, sha256: kept.sha256, object_id }
            }
        };
        Self { v: 1, id: from.id, claim: from.claim, epoch: from.epoch, outcome }
    }
}

impl From<Stored> for Unrecorded {
    fn from(from: Stored) -> Self {
        let report = match from.outcome {
            StoredOutcome::Fault(fault) => Report::Fault(fault),
            StoredOutcome::Success { result, not_kept, bytes, sha256, object_id } => {
                let missing = not_kept.unwrap_or(NotKept::NotStorable);
                let value = result.map(String::into_bytes).ok_or(missing);
                let kept = Kept { bytes, sha256, value };
                Report::Success { kept, object_id }
            }
        };
        Self { id: from.id, claim: from.claim, epoch: from.epoch, report }
    }
}
