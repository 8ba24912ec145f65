//! `sluice explain`: one intent's story.

use super::find::Which;
use crate::child::locks::Locks;
use crate::exit;
use crate::report::Fail;
use crate::run::witness::LockJudge;
use crate::text::{in_words, printable, rfc3339, rough};
use clap::Args;
use serde_json::json;
use sluice::core::holder::Liveness;
use sluice::core::lease::quiet_after;
use sluice::core::ports::Witness;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::Store;
use sluice::core::trail::{Event, EventKind};
use sluice::core::unresolved::Doubt;
use std::io::Write;

#[derive(Args, Debug)]
pub struct ExplainArgs {
    #[command(flatten)]
    which: Which,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub async fn explain(args: ExplainArgs) -> Result<u8, Fail> {
    let found = args.which.find().await?;
    let events = found.store.events(&found.snapshot.record.id).await?;
    let locks = Locks::beside(found.store.path());
    let holder = LockJudge::new(locks.clone()).judge(&found.snapshot.record.body.holder);
    let pid = locks.seen_alive(&found.snapshot.record.body.holder);
    let mut out = std::io::stdout().lock();
    // Whoever reads the story may have heard enough.
    let _ = if args.json {
        let events: Vec<_> = events.iter().map(event_document).collect();
        let next = now(&found.snapshot, holder, pid);
        writeln!(
            out,
            "{}",
            json!({"v": 1, "record": super::show::document(&found.snapshot), "events": events, "now": next})
        )
    } else {
        let mut lines = super::show::describe(&found.snapshot);
        lines.push(String::new());
        lines.push("what happened".to_owned());
        lines.extend(events.iter().map(|event| format!("  {}  {}", rfc3339(event.at), tell(event))));
        lines.push(String::new());
        lines.push("now".to_owned());
        lines.extend(now(&found.snapshot, holder, pid).iter().map(|line| format!("  {line}")));
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    Ok(exit::OK)
}

fn event_document(event: &Event) -> serde_json::Value {
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

fn tell(event: &Event) -> String {
    let epoch = event.draft.epoch.map(|epoch| format!("{epoch}: ")).unwrap_or_default();
    let reason = event.draft.reason.as_deref().map(printable).unwrap_or_default();
    let by = event.draft.by.as_deref().map(|by| format!(" by {}", printable(by))).unwrap_or_default();
    let said = match event.draft.kind {
        EventKind::Claimed => "claimed: the right to execute was granted".to_owned(),
        EventKind::Marked => "marked: it passed its point of no return".to_owned(),
        EventKind::Succeeded => "it happened, says its holder".to_owned(),
        EventKind::Failed => "it did not happen and would fail again, says its holder".to_owned(),
        EventKind::Released => "it did not happen, says its holder".to_owned(),
        EventKind::Unknown => "its holder does not know whether it happened".to_owned(),
        EventKind::Lapsed => lapsed(&reason).to_owned(),
        EventKind::Verdict => format!("verdict{by}: {reason}"),
        EventKind::Reopened => format!("reopened{by}: {reason}"),
        EventKind::Evidence => "an older execution turned out to have happened".to_owned(),
        EventKind::Contradicted => format!("refused: {reason}"),
        EventKind::KeyConflict => "the key was used for a different request, which was refused".to_owned(),
        EventKind::VerdictRefused => format!("a verdict{by} was refused ({reason})"),
        EventKind::Note => format!("note: {reason}"),
        _ => event.draft.kind.as_str().to_owned(),
    };
    let left = match (event.draft.status, event.draft.kind.is_notice()) {
        (Some(status), false) => format!(" → {status}"),
        _ => String::new(),
    };
    format!("{epoch}{said}{left}")
}

fn lapsed(reason: &str) -> &'static str {
    match reason {
        "holder_gone" => "the process that ran it is gone",
        "host_restarted" => "the host that ran it was started anew",
        _ => "its lease ended without a word",
    }
}

/// What is true now, what is safe, and what to type next.
fn now(found: &Snapshot, holder: Liveness, pid: Option<u32>) -> Vec<String> {
    let record = &found.record;
    let key = in_words(&record.id);
    let mut lines = match record.body.status {
        Status::Succeeded => {
            vec!["it happened. Delivering it again runs nothing and replays the result.".to_owned()]
        }
        Status::Failed => vec![
            "it did not happen, and the same request would fail again. Delivering it again runs nothing and replays the error.".to_owned(),
        ],
        Status::Released => vec!["it did not happen. Delivering it again runs it.".to_owned()],
        Status::InFlight => in_flight(found, holder),
        Status::Indeterminate => indeterminate(found, holder, &key),
    };
    if let Some(pid) = pid {
        lines.push(format!("process {pid} still runs it."));
    }
    if record.body.double_effect() {
        lines.push(
            "DOUBLE EFFECT: more than one execution is known to have happened. Undo one at the target."
                .to_owned(),
        );
    }
    lines
}

fn in_flight(found: &Snapshot, holder: Liveness) -> Vec<String> {
    let said = if holder.is_gone() {
        "the process that ran it is gone. The next delivery will say what can be known.".to_owned()
    } else if found.lease.is_live() {
        format!(
            "it is running; its lease ends in {} unless it is renewed. Delivering it again waits for it.",
            rough(found.lease.remaining())
        )
    } else {
        "its lease ended. The next delivery will say what can be known.".to_owned()
    };
    vec![said]
}

fn indeterminate(found: &Snapshot, holder: Liveness, key: &str) -> Vec<String> {
    let mut lines = vec![
        "nobody knows whether it happened. Delivering it again runs nothing. Find out at the target, then say so:".to_owned(),
        format!("  sluice effects resolve {key} --landed [--result JSON] --reason WHY"),
        format!("  sluice effects resolve {key} --did-not-land --reason WHY"),
    ];
    let quiet = quiet_after(found.record.body.terms.attempt_timeout);
    let over = found.record.body.unresolved.why(found.record.body.epoch) == Some(Doubt::Ended);
    if matches!(holder, Liveness::Alive(_)) {
        lines.push("something of it still runs; until it ends only \"landed\" is taken.".to_owned());
        return lines;
    }
    match (holder.is_gone() || over, found.lease.until_quiet(quiet)) {
        (true, _) => lines.push("what ran it is over, so either is taken at once.".to_owned()),
        (false, Some(left)) => lines.push(format!("\"did not land\" is taken in {}.", rough(left))),
        (false, None) => {
            lines.push("it has been quiet for long enough, so either is taken at once.".to_owned());
        }
    }
    lines
}
