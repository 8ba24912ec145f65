//! What SQLite does with the same file settings and without a ledger: the floor that benchmarks stand on.
//!
//! Nothing here keeps a promise. A figure of a ledger means little by itself on a machine that others use; beside
//! these loops, on the same disk and in the same minute, it says what the ledger adds.

use crate::classify::Trouble;
use crate::connect;
use crate::place::Place;
use rusqlite::{Connection, OptionalExtension};
use sluice_core::store::StoreError;
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// Effects as bare as they can be and still be durable: two commits of one row each, no events, no rules.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let bare = sluice_sqlite::floor::BareEffects::create(&folder.path().join("floor.db")).unwrap();
/// assert_eq!(bare.effect("order-17").map_err(|error| error.kind), Ok(()));
/// assert!(bare.effect("order-17").is_err(), "a key is inserted once");
/// ```
#[derive(Debug)]
pub struct BareEffects {
    conn: Connection,
}

impl BareEffects {
    /// Makes a new file of its own; never give it a ledger's path.
    ///
    /// # Errors
    /// Those of [`SqliteStore::open`](crate::SqliteStore::open).
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        const TABLE: &str = "CREATE TABLE effects (id INTEGER PRIMARY KEY, namespace TEXT, key TEXT, status TEXT, \
                             result BLOB, UNIQUE (namespace, key)) STRICT";
        let place = Place::prepare(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()), true)?;
        let conn = connect::open(&place.path, PATIENCE).map_err(told)?;
        connect::make_durable(&conn, PATIENCE)?;
        conn.execute_batch(TABLE).map_err(|error| told(error.into()))?;
        Ok(Self { conn })
    }

    /// Commits a claim, then its outcome.
    ///
    /// # Errors
    /// Whatever SQLite refuses; a key that was used before is one.
    pub fn effect(&self, key: &str) -> Result<(), StoreError> {
        const CLAIM: &str =
            "INSERT INTO effects (namespace, key, status) VALUES ('default', ?1, 'in_flight')";
        const SETTLE: &str = "UPDATE effects SET status = 'succeeded', result = x'31' \
                              WHERE namespace = 'default' AND key = ?1 AND status = 'in_flight'";
        for sql in [CLAIM, SETTLE] {
            let done = self.conn.prepare_cached(sql).and_then(|mut statement| statement.execute([key]));
            done.map_err(|error| told(error.into()))?;
        }
        Ok(())
    }
}

/// Reads as bare as they can be: one prepared look-up by primary key in a ledger's own table, on a connection of its
/// own.
#[derive(Debug)]
pub struct BareReads {
    conn: Connection,
}

impl BareReads {
    /// Opens a ledger that is there, for reading.
    ///
    /// # Errors
    /// Those of [`SqliteStore::open_existing`](crate::SqliteStore::open_existing).
    pub fn open(ledger: &Path) -> Result<Self, StoreError> {
        connect::reader(ledger, PATIENCE).map(|conn| Self { conn }).map_err(told)
    }

    /// Looks up the state and result of one record; false where there is none.
    ///
    /// # Errors
    /// Whatever SQLite refuses.
    ///
    /// ```no_run
    /// let bare = sluice_sqlite::floor::BareReads::open("ledger.db".as_ref()).unwrap();
    /// assert_eq!(bare.read("default", "never used").ok(), Some(false));
    /// ```
    pub fn read(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT status, result FROM records WHERE namespace = ?1 AND key = ?2";
        let look = || {
            let mut statement = self.conn.prepare_cached(SQL)?;
            let found = statement.query_row((namespace, key), |row| {
                row.get_ref(0)?;
                row.get_ref(1).map(drop)
            });
            found.optional()
        };
        look().map(|found| found.is_some()).map_err(|error| told(error.into()))
    }
}

fn told(trouble: Trouble) -> StoreError {
    trouble.into_error(PATIENCE)
}
