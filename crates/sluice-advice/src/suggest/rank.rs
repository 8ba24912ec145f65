//! Which set is the best?

use super::table::Table;
use sluice_core::contract::{Contract, MemberPath};
use sluice_core::key::Json;
use sluice_core::lint::{Severity, contract};
use std::cmp::Ordering;

/// A set of members that could be an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The members.
    pub members: Vec<String>,
    /// What speaks against it, by the name of what lint finds.
    pub against: Vec<&'static str>,
    weight: u32,
}

/// Asks lint, which knows what is unstable, shared or personal by name and look.
pub(super) fn judge(table: &Table, set: &[usize]) -> Suggestion {
    let mut members: Vec<_> = set.iter().map(|column| table.columns[*column].path.clone()).collect();
    members.sort();
    let built = Contract::builder("effect").identity(&members).fingerprint(["effect"]).build();
    let lint = built.map(|built| contract(&built, sample(table, set).as_ref()));
    let mut against = Vec::new();
    let mut weight = 0;
    for finding in lint.map(|lint| lint.findings).unwrap_or_default() {
        weight += match finding.severity {
            Severity::Error => 100,
            Severity::Warning => 10,
            Severity::Info => 0,
        };
        if finding.severity != Severity::Info && !against.contains(&finding.id) {
            against.push(finding.id);
        }
    }
    Suggestion { members, against, weight }
}

/// An event with what stands in the columns.
fn sample(table: &Table, set: &[usize]) -> Option<Json> {
    let mut event = Json::Object(Vec::new());
    for column in set {
        let column = &table.columns[*column];
        let names = MemberPath::parse(&column.path).ok()?.names().to_vec();
        put(&mut event, &names, column.sample.clone()?);
    }
    Some(event)
}

fn put(into: &mut Json, names: &[String], value: Json) {
    let (Json::Object(members), Some((first, rest))) = (into, names.split_first()) else { return };
    let at = members.iter().position(|(name, _)| name == first);
    let at = at.unwrap_or_else(|| {
        members.push((first.clone(), Json::Object(Vec::new())));
        members.len() - 1
    });
    if rest.is_empty() { members[at].1 = value } else { put(&mut members[at].1, rest, value) }
}

/// What is stable and private first, then what is short, then what is called an id.
pub(super) fn order(a: &Suggestion, b: &Suggestion) -> Ordering {
    let ids = |one: &Suggestion| one.members.iter().filter(|member| !is_id(member)).count();
    let depth =
        |one: &Suggestion| one.members.iter().map(|member| member.matches('.').count()).sum::<usize>();
    let measure = |one: &Suggestion| (one.weight, one.members.len(), ids(one), depth(one));
    measure(a).cmp(&measure(b)).then_with(|| a.members.cmp(&b.members))
}

fn is_id(member: &str) -> bool {
    let last = member.to_ascii_lowercase();
    ["id", "number", "no", "key", "ref"].iter().any(|ending| last.ends_with(ending))
}
