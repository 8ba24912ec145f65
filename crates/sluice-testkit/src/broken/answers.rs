//! Mistakes in what a store says of a record and its events.

use super::Fault;
use sluice_core::change::{Expected, Unmet};
use sluice_core::ids::Version;
use sluice_core::lease::LeaseView;
use sluice_core::record::{LedgerTime, Snapshot};
use sluice_core::store::Written;
use sluice_core::trail::{Event, EventKind};
use std::time::Duration;

/// A record as such a store shows it.
pub(super) fn snapshot(fault: Fault, mut shown: Snapshot, reopened: bool) -> Snapshot {
    let record = &mut shown.record;
    match fault {
        Fault::VersionJumps => record.version = jumped(record.version),
        Fault::UpdatedGoesBack => {
            let changes = i64::try_from(record.version.0).unwrap_or(i64::MAX) - 1;
            record.updated = LedgerTime(record.created.0 - changes);
        }
        Fault::CreatedMoves => record.created = record.updated,
        Fault::UnknownLife => record.incarnation = 0,
        Fault::RoundsLeases => {
            if let LeaseView::Live(left) = shown.lease {
                shown.lease = LeaseView::Live(Duration::from_secs(left.as_secs()));
            }
        }
        Fault::OutlivesReboot if shown.lease == LeaseView::EndedAtReboot => {
            shown.lease = LeaseView::Live(Duration::from_secs(1));
        }
        Fault::RebootEndsNow if shown.lease == LeaseView::EndedAtReboot => {
            shown.lease = LeaseView::Ended(Duration::ZERO);
        }
        Fault::OpenEndsLeases if reopened => shown.lease = LeaseView::Ended(Duration::ZERO),
        _ => {}
    }
    shown
}

fn jumped(version: Version) -> Version {
    Version(version.0 * 2 - 1)
}

/// The version that the store under it knows by the one that was shown; an even one was never shown.
pub(super) fn shown_version(fault: Fault, expected: Expected) -> Expected {
    match expected {
        Expected::At { version, status, epoch } if fault == Fault::VersionJumps => Expected::At {
            version: Version(if version.0 % 2 == 1 { version.0.div_ceil(2) } else { u64::MAX }),
            status,
            epoch,
        },
        other => other,
    }
}

/// The answer to a change as such a store gives it.
pub(super) fn written(fault: Fault, written: Written) -> Written {
    match (fault, written) {
        (Fault::LiesAboutApplied, Written::Applied(snapshot)) => {
            Written::Found { snapshot: Some(snapshot), unmet: Unmet::Record }
        }
        (Fault::AnswersFullLease, Written::Applied(mut snapshot)) => {
            if snapshot.lease.is_live() {
                snapshot.lease = LeaseView::Live(snapshot.record.body.terms.lease);
            }
            Written::Applied(snapshot)
        }
        (Fault::FindsNothing, Written::Found { unmet, .. }) => Written::Found { snapshot: None, unmet },
        (Fault::BlamesTheRecord, Written::Found { snapshot, .. }) => {
            Written::Found { snapshot, unmet: Unmet::Record }
        }
        (Fault::JudgesLeaseFirst, Written::Found { snapshot: Some(snapshot), .. }) => {
            let unmet = if snapshot.lease.is_live() { Unmet::LeaseRuns } else { Unmet::LeaseOver };
            Written::Found { snapshot: Some(snapshot), unmet }
        }
        (_, written) => written,
    }
}

/// The events as such a store gives them.
pub(super) fn events(fault: Fault, mut events: Vec<Event>) -> Vec<Event> {
    match fault {
        Fault::EventTwice => {
            events = events.into_iter().flat_map(|event| [event.clone(), event]).collect();
        }
        Fault::OmitsEvent => events.retain(|event| event.draft.kind != EventKind::Marked),
        Fault::EventsBackwards => events.reverse(),
        Fault::OmitsPreceding => {
            let all = events.clone();
            let followed = |event: &Event| {
                event.version.is_some()
                    && all.iter().filter(|other| other.version == event.version).count() > 1
            };
            events.retain(|event| !(followed(event) && event.draft.kind == EventKind::Reopened));
        }
        _ => {}
    }
    for event in &mut events {
        match fault {
            Fault::RewordsEvent => event.draft.reason = None,
            Fault::EventWithoutTime => event.at = LedgerTime(0),
            Fault::VersionedNotice => event.version = event.version.or(Some(Version::FIRST)),
            Fault::VersionJumps => event.version = event.version.map(jumped),
            _ => {}
        }
    }
    events
}
