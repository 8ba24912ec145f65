//! Mistakes in what is stored, and in what happens to the lease.

use super::Fault;
use serde_json::Value;
use sluice_core::change::LeaseSet;
use sluice_core::ids::Epoch;
use sluice_core::key::SecretId;
use sluice_core::lease::LeaseView;
use sluice_core::outcome::{Kept, NotKept, Outcome};
use sluice_core::record::{Body, Snapshot};
use sluice_core::unresolved::Doubt;
use std::time::Duration;

/// The body as such a store keeps it.
pub(super) fn spoil(fault: Fault, set: &mut Body, found: Option<&Snapshot>) {
    match fault {
        Fault::AppliesHalf => set.status = found.map_or(set.status, |found| found.record.body.status),
        Fault::DropsUnresolved => set.unresolved.clear(),
        Fault::DropsReasons => {
            set.unresolved = set.unresolved.epochs().map(|epoch| (epoch, Doubt::Lapsed)).collect();
        }
        Fault::SmallNumbers => set.epoch = Epoch(set.epoch.0 & u64::from(u32::MAX)),
        Fault::TruncatesResults => results(set, |kept| {
            if let Ok(text) = &mut kept.value {
                text.truncate(64 * 1024);
            }
        }),
        Fault::ResultsAsText => results(set, |kept| {
            if let Ok(text) = &mut kept.value {
                *text = String::from_utf8_lossy(text).into_owned().into_bytes();
            }
        }),
        Fault::OneReason => results(set, |kept| {
            if kept.value.is_err() {
                kept.value = Err(NotKept::TooLarge);
            }
        }),
        Fault::TruncatesLabels => labels(set, |label| {
            *label = label.take().map(|text| text.chars().take(255).collect());
        }),
        Fault::CoercesNul => labels(set, |label| {
            *label = label.take().map(|text| text.replace('\0', ""));
        }),
        Fault::EmptyIsNone => labels(set, |label| *label = label.take().filter(|text| !text.is_empty())),
        Fault::SplitsFingerprint => {
            if let Some(fingerprint) = &mut set.fingerprint {
                let name = fingerprint.secret_id.0.split(':').next().unwrap_or_default();
                fingerprint.secret_id = SecretId(name.to_owned());
            }
        }
        Fault::FloatsDetail => {
            if let Outcome::Fault(fault) = &mut set.outcome {
                fault.detail = fault.detail.take().map(|text| {
                    let mut value = serde_json::from_str(&text).unwrap_or_default();
                    floats(&mut value);
                    value.to_string()
                });
            }
        }
        _ => {}
    }
}

fn results(set: &mut Body, spoil: impl Fn(&mut Kept)) {
    set.evidence.iter_mut().for_each(&spoil);
    if let Outcome::Success(kept) = &mut set.outcome {
        spoil(kept);
    }
}

fn labels(set: &mut Body, spoil: impl Fn(&mut Option<String>)) {
    let labels = &mut set.labels;
    for label in [&mut labels.tool, &mut labels.actor, &mut labels.run_id, &mut labels.object_id] {
        spoil(label);
    }
}

fn floats(value: &mut Value) {
    match value {
        Value::Number(number) => *value = number.as_f64().into(),
        Value::Array(items) => items.iter_mut().for_each(floats),
        Value::Object(members) => members.values_mut().for_each(floats),
        _ => {}
    }
}

/// What such a store does to the lease.
pub(super) fn lease(fault: Fault, set: LeaseSet, found: Option<&Snapshot>) -> LeaseSet {
    let rebooted = found.is_some_and(|found| found.lease == LeaseView::EndedAtReboot);
    let now = LeaseSet::Grant(Duration::ZERO);
    match (fault, set) {
        (Fault::SettleEndsLease, LeaseSet::Settle) => now,
        (Fault::KeepSettlesReboot, LeaseSet::Keep) if rebooted => now,
        (Fault::SettleForgetsReboot, LeaseSet::Settle) | (Fault::GrantKeepsLease, LeaseSet::Grant(_))
            if found.is_some() =>
        {
            LeaseSet::Keep
        }
        (Fault::KeepExtendsLease, LeaseSet::Keep) => LeaseSet::Grant(Duration::from_secs(30)),
        (Fault::CapsLeases, LeaseSet::Grant(lease)) => LeaseSet::Grant(lease.min(Duration::from_hours(1))),
        (_, set) => set,
    }
}
