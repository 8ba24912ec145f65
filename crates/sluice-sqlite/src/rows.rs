//! A record as columns, and columns as a record.
//!
//! Nothing in a file can make this panic: whatever no version of sluice writes is [`Trouble::Column`].

mod cells;
mod decode;
mod encode;

use crate::classify::Trouble;
use crate::clock::{LeaseEnd, Moment};
use crate::names;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension};
use sluice_core::ids::{RecordId, Version};
use sluice_core::lease::LeaseView;
use sluice_core::record::{Body, LedgerTime, Record, Snapshot};
use std::sync::LazyLock;

pub(crate) use cells::Cells;
pub(crate) use encode::{int, text};

/// What the store itself writes of a record, in the order of binding and reading.
const STAMPS: [&str; 7] =
    ["id", "version", "incarnation", "created", "updated", "lease_boot", "lease_until_ns"];

/// What changes write of a record, in the order of binding and reading.
const BODY: [&str; 36] = [
    "status",
    "epoch",
    "claim_id",
    "holder_machine",
    "holder_boot",
    "holder_pid",
    "holder_pid_start",
    "holder_process_group",
    "holder_lock",
    "lease_ms",
    "attempt_timeout_ms",
    "declares_marks",
    "repeatable",
    "keep_result_ms",
    "remember_ms",
    "marked",
    "tool",
    "actor",
    "run_id",
    "object_id",
    "fingerprint_secret",
    "fingerprint_mac",
    "unresolved",
    "landed",
    "evidence_bytes",
    "evidence_sha256",
    "evidence_not_kept",
    "evidence",
    "downstream_key",
    "downstream_rotation",
    "downstream_first_used",
    "fault",
    "result_bytes",
    "result_sha256",
    "not_kept",
    "result",
];

/// What follows from the body and is only looked for.
const DUE: [&str; 2] = ["result_expires", "record_expires"];

const NAME: [&str; 2] = ["namespace", "key"];

/// The columns in the order in which [`Found::read`] expects them.
pub(crate) static COLUMNS: LazyLock<String> = LazyLock::new(|| [&STAMPS[..], &BODY].concat().join(", "));

static FIND: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM records WHERE namespace = ?1 AND key = ?2", *COLUMNS));

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let columns = [&STAMPS[..], &BODY, &DUE, &NAME].concat();
    let places = vec!["?"; columns.len()].join(", ");
    format!(
        "INSERT INTO records ({}) VALUES ({places}) ON CONFLICT (namespace, key) DO NOTHING",
        columns.join(", ")
    )
});

static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let columns = [&STAMPS[..], &BODY, &DUE].concat();
    let sets: Vec<_> = (2..).zip(&columns[1..]).map(|(at, column)| format!("{column} = ?{at}")).collect();
    format!("UPDATE records SET {} WHERE id = ?1", sets.join(", "))
});

/// A record as it stands in the file.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) row: i64,
    pub(crate) record: Record,
    pub(crate) lease: LeaseEnd,
}

impl Found {
    /// Reads a record by its name.
    pub(crate) fn find(conn: &Connection, id: &RecordId) -> Result<Option<Self>, Trouble> {
        let mut statement = conn.prepare_cached(&FIND)?;
        let mut rows = statement.query((id.namespace.as_str(), id.key.as_str()))?;
        rows.next()?.map(|row| Self::read(&mut Cells::new(row), id.clone())).transpose()
    }

    /// Judges its lease and hands it out.
    pub(crate) fn snapshot(self, now: &Moment) -> Snapshot {
        Snapshot { lease: self.lease.view(now), record: self.record }
    }
}

/// What the store adds to the body of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamped {
    pub(crate) version: Version,
    pub(crate) incarnation: u64,
    pub(crate) created: LedgerTime,
    pub(crate) updated: LedgerTime,
    pub(crate) lease: LeaseView,
}

/// A record as it is about to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) row: i64,
    pub(crate) stamped: Stamped,
    pub(crate) lease: &'a LeaseEnd,
    pub(crate) body: &'a Body,
}

impl Draft<'_> {
    /// Writes a new record; false, and nothing is written, where there is one of that name.
    pub(crate) fn insert(&self, conn: &Connection, id: &RecordId) -> Result<bool, Trouble> {
        let mut values = self.values()?;
        values.extend([text(id.namespace.as_str()), text(id.key.as_str())]);
        Ok(execute(conn, &INSERT, &values)? == 1)
    }

    /// Writes over the record that was found. Anything but one row is an error: a trigger that somebody put on the table can
    /// swallow the write, and what is not written must not be acknowledged.
    pub(crate) fn update(&self, conn: &Connection) -> Result<(), Trouble> {
        match execute(conn, &UPDATE, &self.values()?)? {
            1 => Ok(()),
            _ => Err(Trouble::Absent("a record that was there a moment ago")),
        }
    }
}

/// A statement of the cache comes with all its parameters null, and most columns of a record are.
fn execute(conn: &Connection, sql: &str, values: &[ToSqlOutput<'_>]) -> Result<usize, Trouble> {
    let mut statement = conn.prepare_cached(sql)?;
    for (at, value) in (1..).zip(values) {
        if !matches!(value, ToSqlOutput::Borrowed(ValueRef::Null)) {
            statement.raw_bind_parameter(at, value)?;
        }
    }
    Ok(statement.raw_execute()?)
}

static BY_ROW: LazyLock<String> =
    LazyLock::new(|| format!("SELECT namespace, key, {} FROM records WHERE id = ?1", *COLUMNS));

/// Reads a record by its row.
pub(crate) fn by_row(conn: &Connection, row: i64) -> Result<Option<Found>, Trouble> {
    let mut statement = conn.prepare_cached(&BY_ROW)?;
    let mut rows = statement.query([row])?;
    rows.next()?.map(named).transpose()
}

/// Reads a row in which the name of the record comes first.
pub(crate) fn named(row: &rusqlite::Row<'_>) -> Result<Found, Trouble> {
    let namespace = row.get(0).map_err(|_| Trouble::Column("namespace"))?;
    let key = row.get(1).map_err(|_| Trouble::Column("key"))?;
    Found::read(&mut Cells::after_name(row), names::record_id(namespace, key)?)
}

/// The row of a record, for what needs no more of it.
pub(crate) fn row_of(conn: &Connection, id: &RecordId) -> Result<Option<i64>, Trouble> {
    const SQL: &str = "SELECT id FROM records WHERE namespace = ?1 AND key = ?2";
    let name = (id.namespace.as_str(), id.key.as_str());
    Ok(conn.prepare_cached(SQL)?.query_row(name, |row| row.get(0)).optional()?)
}
