//! Two accounts in the ledger's own file.

#![allow(dead_code, reason = "every test file uses a part of it")]

use sluice::core::ids::RecordId;
use sluice::core::record::Record;
use sluice::core::state::Status;
use sluice::core::trail::EventKind;
use sluice::{Done, EffectSpec, Error, Failure, Key, Namespace, Sluice};
use sluice_sqlite::{Options, SqliteStore, StatementError, Statements};
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Bank {
    _folder: Option<TempDir>,
    pub path: PathBuf,
    pub store: SqliteStore,
    pub sluice: Sluice,
}

pub async fn open(path: PathBuf, folder: Option<TempDir>) -> Bank {
    open_with(path, folder, Options::default()).await
}

pub async fn open_with(path: PathBuf, folder: Option<TempDir>, options: Options) -> Bank {
    let store = SqliteStore::open_with(&path, options).await.unwrap();
    let sluice = Sluice::open(store.clone()).build();
    Bank { _folder: folder, path, store, sluice }
}

pub async fn bank() -> Bank {
    bank_with(Options::default()).await
}

pub async fn bank_with(options: Options) -> Bank {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bank.db");
    let bank = open_with(path, Some(folder), options).await;
    let made = bank.run("open", |db| {
        db.execute("CREATE TABLE accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT", [])?;
        db.execute("INSERT INTO accounts VALUES ('ada', 1000), ('bob', 0)", [])?;
        Ok(())
    });
    assert!(made.await.unwrap().ran_now());
    bank
}

pub fn moves(db: &Statements<'_>) -> Result<(), StatementError> {
    db.execute("UPDATE accounts SET cents = cents - 100 WHERE name = 'ada'", [])?;
    db.execute("UPDATE accounts SET cents = cents + 100 WHERE name = 'bob'", [])?;
    Ok(())
}

pub fn id(key: &str) -> RecordId {
    RecordId::new(Namespace::default(), Key::new(key).unwrap())
}

pub fn spec(key: &str) -> EffectSpec {
    EffectSpec::new(Key::new(key).unwrap())
}

impl Bank {
    pub async fn run<T, F>(&self, key: &str, work: F) -> Result<Done<T>, Error>
    where
        T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static,
        F: for<'t> FnOnce(&Statements<'t>) -> Result<T, Failure> + Send + 'static,
    {
        self.sluice.run_in(&self.store, spec(key), work).await
    }

    pub async fn pay(&self, key: &str) -> Result<Done<u32>, Error> {
        self.run(key, |db| moves(db).map(|()| 7).map_err(Failure::from)).await
    }

    /// What ada and bob have, as anybody sees who opens the file.
    pub fn balances(&self) -> (i64, i64) {
        let conn = rusqlite::Connection::open(&self.path).unwrap();
        let of = |name| {
            conn.query_row("SELECT cents FROM accounts WHERE name = ?1", [name], |row| row.get(0)).unwrap()
        };
        (of("ada"), of("bob"))
    }

    pub async fn record(&self, key: &str) -> Option<Record> {
        Some(self.sluice.look(&id(key)).await.unwrap()?.record)
    }

    pub async fn status(&self, key: &str) -> Option<Status> {
        Some(self.record(key).await?.body.status)
    }

    /// What happened to a record, in order; its versions have no hole.
    pub async fn story(&self, key: &str) -> Vec<EventKind> {
        let events = self.sluice.store().events(&id(key)).await.unwrap();
        let mut versions: Vec<u64> = events.iter().filter_map(|event| Some(event.version?.0)).collect();
        // A record is reopened and claimed in one change.
        versions.dedup();
        let last = self.record(key).await.map_or(0, |record| record.version.0);
        assert_eq!(versions, (1..=last).collect::<Vec<_>>(), "{key}");
        events.into_iter().map(|event| event.draft.kind).collect()
    }
}

pub fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap()
        .block_on(test);
}
