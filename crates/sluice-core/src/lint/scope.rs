//! Is the key unique within the right boundary?

use super::member::{Member, finding};
use super::report::{Finding, Question, Severity};
use crate::contract::{Contract, UniqueIn};

pub(super) fn look(contract: &Contract, members: &[Member], findings: &mut Vec<Finding>) {
    let Some(within) = contract.ids_unique_in else { return };
    let is_bounded = !contract.scope.is_empty() || members.iter().any(|member| member.is_boundary);
    if within != UniqueIn::Global && !is_bounded {
        let within = within.as_str();
        findings.push(finding(
            "scope-missing", Question::Scope, Severity::Error, &[],
            format!("ids are unique within one {within} only, and no {within} is in the key: two of them with the same id share one effect, and the second hears the first one's result"),
            format!("scope = [\"{within}_id\"], with the path the event has it at"),
        ));
    }
}
