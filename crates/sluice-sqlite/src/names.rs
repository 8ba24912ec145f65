//! Names, fingerprints and secrets between columns and the types of `sluice_core::key`.

use crate::classify::Trouble;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sluice_core::ids::RecordId;
use sluice_core::key::{Fingerprint, Key, Namespace, Secret, SecretId};
use sluice_core::store::Ledger;

/// Puts the name of a record together.
pub(crate) fn record_id(namespace: String, key: String) -> Result<RecordId, Trouble> {
    let namespace = Namespace::new(namespace).map_err(|_| Trouble::Column("namespace"))?;
    let key = Key::new(key).map_err(|_| Trouble::Column("key"))?;
    Ok(RecordId::new(namespace, key))
}

/// Puts a fingerprint together; both of its columns are there, or neither is.
pub(crate) fn fingerprint(
    secret: Option<String>,
    mac: Option<[u8; 32]>,
) -> Result<Option<Fingerprint>, Trouble> {
    match (secret, mac) {
        (None, None) => Ok(None),
        (Some(secret), Some(mac)) => Ok(Some(Fingerprint { secret_id: SecretId(secret), mac })),
        _ => Err(Trouble::Column("fingerprint_mac")),
    }
}

/// Takes a fingerprint apart.
pub(crate) fn fingerprint_columns(fingerprint: Option<&Fingerprint>) -> (ValueRef<'_>, ValueRef<'_>) {
    fingerprint.map_or((ValueRef::Null, ValueRef::Null), |found| {
        (ValueRef::Text(found.secret_id.0.as_bytes()), ValueRef::Blob(&found.mac))
    })
}

/// Reads what the ledger says of itself. The current fingerprint secret comes first.
pub(crate) fn ledger(conn: &Connection) -> Result<Ledger, Trouble> {
    const SQL: &str = "SELECT ledger, incarnation FROM meta WHERE one = 1";
    let (id, incarnation) = conn.query_row(SQL, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
    let incarnation = u64::try_from(incarnation).map_err(|_| Trouble::Column("incarnation"))?;
    let downstream = secrets(conn, "downstream")?.into_iter().next();
    let fingerprint_secrets = secrets(conn, "fingerprint")?;
    if fingerprint_secrets.is_empty() {
        return Err(Trouble::Absent("the secret for fingerprints"));
    }
    let downstream_secret = downstream.ok_or(Trouble::Absent("the secret for keys sent to targets"))?;
    Ok(Ledger { id, incarnation, fingerprint_secrets, downstream_secret })
}

fn secrets(conn: &Connection, purpose: &str) -> Result<Vec<Secret>, Trouble> {
    const SQL: &str = "SELECT id, bytes FROM secrets WHERE purpose = ?1 \
                       ORDER BY retired IS NOT NULL, created DESC, rowid DESC";
    let mut statement = conn.prepare(SQL)?;
    let rows = statement.query_map([purpose], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| row.map(|(id, bytes)| Secret { id: SecretId(id), bytes }).map_err(Trouble::from)).collect()
}
