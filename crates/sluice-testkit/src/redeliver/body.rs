//! Writes what a delivery brings with it into a JSON event.

use super::check::Redeliver;
use super::delivery::Stamp;
use serde_json::Value;

impl Redeliver<Value> {
    /// Begins a check with a JSON event.
    ///
    /// ```
    /// # use sluice_testkit::{block_on, redeliver::Redeliver};
    /// let event = serde_json::json!({"message": {"id": "m-1", "sentAt": 1767607200}, "order": "o-17"});
    /// let check = Redeliver::json(event).id_at("/message/id").time_at("/message/sentAt").at_once(3);
    /// let mut done = std::collections::BTreeSet::new();
    /// let redelivered = check.check(|delivery| {
    ///     let order = delivery.event["order"].to_string();
    ///     if done.insert(order) {
    ///         delivery.effect.landed();
    ///     }
    ///     async { Ok::<(), String>(()) }
    /// });
    /// assert_eq!(block_on(redelivered)?.deliveries(), 8);
    /// # Ok::<(), sluice_testkit::redeliver::NotOnce>(())
    /// ```
    pub fn json(event: Value) -> Self {
        Self::new(event)
    }

    /// Writes the delivery's id to this JSON Pointer: as a text, or a number where there is one.
    ///
    /// There has to be a text or number already; a pointer that leads nowhere fails the check.
    pub fn id_at(self, pointer: impl Into<String>) -> Self {
        self.placing(pointer.into(), |found, stamp| match found.as_u64() {
            Some(number) => Value::from(number.saturating_add(stamp.ordinal())),
            None => Value::from(stamp.id.as_str()),
        })
    }

    /// Writes the delivery's time to this JSON Pointer: as RFC 3339 writes it, or since 1970 in the unit of the number
    /// that is there.
    pub fn time_at(self, pointer: impl Into<String>) -> Self {
        self.placing(pointer.into(), |found, stamp| {
            let digits = found.as_str().and_then(|text| text.parse().ok());
            match (found.as_f64(), digits) {
                (Some(number), _) => Value::from(since_1970(stamp, number)),
                (None, Some(number)) => Value::from(since_1970(stamp, number).to_string()),
                (None, None) => Value::from(stamp.sent_at.as_str()),
            }
        })
    }

    /// Writes the number of the attempt to this JSON Pointer: as a number, or a text where there is one.
    pub fn attempt_at(self, pointer: impl Into<String>) -> Self {
        self.placing(pointer.into(), |found, stamp| match found {
            Value::String(_) => Value::from(stamp.attempt.to_string()),
            _ => Value::from(stamp.attempt),
        })
    }

    fn placing(self, pointer: String, made: fn(&Value, &Stamp) -> Value) -> Self {
        self.writer(move |event, stamp| match event.pointer_mut(&pointer) {
            Some(found @ (Value::String(_) | Value::Number(_))) => {
                *found = made(found, stamp);
                Ok(())
            }
            _ => Err(pointer.clone()),
        })
    }
}

/// The stamp's time in the unit in which a number of this size tells the time.
fn since_1970(stamp: &Stamp, number: f64) -> u64 {
    match number {
        1e17.. => stamp.sent_at_ms * 1_000_000,
        1e14.. => stamp.sent_at_ms * 1000,
        1e11.. => stamp.sent_at_ms,
        _ => stamp.sent_at_ms / 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(check: &Redeliver<Value>) -> Result<Value, String> {
        check.written(&Stamp::of(3, 0, 2))
    }

    #[test]
    fn the_form_that_is_there_is_kept() {
        let event = json!({"id": "m", "n": 40, "at": "x", "s": 1, "ms": 1e12, "us": "1764493200000000", "try": 1, "tries": "1"});
        let check =
            Redeliver::json(event).id_at("/id").id_at("/n").time_at("/at").time_at("/s").time_at("/ms");
        let check = check.time_at("/us").attempt_at("/try").attempt_at("/tries");
        let expected = json!({
            "id": "00000000-0000-4000-8000-000000000003", "n": 43, "at": "2026-01-05T10:00:00.000Z", "s": 1_767_607_200,
            "ms": 1_767_607_200_000_u64, "us": "1767607200000000", "try": 2, "tries": "2",
        });
        assert_eq!(written(&check), Ok(expected));
    }

    #[test]
    fn a_pointer_that_leads_nowhere_is_told() {
        for pointer in ["/messageId", "id", "/list/0", "/list"] {
            let check = Redeliver::json(json!({"id": "m", "list": []})).id_at(pointer);
            assert_eq!(written(&check), Err(pointer.to_owned()));
        }
    }
}
