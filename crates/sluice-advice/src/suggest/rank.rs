//! Which set is the best?

use super::table::{Column, Table};
use sluice_core::contract::{Contract, MemberPath};
use sluice_core::lint::{Finding, Question, Severity, contract};

/// A set of members that could be an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The members.
    pub members: Vec<String>,
    /// What speaks against it, by the name of what lint finds.
    pub against: Vec<&'static str>,
    weight: u32,
}

/// What speaks against each column, asked once: there may be many sets.
pub(super) struct Judge {
    columns: Vec<Against>,
}

/// What speaks against one column.
struct Against {
    own: Vec<(&'static str, u32)>,
    /// What speaks against it where nothing else is beside it.
    alone: Option<(&'static str, u32)>,
}

impl Judge {
    /// Asks lint, which knows what is unstable, shared or personal by name and look.
    pub(super) fn new(table: &Table) -> Self {
        Self { columns: (0..table.columns.len()).map(|column| against(table, column)).collect() }
    }

    pub(super) fn judge(&self, table: &Table, set: &[usize]) -> Suggestion {
        let mut members: Vec<_> = set.iter().map(|column| table.columns[*column].path.clone()).collect();
        members.sort();
        let mut found: Vec<_> =
            set.iter().flat_map(|column| self.columns[*column].own.iter().copied()).collect();
        let alone: Option<Vec<_>> = set.iter().map(|column| self.columns[*column].alone).collect();
        found.extend(alone.and_then(|alone| alone.into_iter().max_by_key(|(_, weight)| *weight)));
        let weight = found.iter().map(|(_, weight)| weight).sum();
        let mut against: Vec<_> = found.into_iter().map(|(id, _)| id).collect();
        against.sort_unstable();
        against.dedup();
        Suggestion { members, against, weight }
    }
}

fn against(table: &Table, column: usize) -> Against {
    let built =
        Contract::builder("effect").identity([&table.columns[column].path]).fingerprint(["effect"]).build();
    let Column { path, sample, .. } = &table.columns[column];
    let names = MemberPath::parse(path).map(|path| path.names().to_vec());
    let event = names.ok().map(|names| sample.clone().within(&names));
    let lint = built.map(|built| contract(&built, event.as_ref()));
    let weighed = |finding: &Finding| match finding.severity {
        Severity::Error => Some((finding.id, 100)),
        Severity::Warning => Some((finding.id, 10)),
        Severity::Info => None,
    };
    let findings = lint.map(|lint| lint.findings).unwrap_or_default();
    let (alone, own): (Vec<_>, Vec<_>) =
        findings.iter().partition(|finding| finding.question == Question::Uniqueness);
    Against { own: own.into_iter().filter_map(weighed).collect(), alone: alone.into_iter().find_map(weighed) }
}

/// What is stable and private first, then what is short, then what is called an id.
pub(super) fn measure(one: &Suggestion) -> (u32, usize, usize, usize, Vec<String>) {
    let plain = one.members.iter().filter(|member| !is_id(member)).count();
    let depth = one.members.iter().map(|member| member.matches('.').count()).sum();
    (one.weight, one.members.len(), plain, depth, one.members.clone())
}

/// `order.id`, `orderId`, `order_no`: a word of its own, and not the end of `paid`.
pub(crate) fn is_id(member: &str) -> bool {
    let last = member.rsplit(['.', '_', '-']).next().unwrap_or_default();
    let words = ["id", "number", "no", "key", "ref"];
    let joined = ["Id", "ID", "Number", "No", "Key", "Ref"];
    words.contains(&last.to_ascii_lowercase().as_str()) || joined.iter().any(|ending| last.ends_with(ending))
}
