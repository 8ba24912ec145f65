//! Which member did it?

use super::report::{Example, Findings};
use crate::deliveries::Deliveries;
use crate::suggest::is_id;
use sluice_core::contract::{Contract, MemberPath};
use sluice_core::key::{Json, JsonPointer};
use sluice_core::lint::{is_boundary, is_of_delivery};
use std::io::{BufReader, Read, Seek, SeekFrom};

/// How many members are told of one pair.
const TOLD: usize = 3;

/// What is looked for in a pair of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// The members of the key that changed.
    InKey,
    /// The members outside the key that tell the two apart.
    Outside,
}

/// Reads the examples again and says which members differ in each.
pub(super) fn explain<R: Read + Seek>(
    from: &mut R,
    action: Option<&JsonPointer>,
    contract: &Contract,
    sought: Sought,
    findings: &mut Findings,
) {
    for example in &mut findings.examples {
        let [Some(a), Some(b)] = example.offsets.map(|offset| event_at(from, action, offset)) else {
            continue;
        };
        let members = match sought {
            Sought::InKey => in_key(contract, &a, &b),
            Sought::Outside => outside(contract, &a, &b),
        };
        for member in &members {
            *findings.members.entry(member.clone()).or_default() += 1;
        }
        example.members = members;
    }
    let boundaries =
        findings.members.keys().filter(|path| MemberPath::parse(path).is_ok_and(|path| is_boundary(&path)));
    findings.boundaries = boundaries.cloned().collect();
}

fn event_at<R: Read + Seek>(from: &mut R, action: Option<&JsonPointer>, offset: u64) -> Option<Json> {
    from.seek(SeekFrom::Start(offset)).ok()?;
    let mut one = Deliveries::new(BufReader::with_capacity(1 << 14, from), action.cloned());
    one.next()?.ok().map(|delivery| delivery.event)
}

pub(super) fn in_key(contract: &Contract, a: &Json, b: &Json) -> Vec<String> {
    let period = contract.period.as_ref().map(|period| &period.of);
    let paths = contract.identity.iter().chain(&contract.scope).chain(period);
    paths.filter(|path| path.find(a) != path.find(b)).map(|path| path.as_str().to_owned()).collect()
}

/// What differs between the two, ids first, and nothing of the delivery unless there is nothing else.
pub(super) fn outside(contract: &Contract, a: &Json, b: &Json) -> Vec<String> {
    let mut found = Vec::new();
    differences(a, b, &mut Vec::new(), &mut found);
    found
        .retain(|(path, _)| !contract.identity.iter().chain(&contract.scope).any(|known| known.covers(path)));
    found.sort_by_key(|(path, of_delivery)| (*of_delivery, !is_id(path.as_str()), path.names().len()));
    let has_lasting = found.iter().any(|(_, of_delivery)| !of_delivery);
    found.retain(|(_, of_delivery)| !(has_lasting && *of_delivery));
    found.truncate(TOLD);
    found.into_iter().map(|(path, _)| path.as_str().to_owned()).collect()
}

fn differences(a: &Json, b: &Json, way: &mut Vec<String>, found: &mut Vec<(MemberPath, bool)>) {
    if a == b {
        return;
    }
    let (Json::Object(ours), Json::Object(_)) = (a, b) else {
        let path = MemberPath::of_names(way);
        found.extend(path.ok().map(|path| (path, is_of_delivery(way, a) || is_of_delivery(way, b))));
        return;
    };
    let theirs_alone = names(b).filter(|name| a.get(name).is_none());
    let all: Vec<String> =
        ours.iter().map(|(name, _)| name.as_str()).chain(theirs_alone).map(str::to_owned).collect();
    for name in all {
        let (one, other) = (a.get(&name).unwrap_or(&Json::Null), b.get(&name).unwrap_or(&Json::Null));
        way.push(name);
        differences(one, other, way, found);
        way.pop();
    }
}

fn names(value: &Json) -> impl Iterator<Item = &str> {
    let members = match value {
        Json::Object(members) => members.as_slice(),
        _ => &[],
    };
    members.iter().map(|(name, _)| name.as_str())
}

/// Two deliveries of a group that is wrong.
pub(super) fn example(lines: [u64; 2], offsets: [u64; 2]) -> Example {
    Example { lines, members: Vec::new(), offsets }
}
