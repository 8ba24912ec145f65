//! From `--store` to a ledger.

use crate::exit;
use crate::input::reason;
use crate::report::{Fail, say};
use crate::text::name_store;
use sluice_sqlite::SqliteStore;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MEMORY: &str = "memory:";

/// Where a ledger is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The database file.
    pub path: PathBuf,
    is_default: bool,
}

/// The URL that `--store` or `SLUICE_STORE` gives, if either does.
fn named(store: Option<&str>) -> Result<Option<String>, Fail> {
    let set = match std::env::var("SLUICE_STORE") {
        // Another ledger than the one that was meant would run what was done.
        Err(std::env::VarError::NotUnicode(_)) => return Err(config("SLUICE_STORE is not UTF-8")),
        set => set.ok(),
    };
    Ok(store.map(str::to_owned).or(set).filter(|url| !url.is_empty()))
}

/// Whether the store that is named forgets everything when the command ends.
pub fn is_memory(store: Option<&str>) -> Result<bool, Fail> {
    Ok(named(store)?.is_some_and(|url| url == MEMORY))
}

/// Finds the ledger that `--store` or `SLUICE_STORE` names, or the default one.
pub fn place(store: Option<&str>) -> Result<Place, Fail> {
    let Some(url) = named(store)? else { return default_place() };
    if let Some(path) = url.strip_prefix("sqlite:") {
        if path.is_empty() {
            return Err(config("sqlite: needs a path, as in sqlite:/var/lib/sluice/ledger.db"));
        }
        let place = Place { path: absolute(Path::new(path))?, is_default: false };
        if store.is_some() {
            name_store(&place.url());
        }
        return Ok(place);
    }
    if url == MEMORY {
        return Err(Fail::usage(
            "memory: forgets everything when the command ends, so it cannot be used here",
        ));
    }
    if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        return Err(config("this build has no Postgres store; use sqlite:PATH"));
    }
    // The URL is not repeated: it may carry a password.
    Err(config("the store is named by a URL: sqlite:PATH (sqlite:./ledger.db for a file in this folder)"))
}

fn config(said: &str) -> Fail {
    Fail::Status(exit::CONFIG, said.to_owned())
}

fn absolute(path: &Path) -> Result<PathBuf, Fail> {
    let whole = std::path::absolute(path)
        .map_err(|_| config("the working folder is gone, so a relative path leads nowhere"))?;
    // Commands find the ledger by this path in a variable, which has to say exactly the same.
    if whole.to_str().is_none() {
        return Err(config("the path of the ledger is not UTF-8; put the ledger elsewhere"));
    }
    Ok(whole)
}

fn default_place() -> Result<Place, Fail> {
    Ok(Place { path: state_folder()?.join("ledger.db"), is_default: true })
}

/// Where this user's ledger and unrecorded outcomes live: `/var/lib/sluice` for root, else the state folder.
pub fn state_folder() -> Result<PathBuf, Fail> {
    if rustix::process::geteuid().is_root() {
        return Ok(PathBuf::from("/var/lib/sluice"));
    }
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set("XDG_STATE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))
        .map(|folder| folder.join("sluice"))
        .ok_or_else(|| config("neither HOME nor XDG_STATE_HOME is set, so there is no place for a ledger: use --store sqlite:PATH"))
}

/// Makes a folder that only its owner can enter, with its parents.
pub fn private_folder(folder: &Path) -> Result<(), Fail> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        Fail::Status(exit::CONFIG, format!("{} cannot be made: {}", folder.display(), reason(&error)))
    })
}

impl Place {
    /// Whether nobody named it.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// The store as others can be told to find it.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    /// Opens the ledger, and makes it where there is none. The default folder is made too; another one is not,
    /// since an unmounted volume must not become an empty ledger.
    pub async fn open_or_make(&self) -> Result<Arc<SqliteStore>, Fail> {
        let is_new = !self.path.exists();
        if self.is_default {
            if let Some(folder) = self.path.parent() {
                private_folder(folder)?;
            }
        } else if self.path.parent().is_some_and(|folder| !folder.is_dir()) {
            let folder = self.path.parent().unwrap_or(&self.path).display();
            return Err(Fail::Status(
                exit::CONFIG,
                format!(
                    "the folder {folder} does not exist\n  make it first, or mount it: a missing volume must not become an empty ledger"
                ),
            ));
        }
        let store = SqliteStore::open(&self.path).await?;
        if is_new {
            say(&format!(
                "new ledger {} (readable only by you; the output of commands is kept there in clear)",
                self.path.display()
            ));
        }
        warn(&store);
        Ok(Arc::new(store))
    }

    /// Opens the ledger if there is one.
    pub async fn open_existing(&self) -> Result<Arc<SqliteStore>, Fail> {
        if !self.path.exists() {
            let said = format!(
                "there is no ledger at {}\n  sluice run makes one; --store or SLUICE_STORE names another",
                self.path.display()
            );
            return Err(Fail::Status(exit::AWAY, said));
        }
        let store = SqliteStore::open_existing(&self.path).await?;
        warn(&store);
        Ok(Arc::new(store))
    }
}

fn warn(store: &SqliteStore) {
    for warning in store.warnings() {
        say(warning);
    }
}
