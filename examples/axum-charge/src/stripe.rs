//! A provider in memory, as its documentation describes it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a key is remembered.
const REMEMBERS: Duration = Duration::from_hours(24);

/// What the provider answers; `None` on the way is a connection that broke after the request was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers beside the content type.
    pub headers: Vec<(&'static str, String)>,
    /// The provider's own code for an error.
    pub code: Option<&'static str>,
    /// What was charged, where it was.
    pub charge: Option<String>,
}

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// It is carried out.
    Fine,
    /// The card is declined.
    Declined,
    /// The provider breaks down before it charges, and remembers so.
    BreaksDown,
    /// There are too many requests.
    TooMany,
    /// It is carried out, and nobody hears of it.
    Silent,
}

#[derive(Debug, Default)]
struct Books {
    now: Duration,
    charges: Vec<(String, u64)>,
    keys: HashMap<String, (Duration, String, u64, Answer)>,
    weather: VecDeque<Weather>,
}

/// The provider.
#[derive(Debug, Default)]
pub struct Stripe(Mutex<Books>);

impl Stripe {
    /// Plans what happens to the next requests, in their order; after that all is fine.
    pub fn plan(&self, weather: impl IntoIterator<Item = Weather>) {
        self.books().weather.extend(weather);
    }

    /// Lets time pass at the provider.
    pub fn pass(&self, time: Duration) {
        self.books().now += time;
    }

    /// Every charge that was made: card and cents.
    pub fn charges(&self) -> Vec<(String, u64)> {
        self.books().charges.clone()
    }

    /// `POST /v1/charges` with an idempotency key; `None` where the connection broke after the request was sent.
    pub fn charge(&self, key: &str, card: &str, cents: u64) -> Option<Answer> {
        let mut books = self.books();
        let weather = books.weather.pop_front().unwrap_or(Weather::Fine);
        if weather == Weather::TooMany {
            // Refused before anything is looked at, so that it is not remembered.
            let headers = vec![("Retry-After", "1".to_owned())];
            return Some(Answer { status: 429, headers, code: Some("rate_limit"), charge: None });
        }
        let now = books.now;
        books.keys.retain(|_, (first, ..)| now.saturating_sub(*first) < REMEMBERS);
        if let Some((_, first_card, first_cents, answer)) = books.keys.get(key) {
            if (first_card.as_str(), *first_cents) != (card, cents) {
                let code = Some("idempotency_error");
                return Some(Answer { status: 400, headers: Vec::new(), code, charge: None });
            }
            let mut answer = answer.clone();
            answer.headers.push(("Idempotent-Replayed", "true".to_owned()));
            return (weather != Weather::Silent).then_some(answer);
        }
        let answer = books.carry_out(card, cents, weather);
        books.keys.insert(key.to_owned(), (now, card.to_owned(), cents, answer.clone()));
        (weather != Weather::Silent).then_some(answer)
    }

    fn books(&self) -> std::sync::MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn carry_out(&mut self, card: &str, cents: u64, weather: Weather) -> Answer {
        let refused = |status, code| Answer { status, headers: Vec::new(), code: Some(code), charge: None };
        match weather {
            Weather::Declined => refused(402, "card_declined"),
            Weather::BreaksDown => refused(500, "api_error"),
            Weather::Fine | Weather::Silent | Weather::TooMany => {
                self.charges.push((card.to_owned(), cents));
                let charge = Some(format!("ch_{}", self.charges.len()));
                Answer { status: 200, headers: Vec::new(), code: None, charge }
            }
        }
    }
}
