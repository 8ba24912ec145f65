//! A ledger file as a subject.

use sluice_core::ports::Clock;
use sluice_core::store::Store;
use sluice_sqlite::{LedgerClock, Options, SqliteStore};
use sluice_testkit::block_on;
use sluice_testkit::clock::ManualClock;
use sluice_testkit::conformance::Subject;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// The clocks of a host as a ledger file reads them.
#[derive(Debug, Default)]
struct HostClock(ManualClock);

impl LedgerClock for HostClock {
    fn boot_id(&self) -> Arc<str> {
        format!("boot-{}", self.0.boot()).into()
    }

    fn boottime_ns(&self) -> i64 {
        i64::try_from(self.0.since_boot().as_nanos()).unwrap_or(i64::MAX)
    }

    fn wall_ms(&self) -> i64 {
        self.0.wall().0
    }
}

/// A ledger file in a folder of its own, and the clock that it reads.
#[derive(Debug)]
pub struct SqliteSubject {
    clock: Arc<HostClock>,
    // Before the folder: the file is closed before it is removed.
    store: Mutex<Option<Arc<SqliteStore>>>,
    folder: TempDir,
}

impl SqliteSubject {
    pub fn new() -> Self {
        let clock = Arc::new(HostClock::default());
        let folder = folder();
        let store = Mutex::new(Some(open(folder.path(), &clock)));
        Self { clock, store, folder }
    }
}

/// In memory where there is such a place: these tests cut no power, so that a disk would only make them slow.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder for the ledger")
}

fn open(folder: &Path, clock: &Arc<HostClock>) -> Arc<SqliteStore> {
    let clock: Arc<dyn LedgerClock> = Arc::<HostClock>::clone(clock);
    let options = Options { clock: Some(clock), ..Options::default() };
    let opened = block_on(SqliteStore::open_with(folder.join("ledger.db"), options));
    Arc::new(opened.expect("the ledger opens"))
}

impl Subject for SqliteSubject {
    fn store(&self) -> Arc<dyn Store> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::<SqliteStore>::clone(store.as_ref().expect("the ledger is open"))
    }

    fn advance(&self, by: Duration) {
        self.clock.0.advance(by);
    }

    fn step_wall(&self, ms: i64) {
        self.clock.0.step_wall(ms);
    }

    fn reboot(&self) -> bool {
        // A host that starts anew takes every open ledger with it.
        self.clock.0.reboot();
        self.reopen()
    }

    fn reopen(&self) -> bool {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        // Opened anew only once it is closed, so that nothing of the old handle can answer for the file.
        drop(store.take());
        *store = Some(open(self.folder.path(), &self.clock));
        true
    }
}
