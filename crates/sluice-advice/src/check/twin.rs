//! Which unlabelled deliveries look like one action?

use sluice_core::key::Json;
use sluice_core::lint::is_of_delivery;

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
