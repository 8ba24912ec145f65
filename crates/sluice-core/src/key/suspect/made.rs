//! A key that was made by hand: `charge:o-17:attempt=2`.

use super::kind::SuspicionKind as Kind;
use super::words::Words;
use super::{attempt, card, clock, delivery, email, judge, phone};
use crate::key::json::Json;

/// What such a key holds, each kind once: it has no members that could be told apart.
pub(super) fn kinds(key: &str) -> impl Iterator<Item = Kind> + use<> {
    let holds = |kind: Kind| match kind {
        Kind::DeliveryId => segments(key).any(delivery::is_look),
        Kind::Attempt => counts(key),
        Kind::Clock => {
            clock::is_in(&Words::default(), key) || clock::is_inside(key) || clock::is_among(&parts(key))
        }
        Kind::Email => email::is_in(&Words::default(), key),
        Kind::Phone => phone::is_in(&Words::default(), key),
        Kind::PaymentCard => card::is_in(&Words::default(), key),
    };
    let named: Vec<Kind> = pairs(key).flat_map(|(words, value)| judge::of_leaf(&words, &value)).collect();
    Kind::ALL.map(|kind| (holds(kind) || named.contains(&kind)).then_some(kind)).into_iter().flatten()
}

fn segments(key: &str) -> impl Iterator<Item = &str> {
    key.split([':', '/', '|', ',', ';', '&', '#', '='])
}

fn parts(key: &str) -> Vec<&str> {
    key.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect()
}

/// The segments that say their name: `message_id=…`.
fn pairs(key: &str) -> impl Iterator<Item = (Words, Json)> {
    let segments = key.split(['/', '|', ',', ';', '&', '#', ' ']).flat_map(|part| part.split(':'));
    segments
        .filter_map(|segment| segment.split_once('='))
        .map(|(name, value)| (Words::of(name), Json::from(value)))
}

/// `attempt-2`, `retry:3` and `attempt2`.
fn counts(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let parts = parts(&key);
    let next = |at: usize| parts.get(at + 1).copied().unwrap_or_default();
    parts.iter().enumerate().any(|(at, part)| {
        let rest = ["attempt", "retry", "redelivery"].iter().find_map(|word| part.strip_prefix(word));
        let number = rest.map(|rest| if rest.is_empty() { next(at) } else { rest });
        number.is_some_and(|number| number.len() <= 3 && attempt::is_short_number(number))
    })
}
