//! A sluice ledger in one SQLite file.
//!
//! It depends on no async runtime: one thread writes, and puts what arrives while a commit is on its way into the
//! next one. Nothing is answered before it is on disk (`WAL`, `synchronous = FULL`). It contains no rule: it asks
//! [`sluice_core::change::Guard::check`] inside the transaction and writes what a change says.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("ledger.db");
//! # futures_executor(async {
//! use sluice_core::store::Store;
//! use sluice_sqlite::SqliteStore;
//!
//! let store = SqliteStore::open(&path).await.unwrap();
//! assert_eq!(store.ledger().id.len(), 32);
//! drop(store);
//! let again = SqliteStore::open_existing(&path).await.unwrap();
//! assert_eq!(again.ledger().fingerprint_secrets.len(), 1);
//! # });
//! # fn futures_executor(future: impl Future<Output = ()>) {
//! #     struct Unpark(std::thread::Thread);
//! #     impl std::task::Wake for Unpark { fn wake(self: std::sync::Arc<Self>) { self.0.unpark() } }
//! #     let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
//! #     let mut future = std::pin::pin!(future);
//! #     while future.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending() { std::thread::park() }
//! # }
//! ```
//!
//! Where to look: `store` is the front, `queue`, `writer` and `apply` change records, `sweep`, `ticker` and `deliveries` are retention, ledger time and the
//! delivery counter, `reader`, `events` and `list` read
//! them, `rows` turns a record into columns and back, `connect` and `migrate` open a file and refuse what is no
//! ledger, `filesystem` refuses places that cannot keep the promise, `classify` says what went wrong, and
//! [`clock`] is the only place that reads a clock.

#[cfg(windows)]
compile_error!(
    "sluice-sqlite does not run on Windows: leases need a boot id and a clock that runs during suspend"
);

mod apply;
mod circuits;
mod classify;
pub mod clock;
mod connect;
mod deliveries;
mod events;
mod facts;
pub mod filesystem;
pub mod floor;
mod job;
mod list;
mod migrate;
mod names;
mod options;
mod place;
mod queue;
mod reader;
mod rows;
mod statements;
mod store;
mod sweep;
mod ticker;
mod transact;
mod upkeep;
mod watch;
mod writer;

pub use clock::{LedgerClock, SystemClock};
pub use facts::Facts;
pub use options::{Entropy, Hook, Moment, Options};
pub use statements::{StatementError, Statements};
pub use store::SqliteStore;
pub use transact::LONGEST_WORK;
