//! What does the caller want done?

mod select;
mod steps;

use std::fmt;

use serde::Serialize;

use super::error::{InputError, InputErrorKind};
use super::json::Json;
use super::name::Key;
use super::pointer::JsonPointer;
use super::ser;

const TOOL: &str = "tool";
const ARGS: &str = "args";
const ACTOR: &str = "actor";
const RUN_ID: &str = "runId";

/// Collects the parts that tell one intent from another: tool, arguments, actor, run, and any of your own.
///
/// What is not given is left out. Where the arguments hold a business id, leave actor and run out, or each
/// re-run of the workflow repeats the effect; where they hold none, put the run in. An error made on the way is
/// kept and returned by [`key`](Intent::key) and [`parts`](Intent::parts). `Debug` shows names, never values.
///
/// ```
/// use std::collections::BTreeMap;
/// use sluice_core::key::Intent;
///
/// let intent = Intent::new()
///     .tool("send_email")
///     .actor("agent-42")
///     .run_id("run_8f21")
///     .args(&BTreeMap::from([("to", "customer@example.com"), ("template", "receipt")]));
/// assert_eq!(intent.key()?.as_str(), "aafba8bf689d13477a5e9d3e16577d328cea7e75964a4c1d71fcfe444222f57a");
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Default)]
pub struct Intent {
    members: Vec<(String, Json)>,
    only: Option<Vec<JsonPointer>>,
    /// What `only` leaves of `args`, kept beside the whole so that both may be given in any order.
    selected: Option<Json>,
    problem: Option<InputError>,
}

impl Intent {
    /// Begins an intent without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an object as the parts.
    ///
    /// A tree put together by hand is held to the rules of parsed ones.
    ///
    /// # Errors
    /// [`InputErrorKind::NotAnObject`] for any other value; `TooDeep` and `DuplicateName`.
    ///
    /// ```
    /// use sluice_core::key::{Intent, Json};
    ///
    /// assert_eq!(Intent::from_json(Json::parse(br#"{"tool":"send"}"#)?)?.get_tool(), Some("send"));
    /// assert!(Intent::from_json(Json::Null).is_err());
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    #[expect(clippy::needless_pass_by_value, reason = "an intent owns its parts, however they are checked")]
    pub fn from_json(json: Json) -> Result<Self, InputError> {
        ser::to_json(&json).and_then(Self::from_checked)
    }

    fn from_checked(json: Json) -> Result<Self, InputError> {
        match json {
            Json::Object(members) => Ok(Self { members, ..Self::default() }),
            _ => {
                Err(InputError::new(InputErrorKind::NotAnObject, "", "write an intent as an object of parts"))
            }
        }
    }

    /// Reads the parts from a JSON text.
    ///
    /// # Errors
    /// Those of [`Json::parse`], and [`InputErrorKind::NotAnObject`].
    pub fn from_text(text: &[u8]) -> Result<Self, InputError> {
        Json::parse(text).and_then(Self::from_checked)
    }

    /// Takes the parts from a struct or map.
    ///
    /// # Errors
    /// Those of [`canonical_json`](super::canonical_json), and [`InputErrorKind::NotAnObject`].
    pub fn from_serialize<T: Serialize + ?Sized>(parts: &T) -> Result<Self, InputError> {
        ser::to_json(parts).and_then(Self::from_checked)
    }

    /// Sets the tool or action.
    #[must_use]
    pub fn tool(self, tool: impl Into<String>) -> Self {
        self.text(TOOL, tool.into())
    }

    /// Sets who wants it done.
    #[must_use]
    pub fn actor(self, actor: impl Into<String>) -> Self {
        self.text(ACTOR, actor.into())
    }

    /// Sets the run, as member `runId`.
    #[must_use]
    pub fn run_id(self, run_id: impl Into<String>) -> Self {
        self.text(RUN_ID, run_id.into())
    }

    /// Sets the arguments that decide the effect.
    #[must_use]
    pub fn args<T: Serialize + ?Sized>(self, args: &T) -> Self {
        self.part(ARGS, args)
    }

    /// Sets a part of your own; each part can be set once.
    #[must_use]
    pub fn part<T: Serialize + ?Sized>(self, name: impl Into<String>, value: &T) -> Self {
        let name = name.into();
        // The object around the parts is a level too, as it is when the same intent comes as text.
        let value = ser::to_json_at(value, 1).map_err(|error| error.under(&name));
        self.and_then(|intent| intent.set(name, value?))
    }

    /// Keeps in `args` only the members that these JSON Pointers name, at their places.
    ///
    /// A pointer that matches nothing is an error, not an empty contribution; one that leads into an array is
    /// refused.
    ///
    /// ```
    /// use sluice_core::key::{Intent, Json};
    ///
    /// let args = Json::parse(br#"{"order_id":"o-1","sent_at":"now","type":"standard"}"#)?;
    /// let intent = Intent::new().tool("invoice").args_only(["/order_id", "/type"]).args(&args);
    /// let parts = br#"{"args":{"order_id":"o-1","type":"standard"},"tool":"invoice"}"#;
    /// assert_eq!(intent.key()?, Json::parse(parts)?.key());
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    #[must_use]
    pub fn args_only<I>(self, pointers: I) -> Self
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let pointers = pointers.into_iter().map(|pointer| JsonPointer::parse(pointer.as_ref()));
        let pointers = pointers.collect::<Result<Vec<_>, _>>();
        self.and_then(|intent| intent.restrict(pointers?))
    }

    /// Derives the key.
    ///
    /// # Errors
    /// Those of [`Intent::parts`].
    pub fn key(&self) -> Result<Key, InputError> {
        self.parts().map(|parts| parts.key())
    }

    /// Returns the object of parts that the key is derived from.
    ///
    /// # Errors
    /// The first error made while setting parts; [`InputErrorKind::NoParts`] if none is set;
    /// [`InputErrorKind::MissingMember`] if `args_only` was given without `args`.
    pub fn parts(&self) -> Result<Json, InputError> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        if self.only.is_some() && self.selected.is_none() {
            let detail = "args_only is given and args is not: set both or neither";
            return Err(InputError::new(InputErrorKind::MissingMember, "/args", detail));
        }
        if self.members.is_empty() {
            let detail = "give at least a tool and the arguments that decide the effect";
            return Err(InputError::new(InputErrorKind::NoParts, "", detail));
        }
        let visible = self.members.iter().map(|(name, _)| Some((name.clone(), self.get(name)?.clone())));
        Json::object(visible.flatten().collect())
    }

    /// Returns the tool, if it is set and a string.
    ///
    /// The setters have the short names, as in `std::process::Command`.
    pub fn get_tool(&self) -> Option<&str> {
        self.get_text(TOOL)
    }

    /// Returns who wants it done, if that is set and a string.
    pub fn get_actor(&self) -> Option<&str> {
        self.get_text(ACTOR)
    }

    /// Returns the run, if it is set and a string.
    pub fn get_run_id(&self) -> Option<&str> {
        self.get_text(RUN_ID)
    }

    /// Returns the arguments as they enter the key: after [`args_only`](Intent::args_only), if it was given.
    pub fn get_args(&self) -> Option<&Json> {
        self.get(ARGS)
    }
}

impl fmt::Debug for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.members.iter().map(|(name, _)| name).collect();
        f.debug_struct("Intent").field("parts", &names).finish_non_exhaustive()
    }
}
