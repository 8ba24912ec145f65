//! Which unlabelled deliveries look like one action?

use sluice_core::key::{Json, SuspicionKind, Suspicions};

/// The event without what a redelivery brings anew: what is left of two retries is the same.
pub(super) fn lasting(event: &Json) -> Json {
    strip(event, &mut Vec::new()).unwrap_or(Json::Null)
}

fn strip(value: &Json, way: &mut Vec<String>) -> Option<Json> {
    let Json::Object(members) = value else {
        return (!is_of_delivery(way, value)).then(|| value.clone());
    };
    let mut kept = Vec::with_capacity(members.len());
    for (name, value) in members {
        way.push(name.clone());
        kept.extend(strip(value, way).map(|value| (name.clone(), value)));
        way.pop();
    }
    Some(Json::Object(kept))
}

/// Whether a redelivery brings another value there: ids of deliveries, counters of attempts, clocks.
pub(super) fn is_of_delivery(way: &[String], value: &Json) -> bool {
    let whole = way.iter().rev().fold(value.clone(), |value, name| Json::Object(vec![(name.clone(), value)]));
    let found = Suspicions::of_parts(&whole);
    [SuspicionKind::DeliveryId, SuspicionKind::Attempt, SuspicionKind::Clock]
        .iter()
        .any(|kind| found.count(*kind) > 0)
}
