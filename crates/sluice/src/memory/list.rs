//! Records by what they are, newest first.

use super::rows::{Row, Rows};
use sluice_core::record::{LedgerTime, Record};
use sluice_core::store::{Flag, Page, Query, StoreError, StoreErrorKind};
use sluice_core::trail::EventKind;
use std::time::Duration;

impl Rows {
    pub fn list(&self, query: &Query, now: Duration) -> Result<Page, StoreError> {
        let before = match &query.after {
            Some(cursor) => cursor.parse().map_err(|_| bad_cursor())?,
            None => u64::MAX,
        };
        let wanted = query.page();
        let mut rows: Vec<_> = self
            .table
            .newest_before(before)
            .filter(|(_, row)| matches(query, row, self.time()) && is_flagged(query, row))
            .take(wanted + 1)
            .collect();
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next = rows.last().filter(|_| more).map(|(number, _)| number.to_string());
        Ok(Page { items: rows.into_iter().map(|(_, row)| row.view(now).snapshot()).collect(), next })
    }
}

fn is_flagged(query: &Query, row: &Row) -> bool {
    match query.flagged {
        None => true,
        Some(Flag::DoubleEffect) => row.record.body.double_effect(),
        Some(Flag::Conflict) => row.events.iter().any(|event| event.draft.kind == EventKind::KeyConflict),
    }
}

fn matches(query: &Query, row: &Row, last: LedgerTime) -> bool {
    let Record { id, body, updated, .. } = row.record.as_ref();
    let within =
        query.within.map_or(i64::MAX, |within| i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
    query.namespace.as_ref().is_none_or(|namespace| *namespace == id.namespace)
        && (query.statuses.is_empty() || query.statuses.contains(&body.status))
        && query.tool.as_ref().is_none_or(|tool| body.labels.tool.as_ref() == Some(tool))
        && query.key_prefix.as_ref().is_none_or(|prefix| id.key.as_str().starts_with(prefix.as_str()))
        && last.0.saturating_sub(updated.0) <= within
}

fn bad_cursor() -> StoreError {
    StoreError::new(StoreErrorKind::Invalid, "that is not where a page of this ledger ended")
}
