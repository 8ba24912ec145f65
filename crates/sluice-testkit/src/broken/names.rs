//! Mistakes in the name of a record.

use super::Fault;
use crate::sample::id_in;
use sluice_core::ids::RecordId;

/// The name that such a store files a record under.
pub(super) fn filed(fault: Fault, id: &RecordId) -> RecordId {
    let (namespace, key) = (id.namespace.as_str(), id.key.as_str());
    match fault {
        // A joint name may be longer than a name can be; then such a store is right by accident.
        Fault::JoinsNames if namespace.len() + key.len() < 200 => id_in("all", &format!("{namespace}:{key}")),
        Fault::FoldsCase => id_in(namespace, &key.to_lowercase()),
        Fault::IgnoresNamespace => id_in("all", key),
        Fault::AsciiNames => id_in(namespace, &key.replace(|c: char| !c.is_ascii(), "?")),
        _ => id.clone(),
    }
}
