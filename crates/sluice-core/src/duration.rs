//! Durations as whole milliseconds in stored and printed documents.

use serde::{Deserialize, Deserializer, Serializer};
use std::time::Duration;

/// Whole milliseconds of a duration; a longer one than `u64` can hold is the largest.
pub fn as_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Writes a duration as people write it in a contract, in days and less: `90d`, `1h 30m`, `250ms`.
///
/// ```
/// use sluice_core::duration::written;
/// use std::time::Duration;
/// assert_eq!(written(Duration::from_hours(90 * 24)), "90d");
/// assert_eq!(written(Duration::from_millis(5_400_250)), "1h 30m 250ms");
/// assert_eq!(written(Duration::ZERO), "0s");
/// ```
pub fn written(duration: Duration) -> String {
    const UNITS: [(&str, u64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
    let mut rest = as_ms(duration);
    let mut parts = Vec::new();
    for (unit, ms) in UNITS {
        if rest >= ms {
            parts.push(format!("{}{unit}", rest / ms));
            rest %= ms;
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
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
