//! The one JSON document of `--json` and `--outcome`. Members are only ever added.

use super::answer::Said;
use super::result::ChildRun;
use crate::exit;
use crate::input::reason;
use crate::report::Fail;
use crate::text::rfc3339;
use serde_json::{Value, json};
use sluice::core::record::Record;
use sluice::{Done, EffectSpec, Error};
use std::io::Write;
use std::path::Path;

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

/// Writes the document so that a reader never sees half of it.
pub fn write(path: &Path, document: &Value) -> Result<(), Fail> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        writeln!(file, "{document}")?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    written.map_err(|error| {
        let said = format!(
            "the outcome is recorded in the ledger, but {} cannot be written: {}",
            path.display(),
            reason(&error)
        );
        Fail::Status(exit::BAD_INPUT, said)
    })
}
