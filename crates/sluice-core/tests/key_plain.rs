//! Which results can be kept as JSON text.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;
use sluice_core::key::{InputErrorKind, check_plain};

fn refusal<T: Serialize + ?Sized>(value: &T) -> (InputErrorKind, String) {
    let error = check_plain(value).unwrap_err();
    (error.kind(), error.path().to_owned())
}

#[derive(Serialize)]
enum Shape {
    Tuple(f64, f64),
    Struct { price: f32 },
    Newtype(Option<f64>),
}

#[test]
fn what_serde_json_would_write_as_null_is_refused_with_its_place() {
    assert_eq!(
        refusal(&BTreeMap::from([("a", vec![1.0, f64::NAN])])),
        (InputErrorKind::NotFinite, "/a/1".to_owned())
    );
    assert_eq!(
        refusal(&Shape::Tuple(0.0, f64::INFINITY)),
        (InputErrorKind::NotFinite, "/Tuple/1".to_owned())
    );
    assert_eq!(
        refusal(&Shape::Struct { price: f32::NAN }),
        (InputErrorKind::NotFinite, "/Struct/price".to_owned())
    );
    assert_eq!(refusal(&Shape::Newtype(Some(f64::NAN))), (InputErrorKind::NotFinite, "/Newtype".to_owned()));
}

#[test]
fn integers_of_any_size_and_as_names_are_fine_where_only_text_is_kept() {
    assert_eq!(check_plain(&(u64::MAX, i128::MIN, u128::MAX)), Ok(()));
    assert_eq!(check_plain(&BTreeMap::from([(u64::MAX, 1), (2, 2)])), Ok(()));
    assert_eq!(check_plain(&BTreeMap::from([(true, 1)])), Ok(()));
    assert_eq!(refusal(&BTreeMap::from([((), 1)])).0, InputErrorKind::NotPlainData);
}

struct Pairs<'a>(&'a [(&'a str, u8)]);
impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[test]
fn a_name_that_comes_twice_in_one_object_is_refused_and_in_two_objects_is_not() {
    assert_eq!(
        refusal(&[Pairs(&[("b", 1), ("a", 1), ("b", 1)])]),
        (InputErrorKind::DuplicateName, "/0/b".to_owned())
    );
    assert_eq!(check_plain(&[Pairs(&[("b", 1), ("a", 1)]), Pairs(&[("a", 1)])]), Ok(()));
}

struct Bytes;
impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&[1])
    }
}

#[test]
fn bytes_are_refused() {
    assert_eq!(refusal(&Some(Bytes)).0, InputErrorKind::NotPlainData);
}

#[test]
fn whatever_passes_is_read_back_by_serde_json_and_one_level_more_is_not() {
    let nested = |levels| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    let text = serde_json::to_string(&nested(127)).unwrap();
    assert_eq!(check_plain(&nested(127)), Ok(()));
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    assert_eq!(refusal(&nested(128)).0, InputErrorKind::TooDeep);
    assert!(serde_json::from_str::<serde_json::Value>(&nested(128).to_string()).is_err());
}
