//! An event that is a little different.

use sluice::core::contract::MemberPath;
use sluice::core::key::Json;

/// Visits every leaf, with the names that lead there, and replaces those that the closure gives another value for.
pub(super) fn each_leaf(event: &Json, mut other: impl FnMut(&[String], &Json) -> Option<Json>) -> Json {
    let mut changed = event.clone();
    walk(&mut changed, &mut Vec::new(), &mut other);
    changed
}

fn walk(value: &mut Json, way: &mut Vec<String>, other: &mut impl FnMut(&[String], &Json) -> Option<Json>) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                way.push(name.clone());
                walk(value, way, other);
                way.pop();
            }
        }
        leaf => {
            if let Some(new) = other(way, leaf) {
                *leaf = new;
            }
        }
    }
}

/// Whether the member at these names is the path's, or below it.
pub(super) fn is_at(path: &MemberPath, way: &[String]) -> bool {
    MemberPath::of_names(way).is_ok_and(|here| path.covers(&here) || here.covers(path))
}

/// Another value of the same kind; a time stays one, a year later.
pub(super) fn different(value: &Json) -> Json {
    match value {
        Json::Null => Json::from("something"),
        Json::Bool(said) => Json::Bool(!said),
        Json::Number(number) => later(number.as_f64()),
        Json::String(text) => Json::String(next_year(text).unwrap_or_else(|| format!("{text}-2"))),
        Json::Array(items) => Json::Array(items.iter().cloned().chain([Json::from("another")]).collect()),
        Json::Object(members) => {
            let mut members = members.clone();
            match members.first_mut() {
                Some((_, value)) => *value = different(value),
                None => members.push(("another".to_owned(), Json::from("member"))),
            }
            Json::Object(members)
        }
    }
}

/// A number from a thousand million on may be a clock, and a year of it is in its own unit; any other is one more.
fn later(number: f64) -> Json {
    const YEAR: f64 = 366.0 * 24.0 * 3600.0;
    let step = match number {
        n if n >= 1e12 => YEAR * 1000.0,
        n if n >= 1e9 => YEAR,
        _ => 1.0,
    };
    Json::parse(format!("{}", number + step).as_bytes()).unwrap_or_else(|_| Json::from("another"))
}

fn next_year(text: &str) -> Option<String> {
    let (year, rest) = text.split_at_checked(4)?;
    let is_date = rest.len() >= 6 && rest.starts_with('-') && rest.as_bytes()[3] == b'-';
    let year: u16 = if is_date { year.parse().ok()? } else { return None };
    Some(format!("{:04}{}", year.checked_add(1)?, rest.replacen("-02-29", "-02-28", 1)))
}
