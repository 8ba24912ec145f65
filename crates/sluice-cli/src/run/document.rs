//! The one JSON document of `--json` and `--outcome`. Members are only ever added.

use super::answer::Said;
use super::args::RunArgs;
use super::result::ChildRun;
use crate::exit;
use crate::input::reason;
use crate::report::{Fail, say};
use crate::text::rfc3339;
use rustix::fs::OFlags;
use serde_json::{Value, json};
use sluice::core::record::Record;
use sluice::{Done, EffectSpec, Error};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// Says everything that is known of a delivery: what it heard, and the record as it is now.
pub fn document(
    spec: &EffectSpec,
    result: &Result<Done<Value>, Error>,
    record: Option<&Record>,
    ran: Option<&ChildRun>,
    said: &Said,
) -> Value {
    let answer = match result {
        Ok(Done::Executed(_)) => "executed",
        Ok(Done::Replayed(..)) => "replayed",
        Ok(Done::WithoutValue(_)) => "without_value",
        Err(_) => "error",
    };
    json!({
        "v": 1,
        "namespace": spec.namespace.as_ref().map(ToString::to_string),
        "key": spec.key.as_str(),
        "answer": answer,
        "status": record.map(|record| record.body.status.as_str()),
        "exit_status": said.status,
        "epoch": record.map(|record| record.body.epoch),
        "created": record.map(|record| rfc3339(record.created)),
        "updated": record.map(|record| rfc3339(record.updated)),
        "object_id": record.and_then(|record| record.body.labels.object_id.clone()),
        "double_effect": record.is_some_and(|record| record.body.double_effect()),
        "error": result.as_ref().err().map(error_document),
        "child": ran.or(said.replay.as_ref()).map(|run| json!({
            "ran_now": ran.is_some(),
            "exit": run.exit,
            "signal": run.signal,
            "stdout": run.stdout,
            "stderr": run.stderr,
        })),
        "result": said.result,
    })
}

fn error_document(error: &Error) -> Value {
    json!({
        "code": error.code().as_str(),
        "message": error.to_string(),
        "advice": error.advice(),
        "is_retryable": error.is_retryable(),
        "is_indeterminate": error.is_indeterminate(),
        "did_not_happen": error.did_not_happen(),
        "safe_after_ms": error.details().safe_after.map(sluice::core::duration::as_ms),
        "unresolved": error.details().unresolved,
        "pid": error.details().pid,
    })
}

/// The document of a delivery that came to nothing before the ledger could say anything of it.
pub fn failed(args: &RunArgs, fail: &Fail, status: u8, outcome: Option<OutcomeFile>) {
    if !args.json && outcome.is_none() {
        return;
    }
    let error = match fail {
        Fail::Error(error) => error_document(error),
        Fail::Usage(said) | Fail::Status(_, said) => json!({
            "code": null,
            "message": said,
            "is_retryable": status == exit::AGAIN,
            "is_indeterminate": false,
            "did_not_happen": false,
        }),
    };
    let document = json!({"v": 1, "answer": "error", "exit_status": status, "error": error});
    publish(args, &document, outcome);
}

/// Gives the document to everybody who asked for it. A reader that is gone, and a file that cannot be written any more,
/// do not change what happened, and so not the status either.
pub fn publish(args: &RunArgs, document: &Value, outcome: Option<OutcomeFile>) {
    if args.json {
        let _ = writeln!(std::io::stdout().lock(), "{document}");
    }
    if let Some(outcome) = outcome {
        outcome.write(document);
    }
}

/// How often a pipe is looked at for its reader, and the pause between.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

/// Opens a pipe or device. A pipe that nobody reads must not hold up an answer that is known, so its reader has two
/// seconds to appear.
fn open_stream(path: &Path) -> std::io::Result<std::fs::File> {
    let open = || {
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        std::fs::OpenOptions::new().write(true).custom_flags(flags).open(path)
    };
    let mut opened = open();
    for _ in 0..LOOKS {
        if opened.is_ok() {
            break;
        }
        std::thread::sleep(PAUSE);
        opened = open();
    }
    let stream = opened?;
    rustix::fs::fcntl_setfl(&stream, OFlags::empty())?;
    Ok(stream)
}

/// Where `--outcome` leads, proved writable before anything is claimed.
#[derive(Debug)]
pub enum OutcomeFile {
    /// A file, written beside its place and then moved there, so that a reader never sees half of it.
    Whole { path: PathBuf, draft: NamedTempFile },
    /// A pipe or a device, which is written to and never replaced.
    Stream { path: PathBuf },
}

impl OutcomeFile {
    /// Looks where the path leads, through symbolic links.
    pub fn ready(path: Option<&Path>) -> Result<Option<Self>, Fail> {
        let Some(path) = path else { return Ok(None) };
        let cannot = |why: &str| {
            Fail::Status(exit::BAD_INPUT, format!("--outcome {} cannot be written: {why}", path.display()))
        };
        let path = match std::fs::canonicalize(path) {
            Ok(real) => real,
            Err(_) if path.is_symlink() => return Err(cannot("it is a link that leads nowhere")),
            Err(_) => path.to_owned(),
        };
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(cannot("it is a folder")),
            Ok(found) if !found.is_file() => return Ok(Some(Self::Stream { path })),
            _ => {}
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let draft = NamedTempFile::new_in(folder).map_err(|error| cannot(reason(&error)))?;
        Ok(Some(Self::Whole { path, draft }))
    }

    fn write(self, document: &Value) {
        let (path, written) = match self {
            Self::Whole { path, mut draft } => {
                let written = writeln!(draft, "{document}")
                    .and_then(|()| draft.as_file().sync_all())
                    .and_then(|()| draft.persist(&path).map(drop).map_err(|error| error.error));
                (path, written)
            }
            Self::Stream { path } => {
                let opened = open_stream(&path);
                (path, opened.and_then(|mut stream| writeln!(stream, "{document}")))
            }
        };
        if let Err(error) = written {
            say(&format!("the outcome is in the ledger, but not in {}: {}", path.display(), reason(&error)));
        }
    }
}
