//! Which value does a Rust value write?
//!
//! An own serialiser, because those of JSON libraries write what a key must not be derived from: NaN as null,
//! duplicate names, numbers as member names.

mod builders;
mod embedded;
mod member_name;
mod stop;

use serde::ser::{Serialize, Serializer};

use self::builders::{ArrayBuilder, ObjectBuilder, StructBuilder};
pub(super) use self::embedded::{Embedded, EmbeddedText};
pub(super) use self::member_name::{NameRule, member_name};
pub(super) use self::stop::{Stop, bytes_refused};
use super::depth::{Depth, MAX_LEVELS};
use super::error::InputError;
use super::json::Json;
use super::number::{Number, integer_out_of_range};

pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<Json, InputError> {
    to_json_at(value, 0)
}

/// Builds the tree of a value that will stand `level` levels deep in another.
pub(super) fn to_json_at<T: Serialize + ?Sized>(value: &T, level: usize) -> Result<Json, InputError> {
    value.serialize(TreeSerializer { depth: Depth::new(level, MAX_LEVELS) }).map_err(Stop::into_error)
}

#[derive(Clone, Copy)]
pub(super) struct TreeSerializer {
    depth: Depth,
}

fn integer(negative: bool, magnitude: u128) -> Result<Json, Stop> {
    let magnitude = u64::try_from(magnitude).map_err(|_| integer_out_of_range())?;
    Ok(Json::Number(Number::from_parts(negative, magnitude)?))
}

/// A variant with content is an object with one member, named after the variant.
fn tagged(variant: Option<&'static str>, content: Json) -> Json {
    match variant {
        Some(name) => Json::Object(vec![(name.to_owned(), content)]),
        None => content,
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty, $negative:expr, $magnitude:expr;)*) => {
        $(fn $method(self, value: $type) -> Result<Json, Stop> {
            integer($negative(value), u128::from($magnitude(value)))
        })*
    };
}

impl Serializer for TreeSerializer {
    type Ok = Json;
    type Error = Stop;
    type SerializeSeq = ArrayBuilder;
    type SerializeTuple = ArrayBuilder;
    type SerializeTupleStruct = ArrayBuilder;
    type SerializeTupleVariant = ArrayBuilder;
    type SerializeMap = ObjectBuilder;
    type SerializeStruct = StructBuilder;
    type SerializeStructVariant = ObjectBuilder;

    integers! {
        serialize_i8: i8, i8::is_negative, i8::unsigned_abs;
        serialize_i16: i16, i16::is_negative, i16::unsigned_abs;
        serialize_i32: i32, i32::is_negative, i32::unsigned_abs;
        serialize_i128: i128, i128::is_negative, i128::unsigned_abs;
    }

    fn serialize_bool(self, value: bool) -> Result<Json, Stop> {
        Ok(Json::Bool(value))
    }

    fn serialize_i64(self, value: i64) -> Result<Json, Stop> {
        Ok(Json::Number(Number::from_parts(value < 0, value.unsigned_abs())?))
    }

    fn serialize_u8(self, value: u8) -> Result<Json, Stop> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<Json, Stop> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<Json, Stop> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<Json, Stop> {
        Ok(Json::Number(Number::from_parts(false, value)?))
    }

    fn serialize_u128(self, value: u128) -> Result<Json, Stop> {
        integer(false, value)
    }

    /// Widening the bits would turn 0.1 into 0.10000000149011612; what people read and other languages write is
    /// the shortest text.
    fn serialize_f32(self, value: f32) -> Result<Json, Stop> {
        self.serialize_f64(format!("{value:e}").parse().unwrap_or(f64::NAN))
    }

    fn serialize_f64(self, value: f64) -> Result<Json, Stop> {
        Ok(Json::Number(Number::new(value)?))
    }

    fn serialize_char(self, value: char) -> Result<Json, Stop> {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Json, Stop> {
        Ok(Json::String(value.to_owned()))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Json, Stop> {
        Err(bytes_refused())
    }

    fn serialize_none(self) -> Result<Json, Stop> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()? })
    }

    fn serialize_unit(self) -> Result<Json, Stop> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Json, Stop> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Json, Stop> {
        Ok(Json::String(variant.to_owned()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Json, Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()? })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json, Stop> {
        let inner = Self { depth: self.depth.enter()? };
        let content = value.serialize(inner).map_err(|stop| stop.under(variant))?;
        Ok(tagged(Some(variant), content))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ArrayBuilder, Stop> {
        ArrayBuilder::new(self.depth, None, len.unwrap_or(0))
    }

    fn serialize_tuple(self, len: usize) -> Result<ArrayBuilder, Stop> {
        ArrayBuilder::new(self.depth, None, len)
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<ArrayBuilder, Stop> {
        ArrayBuilder::new(self.depth, None, len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ArrayBuilder, Stop> {
        ArrayBuilder::new(self.depth, Some(variant), len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<ObjectBuilder, Stop> {
        ObjectBuilder::new(self.depth, None, len.unwrap_or(0))
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<StructBuilder, Stop> {
        match Embedded::named(name) {
            Some(kind) => Ok(StructBuilder::Embedded(EmbeddedText::new(kind, self.depth))),
            None => ObjectBuilder::new(self.depth, None, len).map(StructBuilder::Object),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ObjectBuilder, Stop> {
        ObjectBuilder::new(self.depth, Some(variant), len)
    }
}
