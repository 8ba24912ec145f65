//! What was written down of a record.

use crate::classify::Trouble;
use crate::rows::{self, int, text};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::record::LedgerTime;
use sluice_core::state::Status;
use sluice_core::trail::{Event, EventDraft, EventKind, LedgerEvent};

/// The words of an event as they are stored.
#[derive(Serialize, Deserialize)]
struct Words<By> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<By>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<By>,
}

/// Writes an event in the transaction of its change, or, without a version, as a notice.
pub(crate) fn write(
    conn: &Connection,
    id: &RecordId,
    row: Option<i64>,
    version: Option<Version>,
    at: LedgerTime,
    event: &EventDraft,
) -> Result<(), Trouble> {
    const SQL: &str = "INSERT INTO events (record, namespace, key, version, at, kind, epoch, claim_id, status, words) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let number = |number: Option<u64>, column| number.map(|number| int(number, column)).transpose();
    conn.prepare_cached(SQL)?.execute((
        row,
        text(id.namespace.as_str()),
        text(id.key.as_str()),
        number(version.map(|version| version.0), "events.version")?,
        at.0,
        text(event.kind.as_str()),
        number(event.epoch.map(|epoch| epoch.0), "events.epoch")?,
        event.claim.as_ref().map_or(ToSqlOutput::Borrowed(ValueRef::Null), |claim| {
            ToSqlOutput::Borrowed(ValueRef::Blob(claim.as_bytes()))
        }),
        event.status.map(Status::as_str),
        words(event)?,
    ))?;
    Ok(())
}

fn words(event: &EventDraft) -> Result<Option<String>, Trouble> {
    if event.by.is_none() && event.reason.is_none() {
        return Ok(None);
    }
    let words = Words { by: event.by.as_ref(), reason: event.reason.as_ref() };
    serde_json::to_string(&words).map(Some).map_err(|_| Trouble::TooLarge("events.words"))
}

/// Writes an event of the ledger itself, about no single record.
pub(crate) fn of_ledger(conn: &Connection, at: LedgerTime, event: &EventDraft) -> Result<(), Trouble> {
    const SQL: &str = "INSERT INTO events (namespace, key, at, kind, words) VALUES ('', '', ?1, ?2, ?3)";
    conn.prepare_cached(SQL)?.execute((at.0, event.kind.as_str(), words(event)?))?;
    Ok(())
}

/// The latest events of the ledger itself, newest first.
pub(crate) fn latest_of_ledger(conn: &Connection, limit: usize) -> Result<Vec<LedgerEvent>, Trouble> {
    const SQL: &str = "SELECT version, at, kind, epoch, claim_id, status, words FROM events \
                       WHERE namespace = '' ORDER BY seq DESC LIMIT ?1";
    let mut statement = conn.prepare_cached(SQL)?;
    let mut rows = statement.query([i64::try_from(limit).unwrap_or(i64::MAX)])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (at, draft) = entry(row)?;
        events.push(LedgerEvent { at, draft });
    }
    Ok(events)
}

/// Every event of one record, oldest first; notices from before there was one included.
pub(crate) fn of(conn: &Connection, id: &RecordId) -> Result<Vec<Event>, Trouble> {
    const SQL: &str = "SELECT version, at, kind, epoch, claim_id, status, words FROM events \
                       WHERE record = ?1 OR (record IS NULL AND namespace = ?2 AND key = ?3) ORDER BY seq";
    let row = rows::row_of(conn, id)?;
    let mut statement = conn.prepare_cached(SQL)?;
    let mut rows = statement.query((row, id.namespace.as_str(), id.key.as_str()))?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(event(row, id)?);
    }
    Ok(events)
}

fn event(row: &Row<'_>, id: &RecordId) -> Result<Event, Trouble> {
    let (at, draft) = entry(row)?;
    Ok(Event { id: id.clone(), version: number(row, 0, "events.version")?.map(Version), at, draft })
}

fn entry(row: &Row<'_>) -> Result<(LedgerTime, EventDraft), Trouble> {
    let words =
        optional_name(row, 6, "events.words", |json| serde_json::from_str::<Words<String>>(json).ok())?;
    let (by, reason) = words.map_or((None, None), |words| (words.by, words.reason));
    let kind =
        optional_name(row, 2, "events.kind", EventKind::parse)?.ok_or(Trouble::Column("events.kind"))?;
    let claim: Option<[u8; 16]> = row.get(4).map_err(|_| Trouble::Column("events.claim_id"))?;
    let draft = EventDraft {
        kind,
        epoch: number(row, 3, "events.epoch")?.map(Epoch),
        claim: claim.map(ClaimId::from_bytes),
        status: optional_name(row, 5, "events.status", Status::parse)?,
        by,
        reason,
    };
    let at = LedgerTime(row.get(1).map_err(|_| Trouble::Column("events.at"))?);
    Ok((at, draft))
}

fn number(row: &Row<'_>, at: usize, column: &'static str) -> Result<Option<u64>, Trouble> {
    let number: Option<i64> = row.get(at).map_err(|_| Trouble::Column(column))?;
    number.map(|number| u64::try_from(number).map_err(|_| Trouble::Column(column))).transpose()
}

fn optional_name<T>(
    row: &Row<'_>,
    at: usize,
    column: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Trouble> {
    let name = row.get_ref(at)?.as_str_or_null().map_err(|_| Trouble::Column(column))?;
    name.map(|name| parse(name).ok_or(Trouble::Column(column))).transpose()
}
