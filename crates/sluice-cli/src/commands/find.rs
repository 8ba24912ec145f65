//! Finds the one record a person means: by key, by a unique beginning of it, or the newest.

use super::StoreArg;
use crate::exit;
use crate::open::place;
use crate::report::Fail;
use crate::text::printable;
use clap::Args;
use sluice::core::ids::RecordId;
use sluice::core::record::Snapshot;
use sluice::core::store::{Query, Store};
use sluice::{Key, Namespace};
use sluice_sqlite::SqliteStore;
use std::sync::Arc;

/// Which intent.
#[derive(Args, Debug)]
pub struct Which {
    /// The key, or a beginning of it that only one key has
    pub key: Option<String>,
    /// The newest intent
    #[arg(long, conflicts_with = "key")]
    pub last: bool,
    /// Where the key lives
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub namespace: String,
    #[command(flatten)]
    pub store: StoreArg,
}

/// Which intent, for a command that changes it: the whole key, and no beginning of one.
#[derive(Args, Debug)]
pub struct OneKey {
    /// The whole key
    key: String,
    /// Where the key lives
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,
    #[command(flatten)]
    store: StoreArg,
}

impl OneKey {
    /// Opens the ledger and finds the record.
    pub async fn find(&self) -> Result<Found, Fail> {
        let (namespace, store) = (self.namespace.clone(), self.store.clone());
        let found = Which { key: Some(self.key.clone()), last: false, namespace, store }.find().await?;
        let exact = self.key == found.snapshot.record.id.key.as_str();
        exact.then_some(found).ok_or_else(|| Fail::usage("this changes a record, so it takes the whole key"))
    }
}

/// An opened ledger and the record that was meant.
pub struct Found {
    pub store: Arc<SqliteStore>,
    pub snapshot: Snapshot,
}

impl Which {
    /// Opens the ledger and finds the record.
    pub async fn find(&self) -> Result<Found, Fail> {
        let place = place(self.store.store.as_deref())?;
        let namespace = Namespace::new(self.namespace.as_str())?;
        let store = place.open_existing().await?;
        let snapshot = match &self.key {
            Some(key) => by_key(store.as_ref(), namespace, key).await?,
            None if self.last => newest(store.as_ref(), namespace).await?,
            None => return Err(Fail::usage("which intent? Give its key, or --last for the newest one")),
        };
        Ok(Found { store, snapshot })
    }
}

async fn by_key(store: &SqliteStore, namespace: Namespace, text: &str) -> Result<Snapshot, Fail> {
    let id = RecordId::new(namespace.clone(), Key::new(text)?);
    if let Some(exact) = store.read(&id).await? {
        return Ok(exact);
    }
    let query = Query {
        namespace: Some(namespace.clone()),
        key_prefix: Some(text.to_owned()),
        limit: 2,
        ..Query::default()
    };
    let mut items = store.list(query).await?.items;
    match items.len() {
        0 => Err(Fail::Status(
            exit::BAD_INPUT,
            format!(
                "no intent in namespace {} has a key that begins with {}",
                printable(namespace.as_str()),
                printable(text)
            ),
        )),
        1 => Ok(items.remove(0)),
        _ => Err(Fail::Status(
            exit::BAD_INPUT,
            format!("more than one key begins with {}: give more of it", printable(text)),
        )),
    }
}

async fn newest(store: &SqliteStore, namespace: Namespace) -> Result<Snapshot, Fail> {
    let query = Query { namespace: Some(namespace), limit: 1, ..Query::default() };
    let newest = store.list(query).await?.items.into_iter().next();
    newest.ok_or_else(|| {
        Fail::Status(exit::BAD_INPUT, "the ledger holds no intent in that namespace".to_owned())
    })
}
