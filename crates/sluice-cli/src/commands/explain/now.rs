//! What is true now, what is safe, what to type next, and until when.

use super::Story;
use crate::run::result::ChildRun;
use crate::text::{in_words, printable, rfc3339, rough, verdicts};
use serde_json::{Value, json};
use sluice::core::downstream::oldest_key;
use sluice::core::holder::Liveness;
use sluice::core::ids::Epoch;
use sluice::core::lease::quiet_after;
use sluice::core::outcome::{NotKept, Outcome};
use sluice::core::retention::{due, later};
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
        let object = body.labels.object_id.as_ref();
        let came_out =
            object.map(|id| format!(" {} came out.", crate::text::printable(id))).unwrap_or_default();
        vec![format!("it happened.{came_out} Delivering it again runs nothing and {}.", self.replays())]
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

    /// What a later delivery hears of a success.
    fn replays(&self) -> &'static str {
        match &self.found.record.body.outcome {
            Outcome::Success(kept) if kept.value.is_ok() => {
                match ChildRun::of(&self.found.record.body.outcome) {
                    Some(run) if !run.recorded => {
                        "says that it was done; what the command wrote was not kept (exit 94, and 0 with --keep-output none)"
                    }
                    Some(run) if !run.is_whole() => {
                        "says that it was done; what the command wrote is not kept whole (exit 94)"
                    }
                    _ => "replays the result",
                }
            }
            _ => "says that it was done; its result is not kept (exit 94)",
        }
    }

    fn in_flight(&self) -> Vec<String> {
        let body = &self.found.record.body;
        let is_alive = matches!(self.holder, Liveness::Alive(_));
        if self.found.lease.is_live() && !self.holder.is_gone() {
            let left = rough(self.found.lease.remaining());
            return vec![format!(
                "it is running; its lease ends in {left} unless it is renewed. Delivering it again runs nothing beside it: it \
                 waits for the outcome."
            )];
        }
        let what = if self.holder.is_gone() {
            "what ran it is gone without a word."
        } else if is_alive {
            "its lease ended without a word, and something of it still runs."
        } else {
            "its lease ended without a word."
        };
        if body.provably_not_begun() {
            return vec![
                format!(
                    "{what} It did not happen: it never passed its mark, and no longer can. Delivering it again runs it."
                ),
                "To have that written down without a delivery: sluice recover".to_owned(),
            ];
        }
        let mut lines = vec![what.to_owned()];
        lines.extend(self.in_doubt(std::iter::once(body.epoch).chain(body.unresolved.epochs())));
        lines.push("To have that written down without a delivery: sluice recover".to_owned());
        lines.push(self.quiet());
        lines
    }

    fn indeterminate(&self) -> Vec<String> {
        let mut lines = self.in_doubt(self.found.record.body.unresolved.epochs());
        lines.push(self.quiet());
        lines
    }

    fn in_doubt(&self, epochs: impl Iterator<Item = Epoch>) -> Vec<String> {
        let record = &self.found.record;
        let epochs: Vec<_> = epochs.collect();
        let again = if record.body.terms.repeatable {
            "Delivering it again with --repeatable runs it again, once what ran it can no longer act; without it, nothing is \
             run (exit 90)."
        } else {
            "Delivering it again runs nothing (exit 90)."
        };
        let [landed, did_not] = verdicts(&record.id, epochs.iter().copied());
        let mut lines = vec![
            format!("nobody knows whether it happened. {again} Find out at the target, then say so:"),
            format!("  {landed}"),
            format!("  {did_not}"),
        ];
        if epochs.len() > 1 {
            let each: Vec<_> = epochs.iter().map(ToString::to_string).collect();
            lines.push(format!(
                "several executions are in doubt, and each needs its own word: {}.",
                each.join(", ")
            ));
        }
        lines.push(self.same_key());
        lines
    }

    /// The way by the target's own memory of the key.
    fn same_key(&self) -> String {
        let record = &self.found.record;
        let first = record.key_first_used();
        let again = "--on-indeterminate reclaim sends the same request under the same key";
        let Some(target) = &self.target else {
            return format!(
                "Where the target recognises its key, first sent {} at the earliest, a delivery with --downstream NAME {again}; \
                 until when: sluice explain --downstream NAME",
                rfc3339(first)
            );
        };
        let name = printable(&target.name);
        match oldest_key(target, record.body.terms.attempt_timeout).map(|oldest| later(first, oldest)) {
            Some(until) if until > self.condition.time => {
                format!("Until {}, a delivery with --downstream {name} {again}.", rfc3339(until))
            }
            Some(until) => format!(
                "{name} was sure to recognise its key until {} only: it is not sent again.",
                rfc3339(until)
            ),
            None => format!("{name} is not known to recognise a key for long enough: it is not sent again."),
        }
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
            (Some(result), Outcome::Fault(_)) => {
                lines.push(format!("what the attempt left behind until {}.", rfc3339(result)));
            }
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
