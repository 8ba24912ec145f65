//! How long can a duplicate arrive, how long is the key remembered, and what does the target do?

use super::member::finding;
use super::report::{Finding, Question, Severity};
use crate::contract::Contract;
use crate::duration::written;
use crate::policy::{OnDuplicate, OnIndeterminate};
use std::time::Duration;

pub(super) fn look(contract: &Contract, findings: &mut Vec<Finding>) {
    if let Some(within) = contract.duplicates_arrive_within {
        remembering(contract, within, findings);
        target(contract, within, findings);
    }
    if let (Some(target), false) = (&contract.downstream, contract.also_writes.is_empty()) {
        findings.push(finding(
            "also-writes", Question::Downstream, Severity::Warning, &[],
            format!("the key of {} covers what {} does and nothing else: where this effect dies between it and {}, a retry repeats the other", target.name, target.name, contract.also_writes.join(", ")),
            "two effects, one for each target, the second keyed by the same identity",
        ));
    }
}

fn remembering(contract: &Contract, within: Duration, findings: &mut Vec<Finding>) {
    // A duplicate may arrive at the end of its time and then wait for as long as a delivery may take.
    let needed = within.saturating_add(contract.deadline.unwrap_or_default());
    if contract.remember < needed {
        findings.push(finding(
            "remember-too-short",
            Question::Lifetime,
            Severity::Error,
            &[],
            format!(
                "a duplicate may arrive for {}, and the intent is forgotten after {}: a late one runs again",
                written(needed),
                written(contract.remember)
            ),
            format!("remember = \"{}\" or longer", written(needed)),
        ));
    }
    if contract.keep_result < within && contract.on_duplicate == OnDuplicate::Replay {
        findings.push(finding(
            "result-kept-too-short", Question::Lifetime, Severity::Warning, &[],
            format!("a duplicate may arrive for {}, and the result is kept for {}: a late one hears that it was done, without the result", written(within), written(contract.keep_result)),
            format!("keep_result = \"{}\", or on_duplicate = \"already_processed\"", written(within)),
        ));
    }
}

fn target(contract: &Contract, within: Duration, findings: &mut Vec<Finding>) {
    let Some(target) = &contract.downstream else { return };
    let reclaims = contract.on_indeterminate == Some(OnIndeterminate::Reclaim);
    let Some(window) = target.remembers.filter(|window| *window < within) else { return };
    let severity = if reclaims && !contract.repeatable { Severity::Warning } else { Severity::Info };
    findings.push(finding(
        "target-forgets-first", Question::Downstream, severity, &[],
        format!("{} remembers a key for {}, and duplicates may arrive for {}: later, running again what nobody knows would be a new request there", target.name, written(window), written(within)),
        "rely on sluice's record, which is asked first; let a probe or a person decide what is in doubt after that",
    ));
}
