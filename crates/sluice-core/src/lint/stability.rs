//! Will a retry bring exactly the same key, and does the key tell about people?

use super::member::{Member, finding};
use super::names::Role;
use super::report::{Finding, Question, Severity};
use crate::contract::Contract;

/// Role, name of the finding, weight, why, and what to write instead.
type Rule = (Role, &'static str, Severity, &'static str, &'static str);

const RULES: [Rule; 8] = [
    (
        Role::Delivery,
        "delivery-id",
        Severity::Error,
        "it belongs to one delivery: a redelivery brings a new one, gets a new key, and the effect runs again",
        "the id of the business object the event is about; declare this one as delivery",
    ),
    (
        Role::Attempt,
        "attempt-counter",
        Severity::Error,
        "every retry counts it up, so every retry gets a new key and the effect runs again",
        "nothing: leave it out",
    ),
    (
        Role::Clock,
        "clock",
        Severity::Error,
        "a retry may bring a later time, which is a new key; a time rounded to a minute merges real actions instead",
        "the business id; for one action a day or month, period = { every = \"day\", of = \"event.scheduled_for\" }",
    ),
    (
        Role::Random,
        "random-value",
        Severity::Error,
        "it is drawn anew, so a retry gets a new key and the effect runs again",
        "the id that the business gave the action when it was asked for",
    ),
    (
        Role::Host,
        "hostname",
        Severity::Error,
        "it names the machine that happened to handle the delivery; a retry elsewhere gets a new key",
        "nothing: leave it out",
    ),
    (
        Role::Whole,
        "whole-payload",
        Severity::Error,
        "the whole payload changes with every harmless field, and holds the delivery's own ids and times",
        "the one or two members that make the action the action it is; put the rest into fingerprint",
    ),
    (
        Role::WholeArgs,
        "whole-arguments",
        Severity::Warning,
        "all arguments together change when one is added or worded anew",
        "the arguments that decide the effect, by name; put the rest into fingerprint",
    ),
    (
        Role::FreeText,
        "free-text",
        Severity::Error,
        "somebody, or a model, words it: a retry may word it differently, which is a new key",
        "the id of what the text is about; put the text into fingerprint, if a different wording should be refused",
    ),
];

pub(super) fn look(contract: &Contract, members: &[Member], findings: &mut Vec<Finding>) {
    rules(members, findings);
    let business: Vec<_> = members.iter().filter(|m| !m.is_scope && m.role == Role::Business).collect();
    for member in members {
        match member.role {
            Role::EventId if !contract.one_per_event => findings.push(finding(
                "event-id", Question::Stability, Severity::Warning, &[member],
                "an event's id stays when the event is sent again, but two events may ask for one action: is one event one action?",
                "one_per_event = true where it is; else the id of the business object",
            )),
            Role::RunId if !business.is_empty() => findings.push(finding(
                "run-id-beside-business-id", Question::Stability, Severity::Warning, &[member],
                format!("{} names the action already; with the run in the key, each re-run of the workflow repeats the effect", business[0].path),
                "identity without it; declare it as run_id",
            )),
            _ => {}
        }
    }
    fingerprint(contract, findings);
    privacy(members, findings);
}

pub(super) fn rules(members: &[Member], findings: &mut Vec<Finding>) {
    for member in members {
        for (_, id, severity, reason, instead) in RULES.iter().filter(|(role, ..)| *role == member.role) {
            findings.push(finding(id, Question::Stability, *severity, &[member], *reason, *instead));
        }
    }
}

pub(super) fn privacy(members: &[Member], findings: &mut Vec<Finding>) {
    for member in members.iter().filter(|member| member.is_personal) {
        findings.push(finding(
            "personal-data", Question::Privacy, Severity::Error, &[member],
            "it is personal, it has several spellings, and people change it; a plain hash of it can be tried out",
            "an opaque id of the account; where there is none, sensitive = [\"…\"] lets it in as a keyed hash",
        ));
    }
}

/// What is compared has to be as stable as the key, or a retry is refused as a conflict.
fn fingerprint(contract: &Contract, findings: &mut Vec<Finding>) {
    if contract.fingerprint.is_empty() {
        findings.push(finding(
            "no-fingerprint", Question::Uniqueness, Severity::Warning, &[],
            "nothing is compared when the key comes again, so a copied or wrong key is answered with somebody else's result",
            "fingerprint = [\"…\"] with the arguments that must not differ",
        ));
        return;
    }
    let members = contract
        .fingerprint
        .iter()
        .map(|path| super::member::of_names(path.as_str(), path.names(), None, false, true));
    // The whole of an event that is sent again unchanged is as stable as its id.
    let is_unstable = |role: Role| match role {
        Role::Whole => !contract.one_per_event,
        role => matches!(role, Role::Delivery | Role::Attempt | Role::Random | Role::Host),
    };
    for member in members.filter(|member| is_unstable(member.role)) {
        findings.push(finding(
            "fingerprint-unstable",
            Question::Stability,
            Severity::Warning,
            &[&member],
            "it may change with every delivery, and then an honest retry is refused as a key conflict",
            "the arguments that decide the effect, and nothing of the delivery",
        ));
    }
    let mut own: Vec<_> = contract.identity.iter().collect();
    let mut compared: Vec<_> = contract.fingerprint.iter().collect();
    own.sort();
    compared.sort();
    if own == compared {
        findings.push(finding(
            "fingerprint-is-identity", Question::Uniqueness, Severity::Info, &[],
            "the fingerprint is the identity: it guards keys that are made by hand or copied, and nothing else",
            "add the arguments that must not differ, such as the amount",
        ));
    }
}
