//! What is kept, and until when.

use super::Story;
use crate::text::rfc3339;
use serde_json::{Value, json};
use sluice::core::outcome::{NotKept, Outcome};
use sluice::core::retention::due;

impl Story {
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
            let until = if self.has_doubt() {
                "all of it, for as long as nobody knows; once somebody has said so, 90 days or as --remember says."
            } else {
                "all of it, until its end is written down; from then on 90 days or as --remember says."
            };
            return vec![until.to_owned()];
        };
        let forgotten = rfc3339(forgotten);
        let mut lines = Vec::new();
        if self.condition.is_halted {
            lines.push(
                "Nothing is forgotten at present, for the clock of this host jumped (look: sluice doctor); the times below are \
                 the earliest."
                    .to_owned(),
            );
        }
        match (due.result, &record.body.outcome) {
            (Some(result), Outcome::Fault(_)) => {
                lines.push(format!("what the attempt left behind until {}.", rfc3339(result)));
            }
            (Some(result), _) => lines.push(format!(
                "its result until {}; then a delivery hears only that it was done (exit 94).",
                rfc3339(result)
            )),
            (None, Outcome::Success(kept)) if kept.value == Err(NotKept::Expired) => {
                lines.push(
                    "its result is no longer kept; a delivery hears that it was done (exit 94).".to_owned(),
                );
            }
            _ => {}
        }
        lines.push(format!("its record until {forgotten}: until then every delivery finds it."));
        lines.push(
            "After that it is forgotten and its key is new: a delivery runs it, unless it says by --first-sent that it was sent before then \
             (refused, exit 77)."
                .to_owned(),
        );
        lines
    }
}
