//! Which member of an event does a path name?

use super::error::ContractError;
use crate::key::Json;
use std::borrow::Cow;
use std::fmt;

/// The longest path, in bytes.
const LONGEST: usize = 500;

/// Names a member of an event, as in `args.order_id`.
///
/// Names are joined by dots; one that has a dot in it stands in quotes: `body."a.b".c`. A whole number leads into an
/// array. Names directly below `headers` match without case, as HTTP's do. The event itself may be written in front,
/// `event.args.order_id`, where it has no member of that name. The path enters the key as it is written.
///
/// ```
/// use sluice_core::contract::MemberPath;
/// use sluice_core::key::Json;
///
/// let event = Json::parse(br#"{"headers": {"X-GitHub-Delivery": "d1"}, "body": {"a.b": [7, 8]}}"#)?;
/// let find = |path: &str| MemberPath::parse(path).unwrap().find(&event).cloned();
/// assert_eq!(find("headers.x-github-delivery"), Some(Json::from("d1")));
/// assert_eq!(find(r#"event.body."a.b".1"#), Some(Json::parse(b"8")?));
/// assert_eq!(find("body.c"), None);
/// assert!(MemberPath::parse("body..c").is_err());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberPath {
    written: String,
    names: Vec<String>,
}

impl MemberPath {
    /// Reads a path.
    ///
    /// # Errors
    /// [`ContractError`] where it is empty, has an empty name, an open quote or a control character, or is longer than 500
    /// bytes.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let refused =
            |why: &str| ContractError::new(format!("{:?} is no path of a member: {why}", shortened(text)));
        if text.is_empty() || text.len() > LONGEST {
            return Err(refused("write 1 to 500 bytes, as in args.order_id"));
        }
        if text.starts_with('/') {
            return Err(refused(
                "contracts join names by dots, as in args.order_id; JSON Pointers are for flags",
            ));
        }
        if text.chars().any(char::is_control) {
            return Err(refused("it has a control character"));
        }
        let names = split(text)
            .ok_or_else(|| refused("names are joined by single dots, and one with a dot stands in quotes"))?;
        Ok(Self { written: text.to_owned(), names })
    }

    /// Makes the path of the names on the way; one that has a dot in it is written in quotes.
    ///
    /// # Errors
    /// Those of [`MemberPath::parse`], as for a name with a quote in it.
    pub fn of_names(names: &[String]) -> Result<Self, ContractError> {
        let written = |name: &String| if name.contains('.') { format!("\"{name}\"") } else { name.clone() };
        Self::parse(&names.iter().map(written).collect::<Vec<_>>().join("."))
    }

    /// Returns the path as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns the names on the way, outermost first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the last name.
    pub fn last(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// Returns the member, if the event has it. Two headers whose names differ only in case are no answer.
    pub fn find<'a>(&self, event: &'a Json) -> Option<&'a Json> {
        follow(event, self.way_in(event))
    }

    /// The names that lead from the event itself: without a leading `event`, unless it has a member of that name.
    fn way_in(&self, event: &Json) -> &[String] {
        match self.names.split_first() {
            Some((first, rest)) if first == "event" && !rest.is_empty() && event.get(first).is_none() => rest,
            _ => &self.names,
        }
    }

    /// Returns whether this names the same member as the other one, or one that holds it.
    pub fn covers(&self, other: &Self) -> bool {
        let (mine, others) = (self.plain(), other.plain());
        others.len() >= mine.len()
            && mine.iter().zip(&others).enumerate().all(|(at, (a, b))| {
                let is_header = at == 1 && mine[0] == "headers";
                a == b || is_header && a.eq_ignore_ascii_case(b)
            })
    }

    fn plain(&self) -> Vec<&str> {
        let names: Vec<_> = self.names.iter().map(String::as_str).collect();
        match names.split_first() {
            Some((&"event", rest)) if !rest.is_empty() => rest.to_vec(),
            _ => names,
        }
    }

    /// Returns the event with another value in that place; the same event where it does not have the member.
    ///
    /// ```
    /// use sluice_core::contract::MemberPath;
    /// use sluice_core::key::Json;
    ///
    /// let event = Json::parse(br#"{"a": {"b": 1}}"#)?;
    /// let path = MemberPath::parse("a.b").unwrap();
    /// assert_eq!(path.with(&event, Json::Null).canonical(), r#"{"a":{"b":null}}"#);
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    #[must_use]
    pub fn with(&self, event: &Json, value: Json) -> Json {
        let mut changed = event.clone();
        self.replace(&mut changed, |_| value);
        changed
    }

    /// Replaces what stands there, if the event has it.
    pub(super) fn replace(&self, event: &mut Json, with: impl FnOnce(&Json) -> Json) {
        let way = self.way_in(event).to_vec();
        if let Some(place) = follow_mut(event, &way) {
            *place = with(place);
        }
    }
}

