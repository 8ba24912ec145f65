//! Which profile does a text of settings mean?

use super::error::ProfileError;
use super::known::known_names;
use super::profile::Profile;
use crate::key::canonical_json_text;
use crate::near::nearest as near;
use serde_json::{Map, Value};

/// The members of a profile, and what each of them takes.
const MEMBERS: [(&str, &str); 16] = [
    ("name", "a text"),
    ("header", "the name of a header, or null"),
    ("body", "the name of a member of the body, or null"),
    ("remembers_ms", "a whole number of milliseconds, or null where it is not known"),
    ("replays_failures", "true or false"),
    ("compares_parameters", "true or false"),
    ("mismatch", "{\"status\": number, \"code\": text or null}, or null"),
    ("max_key_len", "a whole number of characters"),
    ("form", "\"text\" or \"uuid\""),
    ("quoted", "true or false"),
    ("methods", "a list of methods"),
    ("scope", "a text"),
    ("proves_not_landed", "a list of {\"status\": number, \"code\": text or null}"),
    ("notes", "a text"),
    ("source", "a text"),
    ("date", "a text"),
];
const LIKE: &str = "like";

/// Reads a profile, unchecked. A member that is given twice is an error, as everywhere (DESIGN rule 6).
pub(super) fn parse(json: &str) -> Result<Profile, ProfileError> {
    let plain = canonical_json_text(json.as_bytes())?;
    let Ok(Value::Object(mut given)) = serde_json::from_str(&plain) else {
        return Err(ProfileError::NotAnObject);
    };
    let base = base(&mut given)?;
    override_with(base, given)
}

/// The profile that the members given belong to.
fn base(given: &mut Map<String, Value>) -> Result<Profile, ProfileError> {
    match given.remove(LIKE) {
        Some(Value::String(like)) => Profile::known(&like)
            .ok_or_else(|| ProfileError::UnknownProfile { near: near(&like, known_names()), name: like }),
        Some(_) => Err(ProfileError::Value { member: LIKE, takes: "the name of a built-in profile" }),
        None => {
            let name = given.get("name").and_then(Value::as_str).ok_or(ProfileError::NoName)?;
            Ok(Profile::known(name).unwrap_or_default())
        }
    }
}

/// Replaces one member after the other, so that a value that does not fit is known by its member.
fn override_with(base: Profile, given: Map<String, Value>) -> Result<Profile, ProfileError> {
    let mut profile = base;
    for (name, value) in given {
        let known = MEMBERS.iter().find(|(member, _)| *member == name);
        let Some((member, takes)) = known.copied() else {
            let names = MEMBERS.iter().map(|(member, _)| *member).chain([LIKE]);
            return Err(ProfileError::UnknownMember { near: near(&name, names), member: name });
        };
        profile = replaced(&profile, member, value).ok_or(ProfileError::Value { member, takes })?;
    }
    Ok(profile)
}

fn replaced(profile: &Profile, member: &str, value: Value) -> Option<Profile> {
    let mut whole = serde_json::to_value(profile).ok()?;
    whole.as_object_mut()?.insert(member.to_owned(), value);
    serde_json::from_value(whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_members_is_that_of_the_type() {
        let Ok(Value::Object(whole)) = serde_json::to_value(Profile::default()) else { panic!() };
        let mut named = MEMBERS.map(|(member, _)| member).to_vec();
        named.sort_unstable();
        let mut written: Vec<_> = whole.keys().map(String::as_str).collect();
        written.sort_unstable();
        assert_eq!(named, written);
    }

    #[test]
    fn a_misspelt_target_is_recognised() {
        assert_eq!(near("sqare", known_names()), Some("square"));
        assert_eq!(near("something else", known_names()), None);
    }
}
