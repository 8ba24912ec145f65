//! Puts the question of every kind to one value.

use super::kind::SuspicionKind as Kind;
use super::words::Words;
use super::{attempt, card, clock, delivery, email, phone};
use crate::key::json::Json;

/// What a member of that name and value looks like. Where the name says delivery or attempt, its look adds nothing.
pub(super) fn of_leaf(words: &Words, leaf: &Json) -> impl Iterator<Item = Kind> + use<> {
    let by_name = if delivery::is_id(words, leaf) {
        Some(Kind::DeliveryId)
    } else {
        attempt::is_counter(words, leaf).then_some(Kind::Attempt)
    };
    let by_look = match leaf {
        _ if by_name.is_some() => [None; 4],
        Json::String(text) => looks(words, text),
        Json::Number(number) => {
            let digits = number.as_i64().map(|integer| integer.to_string()).unwrap_or_default();
            let clock = clock::is_number(words, number.as_f64()).then_some(Kind::Clock);
            let phone = phone::is_number(words, &digits).then_some(Kind::Phone);
            [clock, None, phone, card::is_in(words, &digits).then_some(Kind::PaymentCard)]
        }
        _ => [None; 4],
    };
    by_name.into_iter().chain(by_look.into_iter().flatten())
}

/// What a text looks like under a name that says nothing of deliveries.
pub(super) fn of_text(words: &Words, text: &str) -> impl Iterator<Item = Kind> + use<> {
    looks(words, text).into_iter().flatten()
}

fn looks(words: &Words, text: &str) -> [Option<Kind>; 4] {
    [
        clock::is_in(words, text).then_some(Kind::Clock),
        email::is_in(words, text).then_some(Kind::Email),
        phone::is_in(words, text).then_some(Kind::Phone),
        card::is_in(words, text).then_some(Kind::PaymentCard),
    ]
}
