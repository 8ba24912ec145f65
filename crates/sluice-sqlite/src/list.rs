//! Records by what they are, newest first.

use crate::classify::Trouble;
use crate::clock::Moment;
use crate::rows::{COLUMNS, named};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use sluice_core::duration::as_ms;
use sluice_core::state::Status;
use sluice_core::store::{Flag, Page, Query, StoreError, StoreErrorKind};

/// Where a page ended: the row id of its last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor(i64);

impl Cursor {
    /// Reads what a page before gave as `next`.
    pub(crate) fn parse(text: &str) -> Result<Self, StoreError> {
        let row = text.parse().ok().filter(|row: &i64| *row > 0 && row.to_string() == text);
        row.map(Self).ok_or_else(|| {
            StoreError::new(
                StoreErrorKind::Invalid,
                "the place to go on from is not one that this ledger gave",
            )
        })
    }
}

/// One page of what a query asks for.
pub(crate) fn page(
    conn: &Connection,
    query: &Query,
    after: Option<Cursor>,
    now: &Moment,
) -> Result<Page, Trouble> {
    let (sql, values) = statement(query, after);
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(named(row)?);
    }
    // One more than a page was asked for; it only tells that there is a next page.
    let more = found.len() > query.page();
    found.truncate(query.page());
    let next = found.last().filter(|_| more).map(|last| last.row.to_string());
    Ok(Page { items: found.into_iter().map(|found| found.snapshot(now)).collect(), next })
}

fn statement(query: &Query, after: Option<Cursor>) -> (String, Vec<Value>) {
    let mut wanted = Wanted::default();
    wanted.place(query);
    wanted.statuses(&query.statuses);
    if let Some(tool) = &query.tool {
        wanted.with("tool = ?", [Value::from(tool.clone())]);
    }
    match query.flagged {
        None => {}
        Some(Flag::Conflict) => {
            wanted.with("id IN (SELECT record FROM events WHERE kind = 'notice.key_conflict')", []);
        }
        Some(Flag::DoubleEffect) => wanted.with("instr(landed, ',') > 0", []),
    }
    if let Some(within) = query.within {
        let within_ms = i64::try_from(as_ms(within)).unwrap_or(i64::MAX);
        wanted.with("updated >= (SELECT last_time FROM meta WHERE one = 1) - ?", [Value::from(within_ms)]);
    }
    if let Some(Cursor(row)) = after {
        wanted.with("id < ?", [Value::from(row)]);
    }
    wanted.finish(query.page())
}

#[derive(Default)]
struct Wanted {
    terms: Vec<String>,
    values: Vec<Value>,
}

impl Wanted {
    fn with(&mut self, term: &str, values: impl IntoIterator<Item = Value>) {
        self.terms.push(term.to_owned());
        self.values.extend(values);
    }

    /// Only a prefix is worth the index over names; without one the newest rows are read from the end, and the plus
    /// keeps SQLite from collecting and sorting a whole namespace for one page.
    fn place(&mut self, query: &Query) {
        let prefix = query.key_prefix.as_deref().filter(|prefix| !prefix.is_empty());
        if let Some(namespace) = &query.namespace {
            let term = if prefix.is_some() { "namespace = ?" } else { "+namespace = ?" };
            self.with(term, [Value::from(namespace.as_str().to_owned())]);
        }
        let Some(prefix) = prefix else { return };
        self.with("key >= ?", [Value::from(prefix.to_owned())]);
        if let Some(end) = first_after(prefix) {
            self.with("key < ?", [Value::from(end)]);
        }
    }

    /// The names stand in the statement itself, so that SQLite can see that its partial index answers it.
    fn statuses(&mut self, statuses: &[Status]) {
        if statuses.is_empty() {
            return;
        }
        let open = |status: &Status| matches!(status, Status::InFlight | Status::Indeterminate);
        if statuses.iter().all(open) {
            self.with("status IN ('in_flight', 'indeterminate')", []);
        }
        let names: Vec<_> = statuses.iter().map(|status| format!("'{status}'")).collect();
        self.with(&format!("status IN ({})", names.join(", ")), []);
    }

    fn finish(mut self, page: usize) -> (String, Vec<Value>) {
        let terms = if self.terms.is_empty() { "1".to_owned() } else { self.terms.join(" AND ") };
        self.values.push(Value::from(i64::try_from(page + 1).unwrap_or(i64::MAX)));
        let sql = format!(
            "SELECT namespace, key, {} FROM records WHERE {terms} ORDER BY id DESC LIMIT ?",
            *COLUMNS
        );
        (sql, self.values)
    }
}

/// The first text that comes after everything with this prefix, if there is one; SQLite compares bytes, and the
/// bytes of UTF-8 sort as its characters do.
fn first_after(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_the_first_text_that_does_not_have_it() {
        assert_eq!(first_after("ab").as_deref(), Some("ac"));
        assert_eq!(first_after("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(first_after("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(first_after("\u{10ffff}"), None);
        assert_eq!(first_after(""), None);
    }

    #[test]
    fn only_a_place_that_a_page_gave_is_taken() {
        assert_eq!(Cursor::parse("7").unwrap(), Cursor(7));
        for text in ["", "0", "-1", "07", "+7", "7 ", "x", "99999999999999999999"] {
            assert_eq!(Cursor::parse(text).unwrap_err().kind, StoreErrorKind::Invalid, "{text}");
        }
    }
}
