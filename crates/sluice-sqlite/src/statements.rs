//! What an effect in the ledger's own transaction can do: its own tables, and nothing else.

use crate::transact::Bound;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode, Params, Row};
use std::cell::RefCell;
use std::error::Error;
use std::fmt;

/// The ledger's own tables. What an effect wrote there would be an effect on its own record.
const OWN: [&str; 8] =
    ["meta", "migrations", "secrets", "records", "grants", "events", "deliveries", "circuits"];

/// Statements on the user's own tables, inside the transaction that claims and settles.
///
/// There is no commit, and no statement that ends the transaction is let through; neither are `ATTACH`, pragmas, `ANALYZE`,
/// anything temporary, and whatever reads or writes the ledger's own tables.
pub struct Statements<'t> {
    conn: &'t Connection,
    bound: Bound<'t>,
    object: RefCell<Option<String>>,
}

impl fmt::Debug for Statements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Statements")
    }
}

/// A statement that was refused or failed. The driver's own words are its source.
#[derive(Debug)]
pub struct StatementError(Why);

#[derive(Debug)]
enum Why {
    /// SQLite's own.
    Sql(rusqlite::Error),
    /// There is no transaction any more.
    Left,
    /// The time is over.
    TooLong,
}

const TOO_LONG: &str = "the work takes longer than the ledger's transaction may";

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Why::Sql(error) => words(error),
            Why::Left => "an earlier statement ended the transaction",
            Why::TooLong => TOO_LONG,
        })
    }
}

fn words(error: &rusqlite::Error) -> &'static str {
    match error {
        rusqlite::Error::QueryReturnedNoRows => return "the query found no row",
        rusqlite::Error::MultipleStatement => return "several statements in one text are not carried out",
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            "the statement is not allowed inside the ledger's transaction"
        }
        Some(ErrorCode::OperationInterrupted) => TOO_LONG,
        Some(ErrorCode::ConstraintViolation) => "the statement broke a constraint",
        _ => "the statement failed",
    }
}

impl Error for StatementError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Why::Sql(error) => Some(error),
            Why::Left | Why::TooLong => None,
        }
    }
}

impl<'t> Statements<'t> {
    pub(crate) fn on(conn: &'t Connection, bound: Bound<'t>) -> Self {
        Self { conn, bound, object: RefCell::default() }
    }

    pub(crate) fn named_object(&self) -> Option<String> {
        self.object.borrow().clone()
    }

    /// Names the object that came out, for lists and `explain`.
    pub fn object_id(&self, object_id: impl Into<String>) {
        let object_id = object_id.into();
        self.object.replace(Some(object_id));
    }

    /// Carries out one statement; answers how many rows it changed.
    ///
    /// # Errors
    /// [`StatementError`] where it is refused or fails.
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StatementError> {
        self.inside()?.execute(sql, params).map_err(told)
    }

    /// Reads one row.
    ///
    /// # Errors
    /// [`StatementError`] where there is none, or the query is refused or fails.
    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StatementError> {
        self.inside()?.query_row(sql, params, read).map_err(told)
    }

    /// Reads every row.
    ///
    /// # Errors
    /// [`StatementError`] where the query is refused or fails.
    pub fn query_all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StatementError> {
        let conn = self.inside()?;
        let all = || conn.prepare(sql)?.query_map(params, read)?.collect::<rusqlite::Result<_>>();
        all().map_err(told)
    }

    /// A trigger can roll back, and whatever came after that would be committed by itself. Many short statements take
    /// as long as a long one, and none of them long enough to be interrupted.
    fn inside(&self) -> Result<&Connection, StatementError> {
        if self.bound.is_over() {
            return Err(StatementError(Why::TooLong));
        }
        if self.conn.is_autocommit() { Err(StatementError(Why::Left)) } else { Ok(self.conn) }
    }
}

fn told(error: rusqlite::Error) -> StatementError {
    StatementError(Why::Sql(error))
}

/// What is let through.
pub(crate) fn allows(context: AuthContext<'_>) -> Authorization {
    // A temporary table or view comes before one of the file where a statement does not say which it means, and none of the
    // ledger's own does; it would also outlive the transaction. `CREATE TABLE temp.x` is known only by where it is put.
    let puts_aside =
        context.database_name == Some("temp") && matches!(context.action, AuthAction::Insert { .. });
    if is_allowed(&context.action) && !puts_aside { Authorization::Allow } else { Authorization::Deny }
}

fn is_allowed(action: &AuthAction<'_>) -> bool {
    use AuthAction::{
        AlterTable, Analyze, Attach, CreateIndex, CreateTempIndex, CreateTempTable, CreateTempTrigger,
        CreateTempView, CreateTrigger, CreateVtable, Delete, Detach, DropIndex, DropTable, DropTempTrigger,
        DropTrigger, DropVtable, Function, Insert, Pragma, Read, Savepoint, Transaction, Unknown, Update,
    };
    match action {
        // What the virtual tables of a full-text index ask before they read.
        Pragma { pragma_name, pragma_value: None } => pragma_name.eq_ignore_ascii_case("data_version"),
        // Statistics, too: they decide how the ledger's own statements go about their work.
        CreateTempIndex { .. }
        | CreateTempTable { .. }
        | CreateTempView { .. }
        | Analyze { .. }
        | Attach { .. }
        | Detach { .. }
        | Transaction { .. }
        | Savepoint { .. }
        | Pragma { .. }
        | Unknown { .. }
        | CreateTempTrigger { .. }
        | DropTempTrigger { .. }
        | CreateVtable { .. }
        | DropVtable { .. } => false,
        Function { function_name } => !function_name.eq_ignore_ascii_case("load_extension"),
        AlterTable { table_name, .. }
        | CreateIndex { table_name, .. }
        | CreateTrigger { table_name, .. }
        | Delete { table_name }
        | DropIndex { table_name, .. }
        | DropTable { table_name }
        | DropTrigger { table_name, .. }
        | Insert { table_name }
        | Read { table_name, .. }
        | Update { table_name, .. } => !OWN.iter().any(|own| own.eq_ignore_ascii_case(table_name)),
        _ => true,
    }
}