fn follow<'a>(event: &'a Json, way: &[String]) -> Option<&'a Json> {
    way.iter().enumerate().try_fold(event, |value, (at, name)| match value {
        Json::Array(items) => items.get(index(name)?),
        Json::Object(_) if is_header(way, at) => {
            let position = header(value, name)?;
            members(value).get(position).map(|(_, value)| value)
        }
        _ => value.get(name),
    })
}

fn follow_mut<'a>(event: &'a mut Json, way: &[String]) -> Option<&'a mut Json> {
    way.iter().enumerate().try_fold(event, |value, (at, name)| {
        let position = match value {
            Json::Array(_) => index(name)?,
            _ if is_header(way, at) => header(value, name)?,
            _ => members(value).iter().position(|(found, _)| found == name)?,
        };
        match value {
            Json::Array(items) => items.get_mut(position),
            Json::Object(members) => members.get_mut(position).map(|(_, value)| value),
            _ => None,
        }
    })
}

fn is_header(way: &[String], at: usize) -> bool {
    at == 1 && way[0] == "headers"
}

fn members(value: &Json) -> &[(String, Json)] {
    match value {
        Json::Object(members) => members,
        _ => &[],
    }
}

/// Where the one header of that name is. Which of two is meant, nobody can say.
fn header(value: &Json, name: &str) -> Option<usize> {
    let mut found =
        members(value).iter().enumerate().filter(|(_, (found, _))| found.eq_ignore_ascii_case(name));
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

fn index(name: &str) -> Option<usize> {
    let plain = name == "0" || !name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit());
    if plain { name.parse().ok() } else { None }
}

/// The names of a path, or nothing where one is empty or a quote stands open.
fn split(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if name.is_empty() || name.contains('"') {
            return None;
        }
        names.push(name.to_owned());
        if after.is_empty() {
            return Some(names);
        }
        rest = after.strip_prefix('.')?;
    }
}

/// A text that stays readable in a message, whatever it is.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}

impl fmt::Display for MemberPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> MemberPath {
        MemberPath::parse(text).unwrap()
    }

    #[test]
    fn what_could_be_read_two_ways_is_no_path() {
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "/a/b",
            "\"a",
            "a.\"b",
            "\"\"",
            "a\"b",
            "\"a\"b",
            "a\u{0}",
            &"a".repeat(501),
        ] {
            assert!(MemberPath::parse(text).is_err(), "{text}");
        }
        assert_eq!(path(r#"a."b.c"."d""#).names(), ["a", "b.c", "d"]);
    }

    #[test]
    fn a_member_named_event_is_itself() {
        let event = Json::parse(br#"{"event": {"type": "inner"}, "type": "outer"}"#).unwrap();
        assert_eq!(path("event.type").find(&event), Some(&Json::from("inner")));
        let event = Json::parse(br#"{"type": "outer"}"#).unwrap();
        assert_eq!(path("event.type").find(&event), Some(&Json::from("outer")));
    }

    #[test]
    fn headers_match_without_case_and_only_where_one_is_meant() {
        let event = Json::parse(br#"{"headers": {"X-Id": 1, "A": 2, "a": 3}, "body": {"X": 1}}"#).unwrap();
        assert!(path("headers.x-id").find(&event).is_some());
        assert_eq!(path("headers.a").find(&event), None);
        assert_eq!(path("body.x").find(&event), None);
    }

    #[test]
    fn a_path_covers_itself_and_what_lies_below() {
        assert!(
            path("args").covers(&path("args.email")) && path("args.email").covers(&path("event.args.email"))
        );
        assert!(path("headers.From").covers(&path("headers.from")));
        assert!(!path("args.email").covers(&path("args")) && !path("args.e").covers(&path("args.email")));
    }
}
