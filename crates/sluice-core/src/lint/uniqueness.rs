//! Can two legitimate actions share the key?

use super::member::{Member, finding};
use super::names::Role;
use super::report::{Finding, Question, Severity};
use crate::contract::Contract;

pub(super) fn look(contract: &Contract, members: &[Member], findings: &mut Vec<Finding>) {
    if contract.period.is_some() {
        return;
    }
    let identity: Vec<_> = members.iter().filter(|member| !member.is_scope).collect();
    judge(&identity, contract.definition.is_some(), findings);
}

pub(super) fn judge(identity: &[&Member], is_defined: bool, findings: &mut Vec<Finding>) {
    let is_value = |member: &Member| member.role == Role::Value || member.is_personal;
    if identity.is_empty() || !identity.iter().all(|member| is_shared(member)) {
        return;
    }
    let names = identity.iter().map(|member| member.path.as_str()).collect::<Vec<_>>().join(" and ");
    if identity.iter().any(|member| is_value(member)) {
        findings.push(finding(
            "only-shared-values", Question::Uniqueness, Severity::Error, identity,
            format!("two equal orders of one customer have the same {names}: the second would be taken for a repeat of the first and never run"),
            "the id of the order, payment or request; without one, the run that the action belongs to",
        ));
    } else if !is_defined {
        findings.push(finding(
            "party-id-alone",
            Question::Uniqueness,
            Severity::Warning,
            identity,
            format!(
                "{names} alone means one such effect for each of them, ever, for as long as it is remembered"
            ),
            "definition = \"…\" where that is meant; else add the id of what is done for them",
        ));
    }
}

/// Whether many actions have the value in common.
pub(super) fn is_shared(member: &Member) -> bool {
    matches!(member.role, Role::Value | Role::Party) || member.is_personal && member.role != Role::EventId
}
