//! What does one member of a contract's table mean?

use super::error::ContractError;
use super::file::unknown;
use super::path::MemberPath;
use super::period::{Period, moment};
use super::previous::Previous;
use super::{ContractBuilder, UniqueIn};
use crate::downstream::Profile;
use crate::key::Json;
use crate::policy::{OnDuplicate, OnFailed, OnIndeterminate};
use crate::record::LedgerTime;
use serde_json::{Map, Value};
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Which line is a byte in?
pub(super) struct Place {
    starts: Vec<usize>,
}

impl Place {
    pub(super) fn of(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: starts.collect() }
    }

    pub(super) fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) + 1
    }
}

pub(super) fn table<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    name: &str,
    place: &Place,
) -> Result<&'t DeTable<'i>, ContractError> {
    let said = || ContractError::new(format!("{name} is a table")).at(place.line(value.span().start));
    value.get_ref().as_table().ok_or_else(said)
}

/// Sets one member; nothing where the value is of the wrong kind.
pub(super) fn field(
    builder: ContractBuilder,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    place: &Place,
) -> Result<Option<ContractBuilder>, ContractError> {
    let plain = value.get_ref();
    Ok(match name {
        "period" => Some(builder.period(period(table(value, name, place)?, place)?)),
        "previous" => Some(previous(builder, plain, place)?),
        "downstream" => downstream(builder, plain)?,
        "repeatable" | "marked" | "one_per_event" => plain.as_bool().map(|said| flag(builder, name, said)),
        "tries" => count(plain).map(|count| builder.tries(count)),
        "identity" | "scope" | "fingerprint" | "sensitive" | "also_writes" => {
            texts(plain).map(|list| self::list(builder, name, &list))
        }
        "duplicates_arrive_within" | "remember" | "keep_result" | "deadline" => {
            time(plain).map(|time| self::duration(builder, name, time))
        }
        _ => plain.as_str().and_then(|text| self::text(builder, name, text)),
    })
}

fn flag(builder: ContractBuilder, name: &str, said: bool) -> ContractBuilder {
    match name {
        "repeatable" => builder.repeatable(said),
        "marked" => builder.marked(said),
        _ => builder.one_per_event(said),
    }
}

fn list(builder: ContractBuilder, name: &str, list: &[&str]) -> ContractBuilder {
    match name {
        "identity" => builder.identity(list),
        "scope" => builder.scope(list),
        "fingerprint" => builder.fingerprint(list),
        "sensitive" => builder.sensitive(list),
        _ => builder.also_writes(list.iter().copied()),
    }
}

fn duration(builder: ContractBuilder, name: &str, time: Duration) -> ContractBuilder {
    match name {
        "duplicates_arrive_within" => builder.duplicates_arrive_within(time),
        "remember" => builder.remember(time),
        "keep_result" => builder.keep_result(time),
        _ => builder.deadline(time),
    }
}

fn text(builder: ContractBuilder, name: &str, text: &str) -> Option<ContractBuilder> {
    Some(match name {
        "one" => builder.one(text),
        "for_each" => builder.for_each(text),
        "definition" => builder.definition(text),
        "identity_key" => builder.identity_key(text),
        "circuit" => builder.circuit(text),
        "probe" => builder.probe(text),
        "object_id" => builder.object_id(text),
        "run_id" => builder.run_id(text),
        "actor" => builder.actor(text),
        "first_sent" => builder.first_sent(text),
        "delivery" => builder.delivery(text),
        "on_duplicate" => builder.on_duplicate(choice(
            text,
            &[
                ("replay", OnDuplicate::Replay),
                ("already_processed", OnDuplicate::AlreadyProcessed),
                ("conflict", OnDuplicate::Conflict),
            ],
        )?),
        "on_indeterminate" => builder.on_indeterminate(choice(
            text,
            &[
                ("refuse", OnIndeterminate::Refuse),
                ("probe", OnIndeterminate::Probe),
                ("reclaim", OnIndeterminate::Reclaim),
            ],
        )?),
        "on_failed" => {
            builder.on_failed(choice(text, &[("replay", OnFailed::Replay), ("rerun", OnFailed::Rerun)])?)
        }
        "ids_unique_in" => {
            builder.ids_unique_in(UniqueIn::ALL.into_iter().find(|within| within.as_str() == text)?)
        }
        _ => return None,
    })
}

