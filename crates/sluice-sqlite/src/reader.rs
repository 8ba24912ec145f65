//! Connections that read, as many at once as the options say. Each is opened when it is first needed.

use crate::classify::Trouble;
use crate::connect;
use crate::place::FileId;
use rusqlite::Connection;
use sluice_core::store::StoreError;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The connections that read.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    ledger: String,
    file: Option<FileId>,
    busy_timeout: Duration,
    shelf: Mutex<Shelf>,
    returned: Condvar,
}

#[derive(Debug)]
struct Shelf {
    idle: Vec<Connection>,
    may_open: usize,
    waiting: usize,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, ledger: String, limit: usize, busy_timeout: Duration) -> Self {
        let shelf = Mutex::new(Shelf { idle: Vec::new(), may_open: limit.max(1), waiting: 0 });
        let file = FileId::of(&path);
        Self { path, ledger, file, busy_timeout, shelf, returned: Condvar::new() }
    }

    /// Reads with the next free connection.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        // A connection that is open would go on to answer from a file that is gone.
        if FileId::of(&self.path) != self.file {
            return Err(Trouble::Replaced.into_error(self.busy_timeout));
        }
        let mut borrowed = Borrowed { readers: self, conn: self.take() };
        borrowed.conn().and_then(query).map_err(|error| error.into_error(self.busy_timeout))
    }

    /// An idle connection, or the right to open one.
    fn take(&self) -> Option<Connection> {
        let mut now = self.shelf();
        loop {
            if let Some(conn) = now.idle.pop() {
                return Some(conn);
            }
            if now.may_open > 0 {
                now.may_open -= 1;
                return None;
            }
            now.waiting += 1;
            now = self.returned.wait(now).unwrap_or_else(PoisonError::into_inner);
            now.waiting -= 1;
        }
    }

    /// The file may have been replaced since the ledger was opened; a reader must not answer from another one.
    fn open(&self) -> Result<Connection, Trouble> {
        let conn = connect::reader(&self.path, self.busy_timeout)?;
        let ledger: String = conn.query_row("SELECT ledger FROM meta WHERE one = 1", [], |row| row.get(0))?;
        if ledger == self.ledger { Ok(conn) } else { Err(Trouble::Replaced) }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that goes back even where the query panics.
struct Borrowed<'r> {
    readers: &'r Readers,
    conn: Option<Connection>,
}

impl Borrowed<'_> {
    fn conn(&mut self) -> Result<&Connection, Trouble> {
        match &mut self.conn {
            Some(conn) => Ok(conn),
            none => Ok(none.insert(self.readers.open()?)),
        }
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let conn = self.conn.take();
        let mut now = self.readers.shelf();
        match conn {
            Some(conn) => now.idle.push(conn),
            None => now.may_open += 1,
        }
        // Waking nobody would be a call into the kernel for every read.
        let is_awaited = now.waiting > 0;
        drop(now);
        if is_awaited {
            self.readers.returned.notify_one();
        }
    }
}
