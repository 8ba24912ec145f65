//! Which members of the arguments decide the effect?

use std::collections::BTreeMap;

use crate::key::error::{InputError, InputErrorKind};
use crate::key::json::Json;
use crate::key::pointer::JsonPointer;

/// Returns only what the pointers name, at its place; objects on the way are rebuilt.
///
/// # Errors
/// `MissingMember` for a pointer that matches nothing, `BadPointer` for one that leads into an array: the place
/// of an element is no name, and what is left out before it would move it. `NoParts` without any pointer.
pub(super) fn select(value: &Json, pointers: &[JsonPointer]) -> Result<Json, InputError> {
    if pointers.is_empty() {
        let detail = "args_only names no member: name those that decide the effect";
        return Err(InputError::new(InputErrorKind::NoParts, "", detail));
    }
    select_rest(value, &pointers.iter().map(JsonPointer::names).collect::<Vec<_>>())
}

fn select_rest(value: &Json, pointers: &[&[String]]) -> Result<Json, InputError> {
    let mut branches: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    let mut whole = false;
    for pointer in pointers {
        match pointer.split_first() {
            Some((name, rest)) => branches.entry(name).or_default().push(rest),
            None => whole = true,
        }
    }
    // A pointer to all of it does not excuse a misspelt one beside it, so the branches are walked all the same.
    let mut members = Vec::with_capacity(branches.len());
    for (name, rest) in branches {
        let selected = member(value, name).and_then(|inner| select_rest(inner, &rest));
        members.push((name.to_owned(), selected.map_err(|error| error.under(name))?));
    }
    if whole { Ok(value.clone()) } else { Json::object(members) }
}

fn member<'a>(value: &'a Json, name: &str) -> Result<&'a Json, InputError> {
    if matches!(value, Json::Array(_)) {
        let detail = "args_only cannot pick elements of an array: name the whole array";
        return Err(InputError::new(InputErrorKind::BadPointer, "", detail));
    }
    let detail = "args_only names it and args does not have it";
    value.get(name).ok_or_else(|| InputError::new(InputErrorKind::MissingMember, "", detail))
}
