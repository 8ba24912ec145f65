//! Circuits: small rows beside the records, each written on the condition of its version.

use crate::apply::Transaction;
use crate::classify::Trouble;
use rusqlite::{Connection, OptionalExtension, Row};
use sluice_core::breaker::{Seen, Shared, SharedChange};
use sluice_core::ids::Version;
use sluice_core::record::LedgerTime;
use sluice_core::retention::later;
use std::time::Duration;

/// A circuit that nobody wrote for so long is as it was at its beginning: none is open for longer than an hour.
const IDLE: Duration = Duration::from_hours(7 * 24);

impl Transaction<'_> {
    /// Writes, where the stored version is the expected one, and answers what is stored then.
    pub(crate) fn circuit(&mut self, name: &str, change: Option<&SharedChange>) -> Result<Seen, Trouble> {
        const SQL: &str =
            "INSERT OR REPLACE INTO circuits (name, version, state, updated) VALUES (?1, ?2, ?3, ?4)";
        let stored = self.stored_circuit(name)?;
        let now = self.keeper().time;
        let Some(change) = change.filter(|change| change.expected == stored.circuit.version) else {
            return Ok(Seen { shared: stored, applied: false, now });
        };
        let state = serde_json::to_string(&change.next).map_err(|_| Trouble::TooLarge("circuits.state"))?;
        let version = i64::try_from(change.next.circuit.version.0).unwrap_or(i64::MAX);
        self.conn().prepare_cached(SQL)?.execute((name, version, state, now.0))?;
        self.wrote();
        Ok(Seen { shared: change.next.clone(), applied: true, now })
    }

    fn stored_circuit(&self, name: &str) -> Result<Shared, Trouble> {
        const SQL: &str = "SELECT version, state FROM circuits WHERE name = ?1";
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?));
        let found = self.conn().prepare_cached(SQL)?.query_row([name], row).optional()?;
        Ok(found.map_or_else(Shared::default, |(version, state)| decode(version, &state)))
    }

    /// Forgets circuits that were not written for long.
    pub(crate) fn forget_circuits(&mut self, limit: usize) -> Result<(), Trouble> {
        const SQL: &str = "DELETE FROM circuits WHERE name IN \
                           (SELECT name FROM circuits WHERE updated < ?1 LIMIT ?2)";
        let LedgerTime(now) = self.keeper().time;
        let LedgerTime(week) = later(LedgerTime(0), IDLE);
        let values = (now.saturating_sub(week), i64::try_from(limit).unwrap_or(i64::MAX));
        if self.conn().prepare_cached(SQL)?.execute(values)? > 0 {
            self.wrote();
        }
        Ok(())
    }
}

/// The circuits after that name, in the order of their names.
pub(crate) fn list(
    conn: &Connection,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<(String, Shared)>, Trouble> {
    // No name is empty, so that all come after the empty text.
    const SQL: &str = "SELECT name, version, state FROM circuits WHERE name > ?1 ORDER BY name LIMIT ?2";
    let row = |row: &Row<'_>| Ok((row.get(0)?, decode(row.get(1)?, &row.get::<_, String>(2)?)));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(SQL)?;
    let found = statement.query_map((after.unwrap_or_default(), limit), row)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// What no version of sluice wrote counts as a circuit that begins anew, at the version that stands there: it protects a
/// target, and must not keep anything from being run.
fn decode(version: i64, state: &str) -> Shared {
    let mut shared: Shared = serde_json::from_str(state).unwrap_or_default();
    shared.circuit.version = Version(u64::try_from(version).unwrap_or_default());
    shared
}
