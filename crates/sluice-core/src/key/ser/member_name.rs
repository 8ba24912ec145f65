//! What may name a member?

use serde::ser::{Impossible, Serialize, Serializer};

use super::Stop;
use crate::key::depth::{Depth, MAX_LEVELS};
use crate::key::error::{InputError, InputErrorKind};

/// Says whether numbers and booleans may name members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Only strings, for keys: the name `1` and the number 1 must not meet.
    StringsOnly,
    /// Also what `serde_json` turns into strings, for results kept as its text.
    AsText,
}

/// Returns the name that a map key writes.
pub(crate) fn member_name<T: Serialize + ?Sized>(key: &T, rule: NameRule) -> Result<String, Stop> {
    key.serialize(NameSerializer { rule, depth: Depth::new(0, MAX_LEVELS) })
}

struct NameSerializer {
    rule: NameRule,
    depth: Depth,
}

impl NameSerializer {
    fn text(&self, value: &dyn ToString) -> Result<String, Stop> {
        match self.rule {
            NameRule::StringsOnly => Err(refused()),
            NameRule::AsText => Ok(value.to_string()),
        }
    }
}

fn refused() -> Stop {
    InputError::new(InputErrorKind::NotPlainData, "", "name members with strings only").into()
}

macro_rules! as_text {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<String, Stop> {
            self.text(&value)
        })*
    };
}

macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$ok, Stop> {
            Err(refused())
        })*
    };
}

impl Serializer for NameSerializer {
    type Ok = String;
    type Error = Stop;
    type SerializeSeq = Impossible<String, Stop>;
    type SerializeTuple = Impossible<String, Stop>;
    type SerializeTupleStruct = Impossible<String, Stop>;
    type SerializeTupleVariant = Impossible<String, Stop>;
    type SerializeMap = Impossible<String, Stop>;
    type SerializeStruct = Impossible<String, Stop>;
    type SerializeStructVariant = Impossible<String, Stop>;

    as_text! {
        serialize_bool: bool,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }

    refuse! {
        serialize_bytes(&[u8]) -> String;
        serialize_none() -> String;
        serialize_unit() -> String;
        serialize_unit_struct(&'static str) -> String;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_f32(self, value: f32) -> Result<String, Stop> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<String, Stop> {
        if value.is_finite() { self.text(&value) } else { Err(refused()) }
    }

    fn serialize_char(self, value: char) -> Result<String, Stop> {
        Ok(value.to_string())
    }

    fn serialize_str(self, value: &str) -> Result<String, Stop> {
        Ok(value.to_owned())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<String, Stop> {
        Ok(variant.to_owned())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()?, ..self })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<String, Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()?, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, Stop> {
        Err(refused())
    }
}
