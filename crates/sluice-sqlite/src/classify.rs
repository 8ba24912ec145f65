//! What went wrong, in our own words. The driver's error stays behind `source()`.

use rusqlite::{Error as SqlError, ErrorCode, ffi};
use sluice_core::store::{StoreError, StoreErrorKind as Kind};
use std::sync::Arc;
use std::time::Duration;

/// What goes wrong inside a transaction; can be told to every job of a batch.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// SQLite's own.
    Sql(Arc<SqlError>),
    /// A column holds what no version of sluice writes there.
    Column(&'static str),
    /// A number that this file format has no room for.
    TooLarge(&'static str),
    /// Something the ledger must have is not there.
    Absent(&'static str),
    /// The file at the path is no longer the one that was opened.
    Replaced,
    /// A test asked for it.
    Planned,
}

impl From<SqlError> for Trouble {
    fn from(error: SqlError) -> Self {
        Self::Sql(Arc::new(error))
    }
}

impl Trouble {
    /// Whether others hold what is needed.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Sql(error) if is_busy(error))
    }

    /// Whether SQLite refused what would break a constraint.
    pub(crate) fn is_constraint(&self) -> bool {
        matches!(self, Self::Sql(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation))
    }

    /// Puts it into words; `waited` is how long others were waited for.
    pub(crate) fn into_error(self, waited: Duration) -> StoreError {
        match self {
            Self::Sql(error) => {
                let (kind, sentence) = words(&error, waited);
                StoreError::new(kind, sentence).with_source(error)
            }
            Self::Column(column) => StoreError::new(
                Kind::Corrupt,
                format!("the ledger is damaged: column {column} cannot be read"),
            ),
            Self::TooLarge(column) => {
                StoreError::new(Kind::Invalid, format!("{column} is larger than a ledger file can hold"))
            }
            Self::Absent(what) => {
                StoreError::new(Kind::Corrupt, format!("the ledger is damaged: {what} is missing"))
            }
            Self::Replaced => StoreError::new(
                Kind::Unavailable,
                "the ledger file was moved, removed or replaced while it was open; open it again",
            ),
            Self::Planned => StoreError::new(Kind::Other, "a test made this fail"),
        }
    }
}

/// Whether SQLite says that others hold what is needed.
pub(crate) fn is_busy(error: &SqlError) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn words(error: &SqlError, waited: Duration) -> (Kind, String) {
    let Some(failure) = error.sqlite_error() else {
        return (without_code(error), DAMAGED.into());
    };
    let (kind, sentence) = match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => return (Kind::Busy, busy(waited)),
        ErrorCode::DiskFull => (Kind::Full, "no space is left where the ledger is"),
        ErrorCode::ReadOnly if failure.extended_code == ffi::SQLITE_READONLY_DBMOVED => {
            (Kind::Unavailable, "the ledger file was moved or removed while it was open; open it again")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => {
            (Kind::NoPermission, "the ledger, or the folder it is in, may not be written")
        }
        ErrorCode::DatabaseCorrupt => (Kind::Corrupt, DAMAGED),
        ErrorCode::NotADatabase => (Kind::Corrupt, "the file is not a sluice ledger, or it is damaged"),
        ErrorCode::CannotOpen => {
            (Kind::Unavailable, "the ledger file, or its log beside it, cannot be opened")
        }
        ErrorCode::SystemIoFailure => {
            (Kind::Unavailable, "the file system failed to read or write the ledger")
        }
        ErrorCode::OutOfMemory => (Kind::Other, "there was not enough memory to use the ledger"),
        ErrorCode::TooBig => (Kind::Invalid, "a value is larger than a ledger can hold"),
        // Our statements are fixed, so SQLite can only fail to understand one where a table is not what it was.
        ErrorCode::Unknown if failure.extended_code == ffi::SQLITE_ERROR => {
            (Kind::Corrupt, "the ledger is damaged: its tables are not those of its format")
        }
        _ => (Kind::Other, "the ledger could not carry out the request"),
    };
    (kind, sentence.into())
}

const DAMAGED: &str = "the ledger is damaged";

fn without_code(error: &SqlError) -> Kind {
    match error {
        SqlError::FromSqlConversionFailure(..)
        | SqlError::IntegralValueOutOfRange(..)
        | SqlError::InvalidColumnType(..)
        | SqlError::Utf8Error(..)
        | SqlError::QueryReturnedNoRows => Kind::Corrupt,
        _ => Kind::Other,
    }
}

fn busy(waited: Duration) -> String {
    format!(
        "the ledger was locked by another process for {} s; most likely one is stopped inside a write transaction \
         (a debugger, SIGSTOP): let it go on or end it, then try again",
        waited.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    fn failure(code: i32) -> StoreError {
        let error = SqlError::SqliteFailure(ffi::Error::new(code), Some("driver words".into()));
        Trouble::from(error).into_error(Duration::from_secs(10))
    }

    #[test]
    fn every_code_has_its_kind() {
        let table = [
            (ffi::SQLITE_BUSY, Kind::Busy),
            (ffi::SQLITE_BUSY_RECOVERY, Kind::Busy),
            (ffi::SQLITE_LOCKED, Kind::Busy),
            (ffi::SQLITE_FULL, Kind::Full),
            (ffi::SQLITE_READONLY, Kind::NoPermission),
            (ffi::SQLITE_READONLY_DBMOVED, Kind::Unavailable),
            (ffi::SQLITE_CORRUPT, Kind::Corrupt),
            (ffi::SQLITE_NOTADB, Kind::Corrupt),
            (ffi::SQLITE_CANTOPEN, Kind::Unavailable),
            (ffi::SQLITE_IOERR_FSYNC, Kind::Unavailable),
            (ffi::SQLITE_TOOBIG, Kind::Invalid),
            (ffi::SQLITE_ERROR, Kind::Corrupt),
            (ffi::SQLITE_CONSTRAINT, Kind::Other),
        ];
        for (code, kind) in table {
            assert_eq!(failure(code).kind, kind, "{code}");
        }
    }

    #[test]
    fn the_drivers_words_stay_behind_the_source() {
        let error = failure(ffi::SQLITE_IOERR);
        assert!(!error.to_string().contains("driver words"));
        assert!(error.source().is_some_and(|source| source.to_string().contains("driver words")));
    }

    #[test]
    fn a_busy_ledger_names_the_stopped_process() {
        let sentence = failure(ffi::SQLITE_BUSY).to_string();
        assert!(
            sentence.contains("10 s") && sentence.contains("stopped inside a write transaction"),
            "{sentence}"
        );
    }

    #[test]
    fn a_damaged_column_is_named_and_its_value_is_not() {
        let error = Trouble::Column("status").into_error(Duration::ZERO);
        assert_eq!(error.kind, Kind::Corrupt);
        assert!(error.to_string().contains("column status"));
    }
}
