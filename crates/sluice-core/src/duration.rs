//! Durations as whole milliseconds in stored and printed documents.

use serde::{Deserialize, Deserializer, Serializer};
use std::time::Duration;

/// Whole milliseconds of a duration; a longer one than `u64` can hold is the largest.
pub fn as_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Writes a duration as milliseconds.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(as_ms(*duration))
}

/// Reads a duration from milliseconds.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

/// The same for a duration that may be absent.
pub mod option {
    use super::{Deserialize, Deserializer, Duration, Serializer, as_ms};

    /// Writes an optional duration as milliseconds or null.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => serializer.serialize_some(&as_ms(*duration)),
            None => serializer.serialize_none(),
        }
    }

    /// Reads an optional duration from milliseconds.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Option::<u64>::deserialize(deserializer).map(|ms| ms.map(Duration::from_millis))
    }
}
