//! What is plain data?

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::error::{InputError, InputErrorKind};
use super::number::Number;
use super::pointer::JsonPointer;
use super::{order, ser};

/// Holds one JSON value, as a tree.
///
/// The tree is its own type and not that of a JSON library, because those have already decided what to do about
/// duplicate names and large integers by the time one can look at them. Trees that were parsed or serialised have at
/// most 128 levels; whoever builds one by hand keeps to that, and makes objects with [`Json::object`].
///
/// ```
/// use sluice_core::key::{Json, JsonPointer};
///
/// let json = Json::parse(br#"{"args":{"to":["a","b"]},"tool":"send"}"#)?;
/// assert_eq!(json.get("tool"), Some(&Json::from("send")));
/// assert_eq!(json.pointer(&"/args/to/1".parse::<JsonPointer>()?), Some(&Json::from("b")));
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A text.
    String(String),
    /// Values in an order that matters.
    Array(Vec<Json>),
    /// Members in UTF-16 code-unit order of their names, no name twice.
    ///
    /// [`Json::object`] makes one from members in any order and refuses a name that comes twice.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Makes an object from members in any order.
    ///
    /// # Errors
    /// [`InputErrorKind::DuplicateName`] if a name comes twice.
    ///
    /// ```
    /// use sluice_core::key::Json;
    ///
    /// let json = Json::object(vec![("b".to_owned(), Json::Null), ("a".to_owned(), Json::Bool(true))])?;
    /// assert_eq!(json.canonical(), r#"{"a":true,"b":null}"#);
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    pub fn object(mut members: Vec<(String, Self)>) -> Result<Self, InputError> {
        match order::sort(&mut members) {
            Ok(()) => Ok(Self::Object(members)),
            Err(name) => Err(duplicate_name().under(&name)),
        }
    }

    /// Makes a tree from any plain data that serde can serialise.
    ///
    /// # Errors
    /// Every kind that [`canonical_json`](super::canonical_json) names.
    ///
    /// ```
    /// use sluice_core::key::Json;
    ///
    /// assert_eq!(Json::from_serialize(&("a", 1))?.canonical(), r#"["a",1]"#);
    /// # Ok::<(), sluice_core::key::InputError>(())
    /// ```
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, InputError> {
        ser::to_json(value)
    }

    /// Puts the value under these names, outermost first, each the one member of an object.
    ///
    /// ```
    /// use sluice_core::key::Json;
    ///
    /// let nested = Json::Null.within(&["a".to_owned(), "b".to_owned()]);
    /// assert_eq!(nested.canonical(), r#"{"a":{"b":null}}"#);
    /// ```
    #[must_use]
    pub fn within(self, names: &[String]) -> Self {
        names.iter().rev().fold(self, |value, name| Self::Object(vec![(name.clone(), value)]))
    }

    /// Returns the member of that name, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(found, _)| found == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the value the pointer leads to, if there is one.
    ///
    /// Elements of arrays are named by their index without leading zeros, as RFC 6901 says.
    pub fn pointer(&self, pointer: &JsonPointer) -> Option<&Self> {
        pointer.names().iter().try_fold(self, |value, name| match value {
            Self::Array(items) => items.get(array_index(name)?),
            _ => value.get(name),
        })
    }
}

fn array_index(name: &str) -> Option<usize> {
    let plain = name == "0" || (!name.starts_with('0') && name.bytes().all(|b| b.is_ascii_digit()));
    if plain { name.parse().ok() } else { None }
}

pub(super) fn duplicate_name() -> InputError {
    InputError::new(InputErrorKind::DuplicateName, "", "write each name once per object")
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Json {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Vec<Json>> for Json {
    fn from(value: Vec<Json>) -> Self {
        Self::Array(value)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => match number.as_i64() {
                Some(integer) => serializer.serialize_i64(integer),
                None => serializer.serialize_f64(number.as_f64()),
            },
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}
