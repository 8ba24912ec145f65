//! Connections that keep the promise, or none.

use crate::classify::{Trouble, is_busy};
use crate::clock::Patience;
use rusqlite::{Connection, OpenFlags};
use sluice_core::store::{StoreError, StoreErrorKind};
use std::path::Path;
use std::time::Duration;

const STATEMENTS: usize = 64;

/// `SQLITE_FULL` in `PRAGMA synchronous`.
const FULL: i64 = 2;

/// Opens the file for the writer, without looking at it.
pub(crate) fn open(path: &Path, busy_timeout: Duration) -> Result<Connection, Trouble> {
    // No `CREATE`: SQLite would make the file readable for everybody.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(busy_timeout.min(Duration::from_hours(1)))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

/// Opens the file for a reader.
pub(crate) fn reader(path: &Path, busy_timeout: Duration) -> Result<Connection, Trouble> {
    let conn = open(path, busy_timeout)?;
    settings(&conn, 4 * 1024)?;
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

/// Makes every commit durable before it returns, or says that it cannot be done here.
pub(crate) fn make_durable(conn: &Connection, busy_timeout: Duration) -> Result<(), StoreError> {
    let trouble = |error: rusqlite::Error| Trouble::from(error).into_error(busy_timeout);
    if conn.is_readonly("main").map_err(trouble)? {
        return Err(StoreError::new(StoreErrorKind::NoPermission, "the ledger may not be written"));
    }
    let mode: String =
        patiently(busy_timeout, || conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)))
            .map_err(|error| error.into_error(busy_timeout))?;
    settings(conn, 4 * 1024).map_err(|error| error.into_error(busy_timeout))?;
    let synchronous: i64 = conn.query_row("PRAGMA synchronous", [], |row| row.get(0)).map_err(trouble)?;
    if mode == "wal" && synchronous == FULL {
        return Ok(());
    }
    let sentence = "SQLite cannot use a write-ahead log with full durability at this place";
    Err(StoreError::new(StoreErrorKind::Unsuitable, sentence))
}

fn settings(conn: &Connection, cache_kib: i64) -> Result<(), Trouble> {
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -cache_kib)?;
    conn.query_row("PRAGMA mmap_size = 0", [], |_| Ok(())).or_else(no_row)?;
    conn.query_row("PRAGMA journal_size_limit = 67108864", [], |_| Ok(())).or_else(no_row)?;
    conn.query_row("PRAGMA wal_autocheckpoint = 1000", [], |_| Ok(())).or_else(no_row)?;
    // Untested: without it macOS acknowledges what only its drive's cache holds.
    #[cfg(target_os = "macos")]
    for name in ["fullfsync", "checkpoint_fullfsync"] {
        conn.pragma_update(None, name, true)?;
    }
    Ok(())
}

/// Some builds of SQLite answer a setting with a row, some with none.
fn no_row(error: rusqlite::Error) -> rusqlite::Result<()> {
    if matches!(error, rusqlite::Error::QueryReturnedNoRows) { Ok(()) } else { Err(error) }
}

/// Tries until others let go of the file. SQLite itself gives up at once where waiting could be a deadlock.
pub(crate) fn patiently<T>(
    timeout: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> Result<T, Trouble> {
    let mut patience = Patience::new(timeout);
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && patience.wait() => {}
            result => return result.map_err(Trouble::from),
        }
    }
}
