//! Ledger time as it is stored. The rules are `sluice_core::timekeeper`'s.

use crate::classify::Trouble;
use rusqlite::Connection;
use sluice_core::record::LedgerTime;
use sluice_core::timekeeper::{Reading, Timekeeper};

/// Reads what was stored last and moves it to now. The caller holds the write lock.
pub(crate) fn advance(conn: &Connection, now: &Reading) -> Result<Timekeeper, Trouble> {
    Ok(load(conn)?.moved(now))
}

fn load(conn: &Connection) -> Result<Timekeeper, Trouble> {
    const SQL: &str = "SELECT last_time, last_boot, last_boottime_ns, retention_halted, retention_since FROM meta \
                       WHERE one = 1";
    let stored = conn.prepare_cached(SQL)?.query_row([], |row| {
        Ok(Timekeeper {
            time: LedgerTime(row.get(0)?),
            boot: row.get(1)?,
            boottime_ns: row.get(2)?,
            is_halted: row.get(3)?,
            since: LedgerTime(row.get(4)?),
        })
    })?;
    Ok(stored)
}

pub(crate) fn save(conn: &Connection, keeper: &Timekeeper, next_record: i64) -> Result<(), Trouble> {
    const SQL: &str = "UPDATE meta SET last_time = ?1, last_boot = ?2, last_boottime_ns = ?3, retention_halted = ?4, \
                       retention_since = ?5, next_record = ?6 WHERE one = 1";
    let values =
        (keeper.time.0, &keeper.boot, keeper.boottime_ns, keeper.is_halted, keeper.since.0, next_record);
    conn.prepare_cached(SQL)?.execute(values)?;
    Ok(())
}
