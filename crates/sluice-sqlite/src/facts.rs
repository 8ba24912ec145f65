//! What a person may want to know of the file, for `doctor`-like tools. Nothing decides by it.

use crate::classify::Trouble;
use crate::filesystem;
use crate::store::SqliteStore;
use rusqlite::Connection;
use rustix::fs::statvfs;
use sluice_core::record::LedgerTime;
use sluice_core::store::StoreError;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The file of a ledger, as it is now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Facts {
    /// The version of the format.
    pub format: i64,
    /// How SQLite keeps its journal; `wal` for every ledger.
    pub journal_mode: String,
    /// SQLite's `synchronous`; 2, `FULL`, for every ledger.
    pub synchronous: i64,
    /// The version of SQLite.
    pub sqlite: &'static str,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of it that hold nothing.
    pub free_bytes: u64,
    /// Bytes of its write-ahead log.
    pub log_bytes: u64,
    /// Permission bits of the file.
    pub mode: u32,
    /// How many records there are.
    pub records: u64,
    /// How many results and records are due to be forgotten, by the ledger's time as of its last write.
    pub due: u64,
    /// Kind of file system, as far as it matters.
    pub filesystem: filesystem::Verdict,
    /// Bytes that the disk still has room for.
    pub room: Option<u64>,
}

impl SqliteStore {
    /// Looks at the file.
    ///
    /// # Errors
    /// Those of any read.
    pub fn facts(&self) -> Result<Facts, StoreError> {
        let path = self.path();
        let folder = path.parent().unwrap_or(path);
        let (log, file) = (log_of(path), std::fs::metadata(path).ok());
        self.readers().read(|conn| {
            let number =
                |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(Trouble::from);
            let page = unsigned(number("PRAGMA page_size")?);
            Ok(Facts {
                format: number("PRAGMA user_version")?,
                journal_mode: conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?,
                synchronous: number("PRAGMA synchronous")?,
                sqlite: rusqlite::version(),
                bytes: unsigned(number("PRAGMA page_count")?) * page,
                free_bytes: unsigned(number("PRAGMA freelist_count")?) * page,
                log_bytes: std::fs::metadata(&log).map_or(0, |found| found.len()),
                mode: file.map_or(0, |found| found.permissions().mode() & 0o777),
                records: unsigned(number("SELECT count(*) FROM records")?),
                due: due(conn)?,
                filesystem: filesystem::judge(folder),
                room: statvfs(folder).ok().map(|found| found.f_bavail * found.f_frsize),
            })
        })
    }

    /// Has SQLite look for damage: at everything where `deep`, else without comparing indexes to their tables. It takes
    /// as long as reading the file does.
    ///
    /// # Errors
    /// Those of any read.
    pub fn is_sound(&self, deep: bool) -> Result<bool, StoreError> {
        let sql = if deep { "PRAGMA integrity_check(1)" } else { "PRAGMA quick_check(1)" };
        self.readers().read(|conn| {
            let said: String = conn.query_row(sql, [], |row| row.get(0))?;
            Ok(said == "ok")
        })
    }

    /// The oldest change that is due to be forgotten, if anything is due by the ledger's time as of its last write.
    ///
    /// # Errors
    /// Those of any read.
    pub fn oldest_due(&self) -> Result<Option<LedgerTime>, StoreError> {
        const SQL: &str = "SELECT min(coalesce(result_expires, record_expires)) FROM records \
                           WHERE record_expires IS NOT NULL AND coalesce(result_expires, record_expires) <= \
                           (SELECT last_time FROM meta WHERE one = 1)";
        self.readers().read(|conn| {
            let due: Option<i64> = conn.query_row(SQL, [], |row| row.get(0))?;
            Ok(due.map(LedgerTime))
        })
    }
}

fn due(conn: &Connection) -> Result<u64, Trouble> {
    const SQL: &str = "SELECT count(*) FROM records WHERE record_expires IS NOT NULL \
                       AND coalesce(result_expires, record_expires) <= (SELECT last_time FROM meta WHERE one = 1)";
    Ok(unsigned(conn.query_row(SQL, [], |row| row.get(0))?))
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn log_of(path: &Path) -> std::path::PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}
