//! Why each later delivery was accepted or skipped.

use crate::text::{printable, rfc3339};
use serde_json::{Value, json};
use sluice::core::deliveries::{Deliveries, Heard, Seen};

pub fn title(deliveries: &Deliveries) -> String {
    let Deliveries { count, first, last, .. } = deliveries;
    let plural = if *count == 1 { "delivery" } else { "deliveries" };
    format!(
        "{count} {plural} noted, from {} to {} (a delivery that runs the effect is listed only where it has a --delivery)",
        rfc3339(*first),
        rfc3339(*last)
    )
}

pub fn lines(deliveries: &Deliveries) -> Vec<String> {
    let shown = deliveries.recent.len() as u64;
    let earlier = deliveries.count.saturating_sub(shown);
    let more =
        (earlier > 0).then(|| format!("({earlier} earlier ones are counted, and no more is known of them)"));
    more.into_iter().chain(deliveries.recent.iter().map(line)).collect()
}

fn line(seen: &Seen) -> String {
    let name = seen.delivery.as_ref().map(|id| format!("{}  ", printable(id.as_str()))).unwrap_or_default();
    format!("{}  {name}{}", rfc3339(seen.at), why(seen.heard))
}

fn why(heard: Heard) -> &'static str {
    match heard {
        Heard::Executed => "accepted: it ran the effect",
        Heard::Replayed => "skipped: it was done before, and got the recorded result",
        Heard::AlreadyDone => "skipped: it was done before, and heard no more than that",
        Heard::Duplicate => "refused: it was delivered before, and asked to be told so",
        Heard::Failed => "skipped: it had failed before, and the same request would fail again",
        Heard::Released => "skipped: the execution it waited for did not happen; delivered again it runs",
        Heard::Indeterminate => "skipped: nobody knows whether it happened",
        Heard::InFlight => "skipped: it was running elsewhere",
        Heard::Conflict => "refused: it asked for something else under this key",
        Heard::TooLate => "refused: it was first sent too long ago, or in the future",
        _ => heard.as_str(),
    }
}

pub fn document(deliveries: &Deliveries) -> Value {
    json!({
        "count": deliveries.count,
        "first": rfc3339(deliveries.first),
        "last": rfc3339(deliveries.last),
        "recent": deliveries.recent.iter().map(|seen| json!({
            "at": rfc3339(seen.at),
            // What was given as JSON is shown as JSON.
            "delivery": seen.delivery.as_ref().and_then(|id| serde_json::from_str::<Value>(id.as_str()).ok()),
            "heard": seen.heard.as_str(),
        })).collect::<Vec<_>>(),
    })
}
