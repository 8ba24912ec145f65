//! Takes away what has outlived its keeping time; what that is, core says of each record.

use crate::apply::Transaction;
use crate::classify::Trouble;
use crate::events;
use crate::rows::{Draft, Found, Stamped, by_row};
use rusqlite::Connection;
use sluice_core::ids::{Epoch, RecordId};
use sluice_core::record::LedgerTime;
use sluice_core::retention::{Age, Batch, Due, Outlived, outlived, without_results};
use sluice_core::store::Swept;

impl Transaction<'_> {
    /// One batch of a sweep, with its one event.
    pub(crate) fn sweep(&mut self, limit: usize) -> Result<Swept, Trouble> {
        // Also where nothing goes: a ledger that is only swept must not fall behind its time (RULINGS 18).
        self.wrote();
        let Some(age) = self.keeper().age() else { return Ok(Swept { is_halted: true, ..Swept::default() }) };
        let mut batch = Batch::default();
        let rows = due_rows(self.conn(), age.now, limit)?;
        for row in &rows {
            self.outlive(*row, age, &mut batch)?;
        }
        self.forget_circuits(limit)?;
        let (results, records) = batch.counts();
        if let Some(event) = batch.event() {
            events::of_ledger(self.conn(), age.now, &event)?;
        }
        Ok(Swept { results, records, more: limit > 0 && rows.len() == limit, is_halted: false })
    }

    /// One record at a time is held in memory: results can be large.
    fn outlive(&mut self, row: i64, age: Age, batch: &mut Batch) -> Result<(), Trouble> {
        let Some(found) = by_row(self.conn(), row)? else { return Ok(()) };
        match outlived(&found.record, age) {
            // It is younger than its columns say, since a clock was accepted after its last change.
            Outlived::Nothing(due) => refile(self.conn(), row, due)?,
            Outlived::Result => {
                batch.result(&found.record);
                self.strip(found, age)?;
            }
            Outlived::Record => {
                batch.record(&found.record);
                remove(self.conn(), row, &found.record.id, found.record.body.epoch)?;
            }
        }
        Ok(())
    }

    /// Writes the record without its results, with the version and times it had.
    fn strip(&self, mut found: Found, age: Age) -> Result<(), Trouble> {
        without_results(&mut found.record.body);
        let record = &found.record;
        let stamped = Stamped {
            version: record.version,
            incarnation: record.incarnation,
            created: record.created,
            updated: record.updated,
            lease: found.lease.view(self.now()),
        };
        Draft { row: found.row, stamped, lease: &found.lease, body: &record.body }.update(self.conn())?;
        // A change that was stamped in the future is due earlier than its own time says.
        match outlived(record, age) {
            Outlived::Nothing(due) => refile(self.conn(), found.row, due),
            Outlived::Result | Outlived::Record => Ok(()),
        }
    }
}

fn due_rows(conn: &Connection, now: LedgerTime, limit: usize) -> Result<Vec<i64>, Trouble> {
    const SQL: &str = "SELECT id FROM records WHERE record_expires IS NOT NULL \
                       AND coalesce(result_expires, record_expires) <= ?1 \
                       ORDER BY coalesce(result_expires, record_expires) LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(SQL)?;
    let rows = statement.query_map((now.0, limit), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn refile(conn: &Connection, row: i64, due: Due) -> Result<(), Trouble> {
    const SQL: &str = "UPDATE records SET result_expires = ?2, record_expires = ?3 WHERE id = ?1";
    let values = (row, due.result.map(|at| at.0), due.record.map(|at| at.0));
    conn.prepare_cached(SQL)?.execute(values)?;
    Ok(())
}

/// A record goes with its superseded grants and its delivery counter. Its events stay: they are the trail's.
fn remove(conn: &Connection, row: i64, id: &RecordId, epoch: Epoch) -> Result<(), Trouble> {
    let name = (id.namespace.as_str(), id.key.as_str());
    conn.prepare_cached("DELETE FROM records WHERE id = ?1")?.execute([row])?;
    conn.prepare_cached("DELETE FROM deliveries WHERE namespace = ?1 AND key = ?2")?.execute(name)?;
    if epoch > Epoch::FIRST {
        conn.prepare_cached("DELETE FROM grants WHERE namespace = ?1 AND key = ?2")?.execute(name)?;
    }
    Ok(())
}

/// Gives every change that was stamped in the future by a clock that was just taken back a time to go that is its own.
pub(crate) fn recount(conn: &Connection, now: LedgerTime) -> Result<(), Trouble> {
    const SQL: &str = "UPDATE records SET record_expires = ?1 + remember_ms, \
                       result_expires = CASE WHEN result_expires IS NULL THEN NULL ELSE ?1 + keep_result_ms END \
                       WHERE record_expires IS NOT NULL AND updated > ?1";
    conn.prepare_cached(SQL)?.execute([now.0])?;
    Ok(())
}
