//! Whether a file is a ledger, which format it has, and how it gets to the newest.

use crate::classify::Trouble;
use crate::clock::{LedgerClock, Moment};
use crate::connect::{make_durable, patiently};
use crate::options::Options;
use crate::place;
use crate::ticker;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use sha2::{Digest, Sha256};
use sluice_core::key::lower_hex;
use sluice_core::store::{StoreError, StoreErrorKind as Kind};
use sluice_core::timekeeper::Timekeeper;
use std::path::Path;

/// "slce": what `file(1)` and SQLite's own tools know a ledger by.
const APPLICATION_ID: i64 = 0x736c_6365;

struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

/// Numbered from 1 without holes. A migration that was released is never edited.
const MIGRATIONS: [Migration; 3] = [
    Migration { number: 1, name: "ledger", sql: include_str!("sql/0001_ledger.sql") },
    Migration { number: 2, name: "retention", sql: include_str!("sql/0002_retention.sql") },
    Migration { number: 3, name: "circuits", sql: include_str!("sql/0003_circuits.sql") },
];

const NEWEST: i64 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Nothing yet.
    Empty,
    /// A ledger of this format.
    Ledger(i64),
    /// Something else.
    Foreign,
}

/// Brings the file to the newest format; many processes may do so at once. Nothing is written to a file that is no
/// ledger or is of a newer format.
pub(crate) fn ensure(
    conn: &mut Connection,
    path: &Path,
    options: &Options,
    clock: &dyn LedgerClock,
) -> Result<(), StoreError> {
    let timeout = options.busy_timeout;
    let format = patiently(timeout, || Format::of(&conn.unchecked_transaction()?))
        .map_err(|error| error.into_error(timeout))?;
    format.check()?;
    if format == Format::Empty && !options.create {
        return Err(place::missing(path));
    }
    make_durable(conn, timeout)?;
    if format != Format::Ledger(NEWEST) {
        upgrade(conn, options, clock)?;
    }
    verify(conn).map_err(|error| error.into_error(timeout))?
}

/// The write lock decides who does it; whoever comes second finds it done.
fn upgrade(conn: &mut Connection, options: &Options, clock: &dyn LedgerClock) -> Result<(), StoreError> {
    let told = |error: Trouble| error.into_error(options.busy_timeout);
    let transaction =
        patiently(options.busy_timeout, || Transaction::new_unchecked(conn, TransactionBehavior::Immediate))
            .map_err(told)?;
    let format = Format::of(&transaction).map_err(|error| told(error.into()))?;
    format.check()?;
    let now = Moment::of(clock).reading(clock);
    let keeper = Timekeeper::begin(&now);
    for migration in MIGRATIONS.iter().filter(|migration| migration.number > format.number()) {
        migration.run(&transaction, &keeper).map_err(told)?;
    }
    if format == Format::Empty {
        found(&transaction, options, &keeper)?;
    }
    transaction.commit().map_err(|error| told(error.into()))
}

impl Format {
    /// All of it is read in one transaction, since others may be writing it.
    fn of(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        let number = |sql| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        Ok(match (application, version, tables) {
            (0, 0, 0) => Self::Empty,
            (APPLICATION_ID, 1.., _) => Self::Ledger(version),
            _ => Self::Foreign,
        })
    }

    fn number(self) -> i64 {
        if let Self::Ledger(number) = self { number } else { 0 }
    }

    fn check(self) -> Result<(), StoreError> {
        match self {
            Self::Foreign => {
                Err(StoreError::new(Kind::Corrupt, "the file is an SQLite database, but not a sluice ledger"))
            }
            Self::Ledger(number) if number > NEWEST => Err(StoreError::new(
                Kind::Newer,
                format!(
                    "the ledger has format {number}, and this version of sluice knows formats up to {NEWEST}; use a \
                     newer sluice"
                ),
            )),
            Self::Empty | Self::Ledger(_) => Ok(()),
        }
    }
}

impl Migration {
    fn run(&self, transaction: &Transaction<'_>, keeper: &Timekeeper) -> Result<(), Trouble> {
        const SQL: &str = "INSERT INTO migrations (number, name, sha256, applied) VALUES (?1, ?2, ?3, ?4)";
        transaction.execute_batch(self.sql)?;
        transaction.execute(SQL, (self.number, self.name, self.digest(), keeper.time.0))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", self.number)?;
        Ok(())
    }

    fn digest(&self) -> String {
        lower_hex(&Sha256::digest(self.sql))
    }
}

/// Gives a new ledger its name and its secrets, in the transaction that makes its tables.
fn found(transaction: &Transaction<'_>, options: &Options, keeper: &Timekeeper) -> Result<(), StoreError> {
    const META: &str = "INSERT INTO meta (one, ledger, incarnation, schema, last_time, last_boot, last_boottime_ns, \
                        retention_halted, next_record) VALUES (1, ?1, 1, ?2, 0, '', 0, 0, 1)";
    const SECRET: &str = "INSERT INTO secrets (id, purpose, bytes, created) VALUES (?1, ?2, ?3, ?4)";
    let told = |error: Trouble| error.into_error(options.busy_timeout);
    let draw = || {
        options.entropy.draw().map_err(|error| {
            let sentence = "the operating system gave no random bytes for the secrets of the ledger";
            StoreError::new(Kind::Unavailable, sentence).with_source(error)
        })
    };
    let id = lower_hex(&draw()?[..16]);
    transaction.execute(META, (&id, NEWEST)).map_err(|error| told(error.into()))?;
    ticker::save(transaction, keeper, 1).map_err(told)?;
    // The ledger's own name in the id of a secret keeps a secret from being taken for another ledger's.
    for (prefix, purpose) in [("fp", "fingerprint"), ("ds", "downstream")] {
        let values = (format!("{prefix}-{}-1", &id[..8]), purpose, draw()?, keeper.time.0);
        transaction.execute(SECRET, values).map_err(|error| told(error.into()))?;
    }
    Ok(())
}

/// A ledger that was made by other statements than ours is not the one we know.
fn verify(conn: &Connection) -> Result<Result<(), StoreError>, Trouble> {
    let mut statement = conn.prepare("SELECT sha256 FROM migrations ORDER BY number")?;
    let digests = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let known: Vec<_> = MIGRATIONS.iter().map(Migration::digest).collect();
    if digests == known {
        return Ok(Ok(()));
    }
    let sentence = "the ledger is damaged: its migrations are not those of its format";
    Ok(Err(StoreError::new(Kind::Corrupt, sentence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_holes() {
        let numbers: Vec<_> = MIGRATIONS.iter().map(|migration| migration.number).collect();
        assert_eq!(numbers, (1..=NEWEST).collect::<Vec<_>>());
    }

    #[test]
    fn a_released_migration_is_never_edited() {
        let digests: Vec<_> = MIGRATIONS.iter().map(Migration::digest).collect();
        let released = [
            "3cc35dcfd2a4ff1416d3c64d0285000e021b75fe26b1ddc0a7289e8481085652",
            "b0c2556286ba83b652c596e32e319caec817e33f7186b465cbd9e46f1bc8c9a9",
            "cac3951e99e3b7495e18fb61275b1cd396f3728e0457fe83313ee26f98aca0f3",
        ];
        assert_eq!(digests, released);
    }
}
