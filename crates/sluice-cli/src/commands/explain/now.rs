//! What is true now, what is safe, what to type next, and until when.

use super::Story;
use crate::text::{in_words, rfc3339, rough};
use serde_json::{Value, json};
use sluice::core::holder::Liveness;
use sluice::core::lease::quiet_after;
use sluice::core::outcome::{NotKept, Outcome};
use sluice::core::retention::due;
use sluice::core::state::Status;
use sluice::core::unresolved::Doubt;

impl Story {
    pub(super) fn now(&self) -> Vec<String> {
        let record = &self.found.record;
        let mut lines = match record.body.status {
            Status::Succeeded => self.succeeded(),
            Status::Failed => self.failed(),
            Status::Released => vec!["it did not happen. Delivering it again runs it.".to_owned()],
            Status::InFlight => self.in_flight(),
            Status::Indeterminate => self.indeterminate(),
        };
        if let Some(pid) = self.pid {
            lines.push(format!("process {pid} still runs it."));
        }
        if record.body.double_effect() {
            let key = in_words(&record.id);
            lines.push("DOUBLE EFFECT: more than one execution is known to have happened.".to_owned());
            lines.push("Undo one at the target, then say so:".to_owned());
            lines.push(format!("  sluice effects note {key} --reason WHAT"));
        }
        lines
    }

    fn succeeded(&self) -> Vec<String> {
        let body = &self.found.record.body;
        let kept = matches!(&body.outcome, Outcome::Success(kept) if kept.value.is_ok());
        let object = body.labels.object_id.as_ref();
        let came_out =
            object.map(|id| format!(" {} came out.", crate::text::printable(id))).unwrap_or_default();
        let again = if kept { "replays the result" } else { "says that it was done" };
        vec![format!("it happened.{came_out} Delivering it again runs nothing and {again}.")]
    }

    fn failed(&self) -> Vec<String> {
        let key = in_words(&self.found.record.id);
        vec![
            "it did not happen, and the same request would fail again. Delivering it again runs nothing and replays \
             the error. Once the reason is gone:"
                .to_owned(),
            format!("  sluice effects reopen {key} --reason WHY"),
            "then the next delivery runs it. (A delivery with --on-failed rerun does so by itself.)".to_owned(),
        ]
    }

    fn in_flight(&self) -> Vec<String> {
        let said = if self.holder.is_gone() {
            "the process that ran it is gone. The next delivery will say what can be known.".to_owned()
        } else if self.found.lease.is_live() {
            format!(
                "it is running; its lease ends in {} unless it is renewed. Delivering it again waits for it.",
                rough(self.found.lease.remaining())
            )
        } else {
            "its lease ended. The next delivery will say what can be known.".to_owned()
        };
        vec![said]
    }

    fn indeterminate(&self) -> Vec<String> {
        let body = &self.found.record.body;
        let key = in_words(&self.found.record.id);
        let again = if body.terms.repeatable {
            "Delivering it again with --repeatable runs it again, once what ran it can no longer act."
        } else {
            "Delivering it again runs nothing."
        };
        let epochs: Vec<_> = body.unresolved.epochs().collect();
        let which = if epochs.len() > 1 { " --epoch N" } else { "" };
        let mut lines = vec![
            format!("nobody knows whether it happened. {again} Find out at the target, then say so:"),
            format!("  sluice effects resolve {key}{which} --landed [--result JSON] --reason WHY"),
            format!("  sluice effects resolve {key}{which} --did-not-land --reason WHY"),
        ];
        if epochs.len() > 1 {
            let each: Vec<_> = epochs.iter().map(ToString::to_string).collect();
            lines.push(format!(
                "several executions are in doubt, and each needs its own word: {}.",
                each.join(", ")
            ));
        }
        lines.push(self.quiet());
        lines
    }

    fn quiet(&self) -> String {
        let body = &self.found.record.body;
        if matches!(self.holder, Liveness::Alive(_)) {
            return "something of it still runs; until it ends only \"landed\" is taken.".to_owned();
        }
        let over = body.unresolved.why(body.epoch) == Some(Doubt::Ended);
        match (
            self.holder.is_gone() || over,
            self.found.lease.until_quiet(quiet_after(body.terms.attempt_timeout)),
        ) {
            (true, _) => "what ran it is over, so either is taken at once.".to_owned(),
            (false, Some(left)) => format!("\"did not land\" is taken in {}.", rough(left)),
            (false, None) => "it has been quiet for long enough, so either is taken at once.".to_owned(),
        }
    }

    /// Counted from the last change, as retention counts.
    pub(super) fn until(&self) -> Value {
        let record = &self.found.record;
        let due = due(&record.body, record.updated);
        json!({
            "result": due.result.map(rfc3339),
            "record": due.record.map(rfc3339),
            "is_halted": self.condition.is_halted,
        })
    }

    pub(super) fn kept(&self) -> Vec<String> {
        let record = &self.found.record;
        let due = due(&record.body, record.updated);
        let Some(forgotten) = due.record else {
            return vec!["all of it, for as long as it runs or nobody knows what became of it.".to_owned()];
        };
        let forgotten = rfc3339(forgotten);
        let mut lines = Vec::new();
        match (due.result, &record.body.outcome) {
            (Some(result), _) => lines.push(format!("its result until {}.", rfc3339(result))),
            (None, Outcome::Success(kept)) if kept.value == Err(NotKept::Expired) => {
                lines.push(
                    "its result is no longer kept; a delivery hears that it was done (exit 94).".to_owned(),
                );
            }
            _ => {}
        }
        lines.push(format!("its record until {forgotten}: until then every delivery finds it."));
        lines.push(
            "After that the key is new again, and a delivery runs unless --first-sent shows that it is older."
                .to_owned(),
        );
        if self.condition.is_halted {
            lines.push(
                "Nothing is forgotten at present: the clock of this host jumped. Look: sluice doctor"
                    .to_owned(),
            );
        }
        lines
    }
}