fn choice<T: Copy>(text: &str, choices: &[(&str, T)]) -> Option<T> {
    choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice)
}

fn texts<'t>(value: &'t DeValue<'_>) -> Option<Vec<&'t str>> {
    value.as_array()?.iter().map(|item| item.get_ref().as_str()).collect()
}

fn count(value: &DeValue<'_>) -> Option<u32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok()
}

fn time(value: &DeValue<'_>) -> Option<Duration> {
    humantime::parse_duration(value.as_str()?).ok()
}

fn downstream(
    builder: ContractBuilder,
    value: &DeValue<'_>,
) -> Result<Option<ContractBuilder>, ContractError> {
    match value {
        DeValue::String(name) => Ok(Some(builder.downstream_named(name))),
        DeValue::Table(_) => {
            let json = json(value).to_string();
            let profile =
                Profile::parse(&json).map_err(|error| ContractError::new(format!("downstream: {error}")))?;
            Ok(Some(builder.downstream(profile)))
        }
        _ => Ok(None),
    }
}

/// The same value as JSON, so that one reader says what is wrong in a target's table wherever it stands.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(said) => Value::from(*said),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let members =
                table.iter().map(|(name, value)| (name.get_ref().to_string(), json(value.get_ref())));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn period(table: &DeTable<'_>, place: &Place) -> Result<Period, ContractError> {
    check(table, "period", &["every", "of", "tz"], place)?;
    let text = |name: &str| table.get(name).and_then(|value| value.get_ref().as_str());
    let (Some(every), Some(of)) = (text("every"), text("of")) else {
        return Err(ContractError::new(
            "a period says every, as in \"day\", and of: the member that holds the scheduled time",
        ));
    };
    Period::new(every, of, text("tz"))
}

const PREVIOUS: [&str; 6] = ["effect", "identity", "scope", "identity_key", "replaced_at", "remember"];

fn previous(
    builder: ContractBuilder,
    value: &DeValue<'_>,
    place: &Place,
) -> Result<ContractBuilder, ContractError> {
    let misfit = || ContractError::new("previous takes a list of tables, as in [[effect.NAME.previous]]");
    let mut builder = builder;
    for item in value.as_array().ok_or_else(misfit)? {
        let table = item.get_ref().as_table().ok_or_else(misfit)?;
        check(table, "previous", &PREVIOUS, place)?;
        builder = builder.previous(earlier(table).map_err(|error| error.at(place.line(item.span().start)))?);
    }
    Ok(builder)
}

fn earlier(table: &DeTable<'_>) -> Result<Previous, ContractError> {
    Ok(Previous {
        effect: member(table, "effect", |value| value.as_str().map(str::to_owned))?,
        identity: member(table, "identity", texts)?.map(paths).transpose()?,
        scope: member(table, "scope", texts)?.map(paths).transpose()?,
        identity_key: member(table, "identity_key", |value| value.as_str().map(str::to_owned))?,
        replaced_at: member(table, "replaced_at", day)?,
        remember: member(table, "remember", time)?,
    })
}

fn member<'t, 'i, T>(
    table: &'t DeTable<'i>,
    name: &str,
    read: impl FnOnce(&'t DeValue<'i>) -> Option<T>,
) -> Result<Option<T>, ContractError> {
    let misfit = || ContractError::new(format!("previous: the value of {name} is of the wrong kind"));
    table.get(name).map(|value| read(value.get_ref()).ok_or_else(misfit)).transpose()
}

fn paths(list: Vec<&str>) -> Result<Vec<MemberPath>, ContractError> {
    list.into_iter().map(MemberPath::parse).collect()
}

/// A day, which begins at midnight in UTC, or a point in time.
fn day(value: &DeValue<'_>) -> Option<LedgerTime> {
    let text = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        _ => return None,
    };
    let text = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text };
    moment(&Json::String(text)).map(|time| LedgerTime(time.as_millisecond()))
}

fn check(table: &DeTable<'_>, title: &str, known: &[&str], place: &Place) -> Result<(), ContractError> {
    match table.keys().find(|name| !known.contains(&&**name.get_ref())) {
        Some(name) => Err(unknown(title, name.get_ref(), known).at(place.line(name.span().start))),
        None => Ok(()),
    }
}
