//! Can this result be kept as JSON text and read back?
//!
//! A result is written by `serde_json`, which writes NaN as null, bytes as an array of numbers and one name
//! twice, and cannot read 128 levels back. The walk finds these without building a tree. Integers of any size
//! are fine: the text keeps their digits.

mod names;
mod walkers;

use serde::ser::{Serialize, Serializer};

use self::walkers::{ArrayWalker, ObjectWalker, StructWalker};
use super::depth::Depth;
use super::error::InputError;
use super::number::not_finite;
use super::ser::{Embedded, EmbeddedText, Stop, bytes_refused};

/// The levels that `serde_json` reads back.
const MAX_KEPT_LEVELS: usize = 127;

/// Checks that a result can be kept as the text `serde_json` writes, and says so before it is too late to ask.
///
/// Integers of any size and integers or booleans as names of members are fine here: unlike a key, the text is
/// only read back.
///
/// # Errors
/// `NotFinite` for NaN and infinities, `NotPlainData` for bytes and for names that have no text,
/// `DuplicateName`, `TooDeep` beyond 127 levels, `Other` if a `Serialize` implementation refuses. Embedded raw
/// JSON text is parsed, with the errors of [`Json::parse`](super::Json::parse) except for the size of integers.
///
/// ```
/// use sluice_core::key::{InputErrorKind, check_plain};
///
/// assert_eq!(check_plain(&[u64::MAX]), Ok(()));
/// assert_eq!(check_plain(&[f64::NAN]).unwrap_err().kind(), InputErrorKind::NotFinite);
/// ```
pub fn check_plain<T: Serialize + ?Sized>(value: &T) -> Result<(), InputError> {
    value.serialize(Walker { depth: Depth::new(0, MAX_KEPT_LEVELS) }).map_err(Stop::into_error)
}

#[derive(Clone, Copy)]
struct Walker {
    depth: Depth,
}

macro_rules! fine {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<(), Stop> {
            Ok(())
        })*
    };
}

impl Serializer for Walker {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = ArrayWalker;
    type SerializeTuple = ArrayWalker;
    type SerializeTupleStruct = ArrayWalker;
    type SerializeTupleVariant = ArrayWalker;
    type SerializeMap = ObjectWalker;
    type SerializeStruct = StructWalker;
    type SerializeStructVariant = ObjectWalker;

    fine! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_char(char);
        serialize_str(&str);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_f32(self, value: f32) -> Result<(), Stop> {
        if value.is_finite() { Ok(()) } else { Err(not_finite().into()) }
    }

    fn serialize_f64(self, value: f64) -> Result<(), Stop> {
        if value.is_finite() { Ok(()) } else { Err(not_finite().into()) }
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Stop> {
        Err(bytes_refused())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()? })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(Self { depth: self.depth.unwrap_one()? })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        value.serialize(Self { depth: self.depth.enter()? }).map_err(|stop| stop.under(variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ArrayWalker, Stop> {
        ArrayWalker::new(self.depth, None)
    }

    fn serialize_tuple(self, _: usize) -> Result<ArrayWalker, Stop> {
        ArrayWalker::new(self.depth, None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ArrayWalker, Stop> {
        ArrayWalker::new(self.depth, None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ArrayWalker, Stop> {
        ArrayWalker::new(self.depth, Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectWalker, Stop> {
        ObjectWalker::new(self.depth, None)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<StructWalker, Stop> {
        match Embedded::named(name) {
            Some(kind) => Ok(StructWalker::Embedded(EmbeddedText::any_integer(kind, self.depth))),
            None => ObjectWalker::new(self.depth, None).map(StructWalker::Object),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ObjectWalker, Stop> {
        ObjectWalker::new(self.depth, Some(variant))
    }
}
