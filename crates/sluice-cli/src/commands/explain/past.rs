//! What happened: the events of the trail, one line each.

use crate::text::{printable, rfc3339};
use serde_json::{Value, json};
use sluice::core::state::Status;
use sluice::core::trail::{Event, EventKind};

pub fn document(event: &Event) -> Value {
    json!({
        "at": rfc3339(event.at),
        "version": event.version,
        "event": event.draft.kind.as_str(),
        "epoch": event.draft.epoch,
        "claim": event.draft.claim,
        "status": event.draft.status.map(Status::as_str),
        "by": event.draft.by,
        "reason": event.draft.reason,
    })
}

pub fn line(event: &Event) -> String {
    let epoch = event.draft.epoch.map(|epoch| format!("{epoch}: ")).unwrap_or_default();
    let left = match (event.draft.status, event.draft.kind.is_notice()) {
        (Some(Status::Indeterminate), false) if event.draft.kind == EventKind::Verdict => {
            " → still indeterminate: another execution is in doubt".to_owned()
        }
        (Some(status), false) => format!(" → {status}"),
        _ => String::new(),
    };
    format!("{}  {epoch}{}{left}", rfc3339(event.at), said(event))
}

fn said(event: &Event) -> String {
    let reason = event.draft.reason.as_deref().map(printable).unwrap_or_default();
    let by = event.draft.by.as_deref().map(|by| format!(" by {}", printable(by))).unwrap_or_default();
    match event.draft.kind {
        EventKind::Claimed => "claimed: the right to execute was granted".to_owned(),
        EventKind::Reclaimed => format!("claimed again, although nobody knows what became of it: {reason}"),
        EventKind::Marked => "marked: it passed its point of no return".to_owned(),
        EventKind::Succeeded if reason.is_empty() => "it happened, says its holder".to_owned(),
        EventKind::Succeeded => format!("it happened, says its holder ({reason})"),
        EventKind::Failed => "it did not happen and would fail again, says its holder".to_owned(),
        EventKind::Released => "it did not happen, says its holder".to_owned(),
        EventKind::Unknown => "its holder does not know whether it happened".to_owned(),
        EventKind::Lapsed => lapsed(&reason).to_owned(),
        EventKind::Verdict => format!("verdict{by}: {reason}"),
        EventKind::Reopened => format!("reopened{by}: {reason}"),
        EventKind::Evidence => "an older execution turned out to have happened".to_owned(),
        EventKind::Contradicted if reason.is_empty() => {
            "its holder's word came too late, or contradicts what is recorded, and does not count".to_owned()
        }
        EventKind::Contradicted => format!("refused: {reason}"),
        EventKind::KeyConflict => "the key was used for a different request, which was refused".to_owned(),
        EventKind::VerdictRefused => format!("a verdict{by} was refused, which had said: {reason}"),
        EventKind::Note => format!("note{by}: {reason}"),
        _ => event.draft.kind.as_str().to_owned(),
    }
}

fn lapsed(reason: &str) -> &'static str {
    match reason {
        "holder_gone" => "found: the process that ran it is gone",
        "host_restarted" => "found: the host that ran it was started anew",
        _ => "found: its lease had ended without a word",
    }
}
