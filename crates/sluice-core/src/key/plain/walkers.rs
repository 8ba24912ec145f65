//! How are arrays and objects walked through?

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::Walker;
use super::names::Names;
use crate::key::depth::Depth;
use crate::key::json::duplicate_name;
use crate::key::ser::{EmbeddedText, NameRule, Stop, member_name};

pub(super) struct ArrayWalker {
    depth: Depth,
    variant: Option<&'static str>,
    count: usize,
}

impl ArrayWalker {
    pub(super) fn new(depth: Depth, variant: Option<&'static str>) -> Result<Self, Stop> {
        Ok(Self { depth: depth.enter_variant(variant)?, variant, count: 0 })
    }

    fn visit<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let visited = value.serialize(Walker { depth: self.depth });
        visited.map_err(|stop| stop.under_index(self.count).in_variant(self.variant))?;
        self.count += 1;
        Ok(())
    }
}

pub(super) struct ObjectWalker {
    depth: Depth,
    variant: Option<&'static str>,
    names: Names,
}

impl ObjectWalker {
    pub(super) fn new(depth: Depth, variant: Option<&'static str>) -> Result<Self, Stop> {
        Ok(Self { depth: depth.enter_variant(variant)?, variant, names: Names::default() })
    }

    fn visit<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let visited = value.serialize(Walker { depth: self.depth });
        visited.map_err(|stop| stop.under(self.names.last().unwrap_or_default()).in_variant(self.variant))
    }

    fn visit_named<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Stop> {
        self.names.push(name);
        self.visit(value)
    }

    fn finish(&self) -> Result<(), Stop> {
        match self.names.duplicate() {
            Some(name) => Err(Stop::from(duplicate_name().under(name)).in_variant(self.variant)),
            None => Ok(()),
        }
    }
}

pub(super) enum StructWalker {
    Object(ObjectWalker),
    Embedded(EmbeddedText),
}

macro_rules! array_walker {
    ($($trait:ident::$method:ident),*) => {
        $(impl $trait for ArrayWalker {
            type Ok = ();
            type Error = Stop;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
                self.visit(value)
            }

            fn end(self) -> Result<(), Stop> {
                Ok(())
            }
        })*
    };
}

array_walker!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

impl SerializeMap for ObjectWalker {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        self.names.push(&member_name(key, NameRule::AsText)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.visit(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish()
    }
}

impl SerializeStructVariant for ObjectWalker {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Stop> {
        self.visit_named(name, value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish()
    }
}

impl SerializeStruct for StructWalker {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Stop> {
        match self {
            Self::Object(object) => object.visit_named(name, value),
            Self::Embedded(text) => text.field(value),
        }
    }

    fn end(self) -> Result<(), Stop> {
        match self {
            Self::Object(object) => object.finish(),
            Self::Embedded(text) => text.finish().map(drop),
        }
    }
}
