//! A shop that charges cards over HTTP, once per order however often the request arrives.
//!
//! [`shop`] is the handler, [`answer`] turns what sluice knows into HTTP, and [`stripe`] is a provider in memory that behaves
//! as Stripe's documentation says: it replays what it answered under a key, failures with status 500 included, refuses the
//! same key with other parameters, and forgets keys after 24 hours.

pub mod answer;
pub mod shop;
pub mod stripe;
