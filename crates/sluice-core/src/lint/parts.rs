//! What can be said of a key that is derived from plain parts?

use super::member::{self, Member};
use super::report::Lint;
use super::{stability, uniqueness};
use crate::key::Json;

/// Looks through the parts that `sluice key derive` takes.
///
/// ```
/// use sluice_core::key::Json;
/// use sluice_core::lint::parts;
///
/// let found = parts(&Json::parse(br#"{"tool": "charge", "args": {"order_id": 7}, "message_id": "m1"}"#)?);
/// assert_eq!((found.findings[0].id, found.findings[0].members.join("")), ("delivery-id", "message_id".to_owned()));
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
pub fn parts(parts: &Json) -> Lint {
    let mut leaves = Vec::new();
    walk(parts, &mut Vec::new(), &mut leaves);
    let mut findings = Vec::new();
    stability::rules(&leaves, &mut findings);
    stability::privacy(&leaves, &mut findings);
    let identity: Vec<_> = leaves.iter().filter(|leaf| leaf.path != "tool").collect();
    uniqueness::judge(&identity, false, &mut findings);
    Lint::new("", None, findings)
}

fn walk(value: &Json, way: &mut Vec<String>, leaves: &mut Vec<Member>) {
    let Json::Object(members) = value else {
        return leaves.push(member::of_names(&way.join("."), way, Some(value), false, false));
    };
    for (name, value) in members {
        way.push(name.clone());
        walk(value, way, leaves);
        way.pop();
    }
}
