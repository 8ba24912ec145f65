//! The delivery counter: beside records, outside of versions, events and the trail.

use crate::apply::Transaction;
use crate::classify::Trouble;
use crate::rows;
use rusqlite::{Connection, OptionalExtension};
use sluice_core::deliveries::{Deliveries, Tally};
use sluice_core::ids::RecordId;
use sluice_core::record::LedgerTime;

impl Transaction<'_> {
    /// Adds what was noted. A record that is gone takes its deliveries with it.
    pub(crate) fn count(&mut self, tallies: &[(RecordId, Tally)]) -> Result<(), Trouble> {
        for (id, tally) in tallies {
            if rows::row_of(self.conn(), id)?.is_some() {
                let known = of(self.conn(), id)?;
                write(self.conn(), id, &Deliveries::after(known, tally.clone(), self.keeper().time))?;
                self.wrote();
            }
        }
        Ok(())
    }
}

/// What is known of one record's deliveries. A text that no version of sluice wrote counts as none: it is for people
/// only, and must not keep a record from being used.
pub(crate) fn of(conn: &Connection, id: &RecordId) -> Result<Option<Deliveries>, Trouble> {
    const SQL: &str = "SELECT count, first, last, recent FROM deliveries WHERE namespace = ?1 AND key = ?2";
    let name = (id.namespace.as_str(), id.key.as_str());
    let row = |row: &rusqlite::Row<'_>| {
        let (count, first, last): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let recent: String = row.get(3)?;
        Ok(Deliveries {
            count: u64::try_from(count).unwrap_or_default(),
            first: LedgerTime(first),
            last: LedgerTime(last),
            recent: serde_json::from_str(&recent).unwrap_or_default(),
        })
    };
    Ok(conn.prepare_cached(SQL)?.query_row(name, row).optional()?)
}

fn write(conn: &Connection, id: &RecordId, all: &Deliveries) -> Result<(), Trouble> {
    const SQL: &str = "INSERT OR REPLACE INTO deliveries (namespace, key, count, first, last, recent) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let recent = serde_json::to_string(&all.recent).map_err(|_| Trouble::TooLarge("deliveries.recent"))?;
    let count = i64::try_from(all.count).unwrap_or(i64::MAX);
    let values = (id.namespace.as_str(), id.key.as_str(), count, all.first.0, all.last.0, recent);
    conn.prepare_cached(SQL)?.execute(values)?;
    Ok(())
}
