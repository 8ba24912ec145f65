//! Circuits: small rows beside the records, each written on the condition of its version.

use crate::apply::Transaction;
use crate::classify::Trouble;
use rusqlite::OptionalExtension;
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

    /// What no version of sluice wrote counts as a circuit that begins anew, at the version that stands there: it protects a
    /// target, and must not keep anything from being run.
    fn stored_circuit(&self, name: &str) -> Result<Shared, Trouble> {
        const SQL: &str = "SELECT version, state FROM circuits WHERE name = ?1";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
        let found = self.conn().prepare_cached(SQL)?.query_row([name], row).optional()?;
        let Some((version, state)) = found else { return Ok(Shared::default()) };
        let mut shared: Shared = serde_json::from_str(&state).unwrap_or_default();
        shared.circuit.version = Version(u64::try_from(version).unwrap_or_default());
        Ok(shared)
    }

    /// Forgets the circuits that were not written for long.
    pub(crate) fn forget_circuits(&mut self) -> Result<(), Trouble> {
        const SQL: &str = "DELETE FROM circuits WHERE updated < ?1";
        let LedgerTime(now) = self.keeper().time;
        let LedgerTime(week) = later(LedgerTime(0), IDLE);
        if self.conn().prepare_cached(SQL)?.execute([now.saturating_sub(week)])? > 0 {
            self.wrote();
        }
        Ok(())
    }
}
