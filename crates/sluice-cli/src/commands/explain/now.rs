//! What is true now, what is safe, and what to type next.

use super::Story;
use crate::run::result::ChildRun;
use crate::text::{in_words, rfc3339};
use sluice::core::outcome::{NotKept, Outcome};
use sluice::core::retention::later;
use sluice::core::state::Status;

impl Story {
    pub(super) fn now(&self) -> Vec<String> {
        let record = &self.found.record;
        let mut lines = match record.body.status {
            Status::Succeeded => self.succeeded(),
            Status::Failed => self.failed(),
            Status::Released => {
                vec!["it did not happen. Delivering it again runs it, with attempts of its own.".to_owned()]
            }
            Status::InFlight => self.in_flight(),
            Status::Indeterminate => self.in_doubt(),
        };
        if self.is_kept_aside {
            lines.insert(
                0,
                "an outcome of it is kept aside, since the ledger could not be written. Take it in before anything else: sluice \
                 recover"
                    .to_owned(),
            );
        }
        if let Some(pid) = self.pid.filter(|_| !self.has_doubt()) {
            lines.push(format!("process {pid} still runs it."));
        }
        if record.body.double_effect() {
            let key = in_words(&record.id);
            let landed: Vec<_> = record.body.landed.iter().map(ToString::to_string).collect();
            lines.push(format!(
                "DOUBLE EFFECT: more than one execution is known to have happened: {}.",
                landed.join(", ")
            ));
            lines.push(
                "Find both at the target and undo the one whose object is not the one above, then say so, which takes it off \
                 sluice todo:"
                    .to_owned(),
            );
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
            Outcome::Success(kept) if kept.value == Err(NotKept::NeverGiven) => {
                "says that it was done; no result was ever given (exit 94)"
            }
            _ => "says that it was done; its result is not kept (exit 94)",
        }
    }

    fn in_flight(&self) -> Vec<String> {
        if !self.is_over() {
            let ends = rfc3339(later(self.condition.time, self.found.lease.remaining()));
            return vec![format!(
                "it is running; its lease ends at {ends} unless it is renewed. Delivering it again runs nothing beside it: it \
                 waits for the outcome (with --no-wait it is refused, exit 75)."
            )];
        }
        let what = if self.holder.is_gone() {
            "what ran it is gone without a word: its process is no more."
        } else {
            "its lease ended without a word."
        };
        let mut lines = vec![format!(
            "{what} The next delivery writes that down; so does, for this and all like it, and runs nothing: sluice recover"
        )];
        if self.found.record.body.provably_not_begun() {
            lines.push(
                "it did not happen: it never reached its point of no return (its mark), and no longer can. Delivering it again \
                 runs it."
                    .to_owned(),
            );
        } else {
            lines.extend(self.in_doubt());
        }
        lines
    }
}
