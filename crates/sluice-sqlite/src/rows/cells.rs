//! Reads the columns of one row one after the other.

use super::{BODY, STAMPS};
use crate::classify::Trouble;
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::de::DeserializeOwned;
use sluice_core::ids::ClaimId;

/// The columns of one row, read from left to right. Every error names the column, never its value.
pub(crate) struct Cells<'r> {
    row: &'r Row<'r>,
    at: usize,
    first: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn new(row: &'r Row<'r>) -> Self {
        Self { row, at: 0, first: 0 }
    }

    /// For a row in which the name of the record comes first.
    pub(crate) fn after_name(row: &'r Row<'r>) -> Self {
        Self { row, at: 2, first: 2 }
    }

    /// The error for the column that was read last.
    pub(crate) fn bad(&self) -> Trouble {
        let at = self.at.saturating_sub(self.first + 1);
        Trouble::Column(STAMPS.iter().chain(&BODY).nth(at).copied().unwrap_or("records"))
    }

    pub(crate) fn next<T: FromSql>(&mut self) -> Result<T, Trouble> {
        let value = self.row.get_ref(self.at)?;
        self.at += 1;
        T::column_result(value).map_err(|_| self.bad())
    }

    /// A number that is never negative.
    pub(crate) fn count<T: TryFrom<i64>>(&mut self) -> Result<T, Trouble> {
        let number: i64 = self.next()?;
        T::try_from(number).map_err(|_| self.bad())
    }

    pub(crate) fn optional_count<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, Trouble> {
        let number: Option<i64> = self.next()?;
        number.map(|number| T::try_from(number).map_err(|_| self.bad())).transpose()
    }

    /// One of a fixed set of names.
    pub(crate) fn name<T>(&mut self, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Trouble> {
        self.optional_name(parse)?.ok_or_else(|| self.bad())
    }

    pub(crate) fn optional_name<T>(
        &mut self,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Trouble> {
        let value = self.row.get_ref(self.at)?;
        self.at += 1;
        let name = value.as_str_or_null().map_err(|_| self.bad())?;
        name.map(|name| parse(name).ok_or_else(|| self.bad())).transpose()
    }

    pub(crate) fn claim(&mut self) -> Result<ClaimId, Trouble> {
        self.next().map(ClaimId::from_bytes)
    }

    /// JSON that stands for nothing where the column is empty.
    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Trouble> {
        self.optional_name(|json| serde_json::from_str(json).ok())
    }
}
