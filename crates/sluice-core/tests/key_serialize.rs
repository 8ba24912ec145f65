//! What a Rust value writes, and which values have no name.

use std::collections::BTreeMap;

use serde::ser::{Error as _, SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::json;
use sluice_core::key::{InputError, InputErrorKind, Intent, Json, canonical_json, idempotency_key};

fn refusal<T: Serialize + ?Sized>(value: &T) -> (InputErrorKind, String) {
    let error = canonical_json(value).unwrap_err();
    (error.kind(), error.path().to_owned())
}

#[derive(Serialize)]
struct Unit;
#[derive(Serialize)]
struct Newtype(i8);
#[derive(Serialize)]
struct Pair(i8, i8);
#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(i8),
    Tuple(i8, i8),
    Struct { b: i8, a: Option<i8> },
}
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    One { id: u8 },
}

#[test]
fn every_shape_is_written_as_serde_json_writes_it() {
    let shapes = (Shape::Unit, Shape::Newtype(1), Shape::Tuple(1, 2), Shape::Struct { b: 1, a: None });
    let value =
        (shapes, Tagged::One { id: 7 }, Unit, Newtype(-3), Pair(1, 2), (), 'ß', true, Some("x"), None::<u8>);
    let expected = serde_json::to_value(&value).unwrap();
    assert_eq!(canonical_json(&value).unwrap(), canonical_json(&expected).unwrap());
    assert_eq!(canonical_json(&Shape::Struct { b: 1, a: None }).unwrap(), r#"{"Struct":{"a":null,"b":1}}"#);
}

#[test]
fn integers_of_every_width_end_at_the_same_limit() {
    let limit = (1_i128 << 53) - 1;
    assert_eq!(canonical_json(&(limit, -limit)).unwrap(), "[9007199254740991,-9007199254740991]");
    let expected = (InputErrorKind::IntegerOutOfRange, String::new());
    assert_eq!(refusal(&(limit + 1)), expected);
    assert_eq!(refusal(&(-limit - 1)), expected);
    assert_eq!(refusal(&i128::MIN), expected);
    assert_eq!(refusal(&u128::MAX), expected);
    assert_eq!(refusal(&u64::MAX), expected);
    assert_eq!(refusal(&i64::MIN), expected);
    assert_eq!(
        canonical_json(&(i8::MIN, i16::MIN, i32::MIN, u8::MAX, u16::MAX, u32::MAX)).unwrap(),
        "[-128,-32768,-2147483648,255,65535,4294967295]"
    );
}

#[test]
fn a_single_precision_number_is_the_text_people_see() {
    assert_eq!(
        canonical_json(&(0.1_f32, 16_777_216_f32, -0.0_f32, f32::MAX)).unwrap(),
        "[0.1,16777216,0,3.4028235e+38]"
    );
    assert_eq!(refusal(&f32::NAN).0, InputErrorKind::NotFinite);
    assert_eq!(refusal(&[f64::INFINITY]), (InputErrorKind::NotFinite, "/0".to_owned()));
}

#[test]
fn only_strings_name_members() {
    assert_eq!(canonical_json(&BTreeMap::from([('b', 1), ('a', 2)])).unwrap(), r#"{"a":2,"b":1}"#);
    assert_eq!(refusal(&BTreeMap::from([(1, 1)])).0, InputErrorKind::NotPlainData);
    assert_eq!(refusal(&BTreeMap::from([(true, 1)])).0, InputErrorKind::NotPlainData);
    assert_eq!(refusal(&BTreeMap::from([((), 1)])).0, InputErrorKind::NotPlainData);
    assert_eq!(refusal(&json!({"a": 1}).as_object().map(|_| Bytes)).0, InputErrorKind::NotPlainData);
}

struct Bytes;
impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(b"hunter2")
    }
}

/// Writes one name twice, as a list of pairs or a flattened struct can.
struct Twice;
impl Serialize for Twice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &1)?;
        map.serialize_entry("b", &1)?;
        map.serialize_entry("a", &1)?;
        map.end()
    }
}

#[test]
fn a_value_that_writes_one_name_twice_is_refused() {
    assert_eq!(refusal(&(0, Twice)), (InputErrorKind::DuplicateName, "/1/a".to_owned()));
}

struct Refusing;
impl Serialize for Refusing {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("cannot serialise hunter2"))
    }
}

#[test]
fn what_an_implementation_says_while_refusing_is_not_repeated() {
    let error = canonical_json(&BTreeMap::from([("a", Some(Refusing))])).unwrap_err();
    assert_eq!((error.kind(), error.path()), (InputErrorKind::Other, "/a"));
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[derive(Serialize)]
struct Chain(Option<Box<Chain>>);
#[derive(Serialize)]
struct Nested {
    next: Vec<Nested>,
}

#[test]
fn a_value_nested_without_end_is_refused_before_the_stack_is() {
    let mut chain = Chain(None);
    for _ in 0..5_000 {
        chain = Chain(Some(Box::new(chain)));
    }
    assert_eq!(refusal(&chain).0, InputErrorKind::TooDeep);
    let mut nested = Nested { next: vec![] };
    for _ in 0..1_000 {
        nested = Nested { next: vec![nested] };
    }
    assert_eq!(refusal(&nested).0, InputErrorKind::TooDeep);
}

#[test]
fn a_value_may_have_as_many_levels_as_a_text() {
    let nested = |levels| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    assert!(canonical_json(&nested(128)).is_ok());
    assert_eq!(refusal(&nested(129)).0, InputErrorKind::TooDeep);
    let intent = |levels| Intent::new().args(&nested(levels)).key().map_err(|error| error.kind());
    assert!(intent(127).is_ok());
    assert_eq!(intent(128), Err(InputErrorKind::TooDeep));
}

/// Passes text through serde the way `serde_json` does with raw text and numbers of arbitrary precision.
struct Private(&'static str, &'static str);
impl Serialize for Private {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct(self.0, 1)?;
        fields.serialize_field(self.0, self.1)?;
        fields.end()
    }
}

#[test]
fn raw_json_text_inside_a_value_is_read_by_the_same_rules() {
    let raw = |text| canonical_json(&("x", Private("$serde_json::private::RawValue", text)));
    assert_eq!(raw(r#" {"b":1.0,"a":[]} "#).unwrap(), r#"["x",{"a":[],"b":1}]"#);
    let kind = |result: Result<String, InputError>| result.unwrap_err().kind();
    assert_eq!(kind(raw(r#"{"a":1,"a":1}"#)), InputErrorKind::DuplicateName);
    assert_eq!(kind(raw("9007199254740993")), InputErrorKind::IntegerOutOfRange);
    assert_eq!(kind(raw("1 2")), InputErrorKind::SecondText);
    let number = |text| canonical_json(&Private("$serde_json::private::Number", text));
    assert_eq!(number("1.50").unwrap(), "1.5");
    assert_eq!(kind(number("18446744073709551616")), InputErrorKind::IntegerOutOfRange);
    assert_eq!(kind(number("null")), InputErrorKind::NotJson);
}

#[test]
fn a_tree_serialises_to_itself() {
    let json = Json::parse(br#"{"a":[1,2.5,"x",null,true,{}],"b":{"c":-7}}"#).unwrap();
    assert_eq!(Json::from_serialize(&json), Ok(json.clone()));
    assert_eq!(idempotency_key(&json).unwrap(), json.key());
    assert_eq!(serde_json::to_string(&json).unwrap(), json.canonical());
}
