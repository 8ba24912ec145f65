//! The shared vectors, on both routes: as text, and as a value that serde serialises.

use serde_json::Value;
use sluice_core::key::{
    InputError, canonical_json, canonical_json_text, idempotency_key, idempotency_key_text,
};

struct Vector {
    input: String,
    /// The canonical text and the key, or what the refusal says.
    expected: Result<(String, String), String>,
}

fn vectors() -> Vec<Vector> {
    let file: Value = serde_json::from_str(include_str!("data/idempotency_key.json")).unwrap();
    let text = |vector: &Value, name: &str| vector[name].as_str().map(str::to_owned);
    let read = |vector: &Value| Vector {
        input: text(vector, "input").unwrap(),
        expected: match text(vector, "refused") {
            Some(reason) => Err(reason),
            None => Ok((text(vector, "canonical").unwrap(), text(vector, "key").unwrap())),
        },
    };
    file["vectors"].as_array().unwrap().iter().map(read).collect()
}

/// Two vectors group several of our kinds under one word.
fn says(error: &InputError, reason: &str) -> bool {
    let message = error.to_string();
    message.contains(reason)
        || (reason == "not JSON" && message.contains("byte order mark"))
        || (reason.contains("128") && message.contains("128"))
}

#[test]
fn every_vector_holds_for_its_text() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 73);
    for Vector { input, expected } in vectors {
        let canonical = canonical_json_text(input.as_bytes());
        let key = idempotency_key_text(input.as_bytes());
        match expected {
            Ok(expected) => {
                assert_eq!((canonical.unwrap(), String::from(key.unwrap())), expected, "{input}");
            }
            Err(reason) => {
                let error = canonical.unwrap_err();
                assert!(says(&error, &reason), "{input}: {error}, expected {reason}");
                assert_eq!(key.unwrap_err(), error);
            }
        }
    }
}

#[test]
fn every_accepted_vector_holds_for_its_value_too() {
    let mut checked = 0;
    for Vector { input, expected } in vectors() {
        let (Ok(expected), Ok(value)) = (expected, serde_json::from_str::<Value>(&input)) else {
            continue;
        };
        let found = (canonical_json(&value).unwrap(), String::from(idempotency_key(&value).unwrap()));
        assert_eq!(found, expected, "{input}");
        checked += 1;
    }
    assert!(checked > 50, "only {checked} vectors could be read by serde_json");
}

#[test]
fn a_refused_integer_is_refused_as_a_value_wherever_the_value_still_has_it() {
    let mut checked = 0;
    for Vector { input, expected } in vectors() {
        let Ok(value) = serde_json::from_str::<Value>(&input) else {
            continue;
        };
        // Beyond 64 bits serde_json has already made a double of it, and a double is a legal number.
        if expected.is_err_and(|reason| reason.contains("integer")) && (value.is_i64() || value.is_u64()) {
            assert!(canonical_json(&value).is_err(), "{input}");
            checked += 1;
        }
    }
    assert!(checked >= 2);
}
