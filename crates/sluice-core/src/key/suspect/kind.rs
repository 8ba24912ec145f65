//! What can be wrong with a part of a key?

use std::fmt;

/// Names why a part of a key is suspected; the list may grow, the names never change.
///
/// ```
/// use sluice_core::key::SuspicionKind;
///
/// let names: Vec<_> = SuspicionKind::ALL.iter().map(|kind| kind.as_str()).collect();
/// assert_eq!(names, ["delivery_id", "attempt", "clock", "email", "phone", "payment_card"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SuspicionKind {
    /// The id of a message, request, trace, tool call or anything else that one delivery brings with it.
    DeliveryId,
    /// A number that every further attempt counts up.
    Attempt,
    /// A moment in time.
    Clock,
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// The number of a payment card.
    PaymentCard,
}

impl SuspicionKind {
    /// Every kind, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::DeliveryId, Self::Attempt, Self::Clock, Self::Email, Self::Phone, Self::PaymentCard];

    /// Returns the name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeliveryId => "delivery_id",
            Self::Attempt => "attempt",
            Self::Clock => "clock",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::PaymentCard => "payment_card",
        }
    }

    /// Returns what it looks like, with its article, for sentences.
    ///
    /// ```
    /// assert_eq!(sluice_core::key::SuspicionKind::Email.noun(), "an e-mail address");
    /// ```
    pub fn noun(self) -> &'static str {
        match self {
            Self::DeliveryId => "the id of one delivery",
            Self::Attempt => "an attempt counter",
            Self::Clock => "a clock",
            Self::Email => "an e-mail address",
            Self::Phone => "a phone number",
            Self::PaymentCard => "a payment card number",
        }
    }

    /// Returns one lower-case sentence without a full stop: why it should not be in a key, and what to do instead.
    pub fn advice(self) -> &'static str {
        match self {
            Self::DeliveryId => {
                "a redelivery brings a new one, so the effect would run again; leave it out, or use the business id it is about"
            }
            Self::Attempt => "every retry counts it up, so the effect would run again; leave it out",
            Self::Clock => {
                "a retry may bring a later one, so the effect would run again; leave it out, unless the time itself is what is asked for"
            }
            Self::Email => {
                "addresses change, have several spellings, and are personal; use an opaque id of the account"
            }
            Self::Phone => {
                "numbers change hands, have several spellings, and are personal; use an opaque id of the account"
            }
            Self::PaymentCard => {
                "a card number is a secret and names no single payment; use the id of the order or payment"
            }
        }
    }
}

impl fmt::Display for SuspicionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
