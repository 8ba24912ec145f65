//! How are arrays and objects put together?

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::{EmbeddedText, NameRule, Stop, TreeSerializer, member_name, tagged};
use crate::key::depth::Depth;
use crate::key::error::{InputError, InputErrorKind};
use crate::key::json::Json;

/// A length announced by a `Serialize` implementation is a hint, and must not be able to order memory.
const MAX_RESERVED: usize = 64;

pub(crate) struct ArrayBuilder {
    depth: Depth,
    variant: Option<&'static str>,
    items: Vec<Json>,
}

impl ArrayBuilder {
    pub(super) fn new(depth: Depth, variant: Option<&'static str>, len: usize) -> Result<Self, Stop> {
        let depth = depth.enter_variant(variant)?;
        Ok(Self { depth, variant, items: Vec::with_capacity(len.min(MAX_RESERVED)) })
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let item = value.serialize(TreeSerializer { depth: self.depth });
        let item = item.map_err(|stop| stop.under_index(self.items.len()).in_variant(self.variant))?;
        self.items.push(item);
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "every builder ends with a result")]
    fn finish(self) -> Result<Json, Stop> {
        Ok(tagged(self.variant, Json::Array(self.items)))
    }
}

pub(crate) struct ObjectBuilder {
    depth: Depth,
    variant: Option<&'static str>,
    members: Vec<(String, Json)>,
    pending: Option<String>,
}

impl ObjectBuilder {
    pub(super) fn new(depth: Depth, variant: Option<&'static str>, len: usize) -> Result<Self, Stop> {
        let depth = depth.enter_variant(variant)?;
        Ok(Self { depth, variant, members: Vec::with_capacity(len.min(MAX_RESERVED)), pending: None })
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), Stop> {
        match value.serialize(TreeSerializer { depth: self.depth }) {
            Ok(value) => {
                self.members.push((name, value));
                Ok(())
            }
            Err(stop) => Err(stop.under(&name).in_variant(self.variant)),
        }
    }

    fn finish(self) -> Result<Json, Stop> {
        if self.pending.is_some() {
            return Err(half_a_member());
        }
        match Json::object(self.members) {
            Ok(object) => Ok(tagged(self.variant, object)),
            Err(error) => Err(Stop::from(error).in_variant(self.variant)),
        }
    }
}

pub(crate) enum StructBuilder {
    Object(ObjectBuilder),
    Embedded(EmbeddedText),
}

fn half_a_member() -> Stop {
    let detail = "its Serialize implementation gave a name without a value, or a value without a name";
    InputError::new(InputErrorKind::NotPlainData, "", detail).into()
}

macro_rules! array_builder {
    ($($trait:ident::$method:ident),*) => {
        $(impl $trait for ArrayBuilder {
            type Ok = Json;
            type Error = Stop;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
                self.push(value)
            }

            fn end(self) -> Result<Json, Stop> {
                self.finish()
            }
        })*
    };
}

array_builder!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

impl SerializeMap for ObjectBuilder {
    type Ok = Json;
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        let name = member_name(key, NameRule::StringsOnly)?;
        if self.pending.replace(name).is_some() { Err(half_a_member()) } else { Ok(()) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let name = self.pending.take().ok_or_else(half_a_member)?;
        self.push(name, value)
    }

    fn end(self) -> Result<Json, Stop> {
        self.finish()
    }
}

impl SerializeStructVariant for ObjectBuilder {
    type Ok = Json;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Stop> {
        self.push(name.to_owned(), value)
    }

    fn end(self) -> Result<Json, Stop> {
        self.finish()
    }
}

impl SerializeStruct for StructBuilder {
    type Ok = Json;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Stop> {
        match self {
            Self::Object(object) => object.push(name.to_owned(), value),
            Self::Embedded(text) => text.field(value),
        }
    }

    fn end(self) -> Result<Json, Stop> {
        match self {
            Self::Object(object) => object.finish(),
            Self::Embedded(text) => text.finish(),
        }
    }
}
