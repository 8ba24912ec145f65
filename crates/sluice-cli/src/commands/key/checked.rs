//! How is a check told?

use crate::report::tell;
use crate::text::printable;
use serde_json::{Value, json};
use sluice::core::contract::Contract;
use sluice::core::duration::written;
use sluice_advice::check::{Findings, Report};
use std::time::Duration;

/// So many examples are told in words.
const TOLD: usize = 3;

pub fn show(contract: &Contract, report: &Report) {
    tell!("{}: {contract}", contract.effect);
    tell!(
        "{} deliveries, {} of them labelled with one of {} actions",
        grouped(report.deliveries),
        grouped(report.labelled),
        grouped(report.actions)
    );
    for (reason, keyless) in report.keyless.iter().take(TOLD) {
        tell!(
            "no key: {} deliveries, the first in line {}: {}",
            grouped(keyless.count),
            keyless.first_line,
            printable(reason)
        );
    }
    group(
        &report.unstable,
        "unstable",
        "actions have more than one key",
        "changed",
        "leave it out of identity; what is left must still name the action",
    );
    let scope = if report.collisions.boundaries.is_empty() {
        "add the member that names the action to identity"
    } else {
        "add the boundary to scope"
    };
    group(&report.collisions, "collision", "keys are shared by different actions", "tells them apart", scope);
    if !report.collisions.boundaries.is_empty() {
        tell!(
            "scope: {} names a boundary: ids are the same on both sides of it",
            printable(&report.collisions.boundaries.join(", "))
        );
    }
    group(
        &report.retries,
        "looks like retries",
        "groups of unlabelled deliveries differ only in what a redelivery brings, and have different keys",
        "changed",
        "leave it out of identity",
    );
    group(
        &report.varying,
        "varies",
        "keys have unlabelled deliveries that differ",
        "varies",
        "if these are different actions, it belongs to the key; label them with action to be sure",
    );
    lifetime(contract, report);
    tell!("{}", conclusion(report));
}

fn group(findings: &Findings, title: &str, what: &str, verb: &str, instead: &str) {
    if findings.count == 0 {
        return;
    }
    tell!("{title}: {} {what}", grouped(findings.count));
    let looked = findings.examples.len();
    let mut members: Vec<_> = findings.members.iter().collect();
    members.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (member, count) in members.iter().take(TOLD) {
        tell!("  {} {verb} in {count} of {looked} looked into", printable(member));
    }
    let lines: Vec<_> = findings
        .examples
        .iter()
        .take(TOLD)
        .map(|one| format!("{} and {}", one.lines[0], one.lines[1]))
        .collect();
    tell!("  see lines {}", lines.join("; "));
    tell!("  instead: {instead}");
}

fn lifetime(contract: &Contract, report: &Report) {
    let Some(longest) = report.longest_ms.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis)
    else {
        return;
    };
    tell!(
        "lifetime: the deliveries of one action arrived over {} at most; it is remembered for {}",
        written(longest),
        written(contract.remember)
    );
    if report.forgotten > 0 {
        tell!(
            "  {} deliveries came after their action was forgotten: remember longer",
            grouped(report.forgotten)
        );
    }
    let window = contract.downstream.as_ref().and_then(|target| Some((target, target.remembers?)));
    if let Some((target, window)) = window.filter(|(_, window)| *window < longest) {
        tell!(
            "  {} remembers keys for {} only: later, nothing but this record stops a second one",
            target.name,
            written(window)
        );
    }
}

/// The count a manager understands.
pub fn conclusion(report: &Report) -> String {
    if report.labelled == 0 && report.deliveries > 0 {
        return format!(
            "with this key {} groups that look like one action would have run more than once, of {} deliveries; label them with action to be sure",
            grouped(report.retries.count),
            grouped(report.deliveries)
        );
    }
    let refused = match report.refused {
        0 => String::new(),
        count => format!(" ({} of them refused as a key conflict)", grouped(count)),
    };
    format!(
        "with this key {} of {} deliveries would have run twice and {} actions would never have run{refused}",
        grouped(report.ran_twice),
        grouped(report.deliveries),
        grouped(report.never_ran)
    )
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub fn document(contract: &Contract, report: &Report) -> Value {
    let findings = |found: &Findings| {
        json!({
            "count": found.count, "members": found.members, "boundaries": found.boundaries,
            "examples": found.examples.iter().map(|one| json!({"lines": one.lines, "members": one.members})).collect::<Vec<_>>(),
        })
    };
    let keyless = report.keyless.iter();
    json!({
        "v": 1, "effect": contract.effect, "sentence": contract.to_string(), "deliveries": report.deliveries,
        "labelled": report.labelled, "actions": report.actions, "ran_twice": report.ran_twice,
        "actions_twice": report.actions_twice, "never_ran": report.never_ran, "refused": report.refused,
        "forgotten": report.forgotten, "longest_ms": report.longest_ms,
        "keyless": keyless.map(|(reason, found)| json!({"reason": reason, "count": found.count, "first_line": found.first_line})).collect::<Vec<_>>(),
        "unstable": findings(&report.unstable), "collisions": findings(&report.collisions),
        "retries": findings(&report.retries), "varying": findings(&report.varying),
        "conclusion": conclusion(report),
    })
}
