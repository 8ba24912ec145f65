//! What the caller of `sluice run` sees: the command's own words on a first run, the same words on a replay.

use super::args::{KeepOutput, RunArgs};
use super::document::{self, OutcomeFile};
use super::effect::Ran;
use super::result::ChildRun;
use crate::exit;
use crate::report::{say, sentence, status};
use crate::text::{in_words, lines, rfc3339};
use serde_json::Value;
use sluice::core::key::{Suspicions, canonical_json};
use sluice::core::record::Record;
use sluice::core::state::Status;
use sluice::{Code, Done, EffectSpec, Error, Meta, Reason};
use std::io::Write;
use std::sync::Arc;

/// Everything that is known when the delivery is over.
pub struct Answer {
    args: Arc<RunArgs>,
    spec: EffectSpec,
    suspicions: Suspicions,
    result: Result<Done<Value>, Error>,
    record: Option<Record>,
    ran: Ran,
}

/// What is printed, and the exit status.
pub struct Said {
    /// The exit status of `sluice run`.
    pub status: u8,
    /// The command's words to repeat; on a first run they were passed on already.
    pub replay: Option<ChildRun>,
    /// A result that is no command's, as text.
    pub result: Option<Value>,
    /// What stderr gets.
    pub message: Option<String>,
}

impl Answer {
    pub fn new(
        args: Arc<RunArgs>,
        spec: EffectSpec,
        suspicions: Suspicions,
        result: Result<Done<Value>, Error>,
        record: Option<Record>,
        ran: Ran,
    ) -> Self {
        Self { args, spec, suspicions, result, record, ran }
    }

    /// Prints the answer and gives the exit status.
    pub fn give(mut self, outcome: Option<OutcomeFile>) -> u8 {
        self.release();
        let said = self.said();
        if let Some(message) = &said.message {
            say(message);
        }
        if !self.args.json {
            print(&said);
        }
        let ran = self.ran.run.as_ref();
        let mut document = document::document(&self.spec, &self.result, self.record.as_ref(), ran, &said);
        document["warnings"] = crate::warnings::document(&self.suspicions);
        document::publish(&self.args, &document, outcome);
        said.status
    }

    /// Gives the lock back where the end is known; where nobody knows, whatever still runs keeps it.
    fn release(&mut self) {
        let known = match &self.result {
            Ok(_) => true,
            Err(error) => {
                matches!(error.details().status, Some(Status::Failed | Status::Released | Status::Succeeded))
            }
        };
        if let (true, Some(lock)) = (known, self.ran.lock.take()) {
            lock.release();
        }
    }

    fn said(&self) -> Said {
        match (&self.result, &self.ran.run) {
            (Ok(Done::Executed(_)), _) => self.executed(),
            (Ok(Done::Replayed(value, meta)), None) => self.replayed(value, meta),
            (Ok(Done::WithoutValue(meta)), None) => self.without_value(meta),
            // It ran here, and turned out to have landed elsewhere as well.
            (Ok(Done::Replayed(_, meta) | Done::WithoutValue(meta)), Some(run)) => {
                let message = format!(
                    "another execution of this intent is known to have happened: see sluice explain {}",
                    key(meta)
                );
                Said { status: run.status(), replay: None, result: None, message: Some(message) }
            }
            (Err(error), Some(run)) => self.ended_badly(error, run),
            (Err(error), None) => self.refused(error),
        }
    }

    fn executed(&self) -> Said {
        let message = self.spec.terms.declares_marks.then(|| self.unmarked_success()).flatten();
        Said { status: exit::OK, replay: None, result: None, message }
    }

    /// A success without a mark means that the command does not do what `--marked` promises.
    fn unmarked_success(&self) -> Option<String> {
        let marked = self.record.as_ref()?.body.marked;
        (!marked).then(|| {
            "the command succeeded without calling sluice mark\n  --marked promises that it does; without it a crash would be taken for \"nothing happened\"".to_owned()
        })
    }

    fn replayed(&self, value: &Value, meta: &Meta) -> Said {
        let message = (!self.args.quiet_replay)
            .then(|| format!("replayed: this was done at {}, nothing was run", rfc3339(meta.updated)));
        match ChildRun::from_value(value) {
            Some(run) => self.repeat(run, meta, message),
            None => Said { status: exit::OK, replay: None, result: Some(value.clone()), message },
        }
    }

