//! What becomes of JSON text that stands inside a Rust value?
//!
//! `serde_json` passes raw text, and numbers of arbitrary precision, through serde as structs of these names with
//! one field that holds the text. Taken as ordinary structs they would put that private name into a key.

use serde::Serialize;

use super::{NameRule, Stop, member_name};
use crate::key::depth::Depth;
use crate::key::error::{InputError, InputErrorKind};
use crate::key::json::Json;
use crate::key::parse::{Integers, embedded};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedded {
    RawValue,
    Number,
}

impl Embedded {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "$serde_json::private::RawValue" => Some(Self::RawValue),
            "$serde_json::private::Number" => Some(Self::Number),
            _ => None,
        }
    }
}

/// Waits for the one field that holds the text.
pub(crate) struct EmbeddedText {
    kind: Embedded,
    depth: Depth,
    integers: Integers,
    value: Option<Json>,
}

impl EmbeddedText {
    pub(crate) fn new(kind: Embedded, depth: Depth) -> Self {
        Self { kind, depth, integers: Integers::Safe, value: None }
    }

    /// For text that is kept as it is, so that an integer of any size keeps its digits.
    pub(crate) fn any_integer(kind: Embedded, depth: Depth) -> Self {
        Self { integers: Integers::AnySize, ..Self::new(kind, depth) }
    }

    pub(crate) fn field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let text = member_name(value, NameRule::StringsOnly)?;
        // The bytes of a text inside a value mean nothing to whoever sees the whole, so the offset goes.
        let parsed = embedded(&text, self.depth.level(), self.depth.limit(), self.integers);
        let parsed = parsed.map_err(InputError::without_offset)?;
        if self.kind == Embedded::Number && !matches!(parsed, Json::Number(_)) {
            return Err(InputError::new(InputErrorKind::NotJson, "", "write a number").into());
        }
        self.value = Some(parsed);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Json, Stop> {
        let detail = "embedded JSON text without its text";
        self.value.ok_or_else(|| InputError::new(InputErrorKind::NotPlainData, "", detail).into())
    }
}
