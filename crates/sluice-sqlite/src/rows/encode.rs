//! A record as columns, in the order of `STAMPS` and `BODY`.

use super::{BODY, Draft, STAMPS};
use crate::classify::Trouble;
use crate::names;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use serde::Serialize;
use sluice_core::duration::as_ms;
use sluice_core::holder::Holder;
use sluice_core::outcome::{Kept, Outcome};
use sluice_core::record::{Body, Labels, Terms};
use sluice_core::retention::due;
use std::time::Duration;

type Values<'a> = Vec<ToSqlOutput<'a>>;

/// A text column.
pub(crate) fn text(text: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
}

/// A number column; a number that has no room in it is an error, never another number.
pub(crate) fn int<'a>(number: u64, column: &'static str) -> Result<ToSqlOutput<'a>, Trouble> {
    i64::try_from(number).map(signed).map_err(|_| Trouble::TooLarge(column))
}

fn signed<'a>(number: i64) -> ToSqlOutput<'a> {
    ToSqlOutput::Owned(Value::Integer(number))
}

fn flag<'a>(flag: bool) -> ToSqlOutput<'a> {
    signed(flag.into())
}

fn blob(bytes: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Blob(bytes))
}

fn null<'a>() -> ToSqlOutput<'a> {
    ToSqlOutput::Borrowed(ValueRef::Null)
}

fn or_null<T>(value: Option<T>, column: impl FnOnce(T) -> ToSqlOutput<'static>) -> ToSqlOutput<'static> {
    value.map_or_else(null, column)
}

fn text_or_null(value: Option<&String>) -> ToSqlOutput<'_> {
    value.map_or_else(null, |value| text(value))
}

/// Milliseconds; a longer time than the column can hold is the longest.
fn milliseconds(duration: Duration) -> ToSqlOutput<'static> {
    signed(i64::try_from(as_ms(duration)).unwrap_or(i64::MAX))
}

fn json(value: &impl Serialize, column: &'static str) -> Result<ToSqlOutput<'static>, Trouble> {
    let json = serde_json::to_string(value).map_err(|_| Trouble::TooLarge(column))?;
    Ok(ToSqlOutput::Owned(Value::Text(json)))
}

impl Draft<'_> {
    pub(super) fn values(&self) -> Result<Values<'_>, Trouble> {
        let mut values = Vec::with_capacity(STAMPS.len() + BODY.len() + 4);
        values.extend([
            signed(self.row),
            int(self.stamped.version.0, "version")?,
            int(self.stamped.incarnation, "incarnation")?,
            signed(self.stamped.created.0),
            signed(self.stamped.updated.0),
            text(&self.lease.boot),
            signed(self.lease.until_ns),
        ]);
        body(&mut values, self.body)?;
        let due = due(self.body, self.stamped.updated);
        values.extend([due.result, due.record].map(|at| or_null(at, |at| signed(at.0))));
        Ok(values)
    }
}

fn body<'a>(values: &mut Values<'a>, body: &'a Body) -> Result<(), Trouble> {
    values.extend([text(body.status.as_str()), int(body.epoch.0, "epoch")?, blob(body.claim.as_bytes())]);
    holder(values, &body.holder)?;
    terms(values, &body.terms);
    values.push(flag(body.marked));
    labels(values, &body.labels);
    let (secret, mac) = names::fingerprint_columns(body.fingerprint.as_ref());
    values.extend([ToSqlOutput::Borrowed(secret), ToSqlOutput::Borrowed(mac)]);
    values.push(if body.unresolved.is_empty() { null() } else { json(&body.unresolved, "unresolved")? });
    values.push(if body.landed.is_empty() { null() } else { json(&body.landed, "landed")? });
    kept(values, body.evidence.as_ref())?;
    values.extend([text(&body.downstream.key), signed(body.downstream.rotation.into())]);
    values.push(body.downstream.first_used.map_or(null(), |at| signed(at.0)));
    outcome(values, &body.outcome)
}

fn holder<'a>(values: &mut Values<'a>, holder: &'a Holder) -> Result<(), Trouble> {
    values.extend([
        text(&holder.machine),
        text(&holder.boot),
        signed(holder.pid.into()),
        holder.pid_start.map_or(Ok(null()), |start| int(start, "holder_pid_start"))?,
        or_null(holder.process_group, |group| signed(group.into())),
        text_or_null(holder.lock.as_ref()),
    ]);
    Ok(())
}

fn terms(values: &mut Values<'_>, terms: &Terms) {
    values.extend([
        milliseconds(terms.lease),
        or_null(terms.attempt_timeout, milliseconds),
        flag(terms.declares_marks),
        flag(terms.repeatable),
        milliseconds(terms.keep_result),
        milliseconds(terms.remember),
    ]);
}

fn labels<'a>(values: &mut Values<'a>, labels: &'a Labels) {
    let Labels { tool, actor, run_id, object_id } = labels;
    values.extend([tool, actor, run_id, object_id].map(|label| text_or_null(label.as_ref())));
}

fn outcome<'a>(values: &mut Values<'a>, outcome: &'a Outcome) -> Result<(), Trouble> {
    let (fault, success) = match outcome {
        Outcome::None => (null(), None),
        Outcome::Success(result) => (null(), Some(result)),
        Outcome::Fault(fault) => (json(fault, "fault")?, None),
    };
    values.push(fault);
    kept(values, success)
}

fn kept<'a>(values: &mut Values<'a>, kept: Option<&'a Kept>) -> Result<(), Trouble> {
    let Some(kept) = kept else {
        values.extend([null(), null(), null(), null()]);
        return Ok(());
    };
    let (reason, result) = match &kept.value {
        Ok(result) => (null(), blob(result)),
        Err(reason) => (text(reason.as_str()), null()),
    };
    values.extend([
        kept.bytes.map_or(Ok(null()), |bytes| int(bytes, "result_bytes"))?,
        kept.sha256.as_ref().map_or_else(null, |sha256| blob(sha256)),
        reason,
        result,
    ]);
    Ok(())
}
