//! Nobody knows whether it happened: what may be said and done about it, and from when until when.

use super::Story;
use crate::text::{in_words, printable, rfc3339, verdicts};
use sluice::core::downstream::oldest_key;
use sluice::core::holder::Liveness;
use sluice::core::ids::Epoch;
use sluice::core::lease::quiet_after;
use sluice::core::record::LedgerTime;
use sluice::core::retention::later;
use sluice::core::state::Status;
use sluice::core::unresolved::Doubt;

/// From when on "it did not happen" is taken.
enum Taken {
    AtOnce(&'static str),
    From(LedgerTime),
    OnceItEnds,
}

impl Story {
    /// The executions of which nobody knows. One that is in flight by the record is among them: it is asked for only where it
    /// has ended without a word.
    fn doubted(&self) -> Vec<Epoch> {
        let body = &self.found.record.body;
        let current = (body.status == Status::InFlight).then_some(body.epoch);
        body.unresolved.epochs().chain(current).collect()
    }

    pub(super) fn has_doubt(&self) -> bool {
        let body = &self.found.record.body;
        match body.status {
            Status::Indeterminate => true,
            Status::InFlight => self.is_over() && !body.provably_not_begun(),
            _ => false,
        }
    }

    pub(super) fn in_doubt(&self) -> Vec<String> {
        let record = &self.found.record;
        let epochs = self.doubted();
        let taken = self.taken();
        let [landed, did_not] = verdicts(&record.id, epochs.iter().copied());
        let mut lines = vec![
            format!("nobody knows whether it happened. {}", self.again(&taken)),
            "Find out at the target, then say so. That it happened (taken at any time; a delivery is then told so, and runs nothing):".to_owned(),
            format!("  {landed}"),
        ];
        let when = match taken {
            Taken::AtOnce(because) => {
                format!("{because}, so that it is taken at once")
            }
            Taken::From(time) => format!("taken from {} on, for until then it may still act", rfc3339(time)),
            Taken::OnceItEnds => format!(
                "taken once {} has ended, so wait for it or end it",
                self.pid.map_or_else(
                    || "what still runs of it".to_owned(),
                    |pid| format!("process {pid}, which still runs it,")
                )
            ),
        };
        lines.push(format!("That it did not (the next delivery then runs it); {when}:"));
        lines.push(format!("  {did_not}"));
        if epochs.len() > 1 {
            let each: Vec<_> = epochs.iter().map(ToString::to_string).collect();
            lines.push(format!(
                "several executions are in doubt, and each needs its own word: {}.",
                each.join(", ")
            ));
        }
        lines.extend(self.same_key());
        lines
    }

    fn again(&self, taken: &Taken) -> String {
        if !self.found.record.body.terms.repeatable {
            return "Delivering it again runs nothing (exit 90).".to_owned();
        }
        let from = match taken {
            Taken::AtOnce(_) => String::new(),
            Taken::From(time) => format!(" from {} on", rfc3339(*time)),
            Taken::OnceItEnds => " once what still runs of it has ended".to_owned(),
        };
        format!(
            "It was declared repeatable: delivering it again with --repeatable runs it again{from}. Without that, or earlier, \
             nothing is run (exit 90). It may then have happened twice."
        )
    }

    fn taken(&self) -> Taken {
        let body = &self.found.record.body;
        if matches!(self.holder, Liveness::Alive(_)) {
            return Taken::OnceItEnds;
        }
        if self.holder.is_gone() {
            return Taken::AtOnce("the process that ran it is gone");
        }
        if body.unresolved.why(body.epoch) == Some(Doubt::Ended) {
            return Taken::AtOnce("what ran it said itself that it is over");
        }
        match self.found.lease.until_quiet(quiet_after(body.terms.attempt_timeout)) {
            Some(left) => Taken::From(later(self.condition.time, left)),
            None => Taken::AtOnce("nothing was heard of it for long enough"),
        }
    }

    /// The way by the target's own memory of the key.
    fn same_key(&self) -> Vec<String> {
        let record = &self.found.record;
        let first = record.key_first_used();
        let how =
            |name: &str| format!("the same sluice run with --downstream {name} --on-indeterminate reclaim");
        let Some(target) = &self.target else {
            return vec![
                format!(
                    "Or, where the target recognises the key it was sent (first at {}): {} sends the same request under the same \
                     key, which such a target carries out once. Until when, for a target that sluice knows:",
                    rfc3339(first),
                    how("NAME")
                ),
                format!("  sluice explain {} --downstream NAME", in_words(&record.id)),
            ];
        };
        let name = printable(&target.name);
        vec![match oldest_key(target, record.body.terms.attempt_timeout).map(|oldest| later(first, oldest)) {
            Some(until) if until > self.condition.time => format!(
                "Or, until {}: {} sends the same request under the same key, which {name} carries out once. Later it is refused (exit 90).",
                rfc3339(until),
                how(&name)
            ),
            Some(until) => format!(
                "{name} was sure to recognise its key until {} only: nothing is sent under it again.",
                rfc3339(until)
            ),
            None => {
                format!(
                    "{name} is not known to recognise a key for long enough: nothing is sent under it again."
                )
            }
        }]
    }
}