    fn repeat(&self, run: ChildRun, meta: &Meta, message: Option<String>) -> Said {
        let status = run.status();
        if run.is_whole() || self.args.keep_output == KeepOutput::Tail && run.recorded {
            return Said { status, replay: Some(run), result: None, message };
        }
        if self.args.keep_output == KeepOutput::None {
            return Said { status, replay: None, result: None, message };
        }
        if !run.recorded {
            let said = format!(
                "done before, at {}; its output was not kept; nothing was run",
                rfc3339(meta.updated)
            );
            return Said { status: exit::NO_OUTPUT, replay: None, result: None, message: Some(said) };
        }
        let said = vec![
            format!("done before, at {}; nothing was run", rfc3339(meta.updated)),
            format!("its output is not kept whole ({} and {} bytes)", run.stdout.bytes, run.stderr.bytes),
            format!("what is kept: sluice effects show {} --output", key(meta)),
        ];
        Said { status: exit::NO_OUTPUT, replay: None, result: None, message: Some(lines(&said)) }
    }

    fn without_value(&self, meta: &Meta) -> Said {
        let when = rfc3339(meta.updated);
        let (status, said) = match &meta.reason {
            Some(Reason::AlreadyProcessed) => {
                (exit::OK, format!("already processed, at {when}; nothing was run"))
            }
            _ => (
                exit::NO_OUTPUT,
                format!(
                    "done before, at {when}; its output is no longer kept, or never was; nothing was run"
                ),
            ),
        };
        let quiet = status == exit::OK && self.args.quiet_replay;
        Said { status, replay: None, result: None, message: (!quiet).then_some(said) }
    }

    /// The command ran here and did not succeed: its own status passes through, and stderr says what is recorded.
    ///
    /// What it started went with it or shows by its lock, so that the quiet period of others does not matter here.
    fn ended_badly(&self, error: &Error, run: &ChildRun) -> Said {
        let unrecorded = error.details().unrecorded.is_some();
        // Whoever reads 0 takes it for done, and our own time limit leaves no status of the command's own.
        let own = !self.ran.timed_out && run.exit != Some(0);
        let status = if own { run.status() } else { exit::of(error) };
        let mut said = vec![sentence(error, false)];
        if error.code() == Code::Indeterminate && !unrecorded && !self.ran.timed_out {
            if let Some(code) = run.exit {
                said.push(format!("if status {code} always means that nothing happened: --exit {code}=released, or {code}=failed where it would fail again"));
            }
            if !self.spec.terms.declares_marks {
                said.push(
                    "or let the command call sluice mark right before its side effect: --marked".to_owned(),
                );
            }
        }
        Said { status, replay: None, result: None, message: Some(lines(&said)) }
    }

    fn refused(&self, error: &Error) -> Said {
        if let Some(status) = self.ran.not_started {
            let fault = error.details().fault.as_ref();
            let why = fault.map_or_else(|| error.to_string(), |fault| fault.message.clone());
            let said = vec![
                format!("{}: {why}", error.code()),
                "what now: nothing was run; mend that, then run it again".to_owned(),
            ];
            return Said { status, replay: None, result: None, message: Some(lines(&said)) };
        }
        let earlier = error
            .details()
            .fault
            .as_ref()
            .and_then(|fault| fault.detail.as_deref())
            .and_then(ChildRun::from_text);
        match (error.code(), earlier) {
            (Code::EffectFailed, Some(run)) => {
                let message = (!self.args.quiet_replay).then(|| sentence(error, true));
                let meant = run.status();
                let replay = (run.is_whole() || self.args.keep_output == KeepOutput::Tail).then_some(run);
                Said { status: meant, replay, result: None, message }
            }
            _ => Said {
                status: status(error),
                replay: None,
                result: None,
                message: Some(sentence(error, true)),
            },
        }
    }
}

fn key(meta: &Meta) -> String {
    in_words(&meta.id)
}

/// All of stdout, then all of stderr: the order between them is not kept.
fn print(said: &Said) {
    // A closed stream is the reader's choice.
    if let Some(run) = &said.replay {
        let _ = std::io::stdout().lock().write_all(&run.stdout.kept());
        let _ = std::io::stdout().lock().flush();
        let _ = std::io::stderr().lock().write_all(&run.stderr.kept());
    }
    if let Some(value) = &said.result {
        let text = canonical_json(value).unwrap_or_else(|_| value.to_string());
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }
}
