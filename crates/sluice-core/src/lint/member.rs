//! Which members are looked at, and what are they?

use super::names::{self, Role};
use super::report::{Finding, Question, Severity};
use crate::contract::{Contract, MemberPath};
use crate::key::Json;

/// One member that enters the key.
pub(super) struct Member {
    pub path: String,
    pub role: Role,
    pub is_scope: bool,
    pub is_personal: bool,
    pub is_boundary: bool,
}

pub(super) fn all(contract: &Contract, sample: Option<&Json>) -> Vec<Member> {
    let of = |path: &MemberPath, is_scope: bool| {
        let is_hashed = contract.sensitive.iter().any(|sensitive| sensitive.covers(path));
        of_names(
            path.as_str(),
            path.names(),
            sample.and_then(|sample| path.find(sample)),
            is_scope,
            is_hashed,
        )
    };
    let identity = contract.identity.iter().map(|path| of(path, false));
    identity.chain(contract.scope.iter().map(|path| of(path, true))).collect()
}

pub(super) fn of_names(
    path: &str,
    names: &[String],
    sample: Option<&Json>,
    is_scope: bool,
    is_hashed: bool,
) -> Member {
    Member {
        path: path.to_owned(),
        role: names::role(names, sample),
        is_scope,
        is_personal: !is_hashed && names::is_personal(names, sample),
        is_boundary: names::is_boundary(names),
    }
}

/// Shortens the making of findings.
pub(super) fn finding(
    id: &'static str,
    question: Question,
    severity: Severity,
    members: &[&Member],
    reason: impl Into<String>,
    instead: impl Into<String>,
) -> Finding {
    let members = members.iter().map(|member| member.path.clone()).collect();
    Finding { id, question, severity, members, reason: reason.into(), instead: instead.into() }
}
