//! Delivers one event many times.

use super::at_once::at_once;
use super::delivery::{Delivery, Effect, Stamp};
use super::log::{Alone, Entry, Log};
use super::told::{Cause, NotOnce, Redelivered, Tally};
use std::fmt;

/// So many deliveries come at once unless the test says otherwise.
const AT_ONCE: u32 = 8;

/// Minutes between two deliveries that come at once: each has a time of its own.
const APART: u64 = 7;

/// Minutes until an event comes again alone: another hour, and another day, so that no rounding hides the time.
const LATER: u64 = 26 * 60;

/// Delivers an event again and again, and fails unless its effect ran exactly once.
///
/// First eight deliveries come at once, with different ids, times and attempts, and are polled in turn. Then the event
/// comes five times more, alone: the same in everything, with only the id new, only the time, only the attempt, and
/// with all of them new. An effect has to land before its handler answers, or it is not seen.
///
/// A delivery that comes at once may get an error, such as "in flight elsewhere": [`Redelivered::errors`] counts them.
/// One that comes alone may not, since its sender would send it for ever; see [`Redeliver::allow_errors`].
///
/// # Errors
/// [`NotOnce`] says how often the effect ran and names each [`Cause`].
///
/// ```
/// use sluice::{Intent, MemoryStore, Sluice};
/// use sluice_testkit::redeliver::{Cause, Delivery, redeliver};
///
/// async fn charge(sluice: Sluice, intent: Intent, delivery: Delivery<&str>) -> Result<(), sluice::Error> {
///     let effect = delivery.effect;
///     let charged = sluice.effect(intent).no_fingerprint().run(move |_ctx| {
///         effect.landed(); // the fake target
///         async { Ok(()) }
///     });
///     charged.await.map(|_| ())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let sluice = Sluice::open(MemoryStore::new()).build();
/// let good = |delivery: Delivery<&'static str>| {
///     charge(sluice.clone(), Intent::new().tool("charge").args(delivery.event), delivery)
/// };
/// assert_eq!(redeliver("o-17", good).await.unwrap().deliveries(), 13);
///
/// let bad = |delivery: Delivery<&'static str>| {
///     charge(sluice.clone(), Intent::new().tool("charge").args(&(delivery.event, &delivery.id)), delivery)
/// };
/// let error = redeliver("o-18", bad).await.unwrap_err();
/// assert_eq!((error.causes(), error.landings()), (&[Cause::DeliveryId][..], 10));
/// # });
/// ```
pub async fn redeliver<E, H, Fut, T, X>(event: E, handler: H) -> Result<Redelivered, NotOnce>
where
    E: Clone,
    H: FnMut(Delivery<E>) -> Fut,
    Fut: Future<Output = Result<T, X>>,
    X: fmt::Display,
{
    Redeliver::new(event).check(handler).await
}

type Writer<E> = Box<dyn Fn(&mut E, &Stamp) -> Result<(), String> + Send + Sync>;

/// A check that is being made up: an event, and where its deliveries differ.
#[must_use = "nothing is delivered until .check(handler) is awaited"]
pub struct Redeliver<E> {
    event: E,
    writers: Vec<Writer<E>>,
    at_once: u32,
    allows_errors: bool,
}

impl<E: fmt::Debug> fmt::Debug for Redeliver<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redeliver")
            .field("event", &self.event)
            .field("at_once", &self.at_once)
            .finish_non_exhaustive()
    }
}

impl<E: Clone> Redeliver<E> {
    /// Begins a check with an event of any type.
    pub fn new(event: E) -> Self {
        Self { event, writers: Vec::new(), at_once: AT_ONCE, allows_errors: false }
    }

    /// Writes what is new about each delivery into the event.
    ///
    /// ```
    /// use sluice_testkit::{block_on, redeliver::Redeliver};
    ///
    /// let check = Redeliver::new(("m-0".to_owned(), "o-17")).writing(|event, stamp| event.0.clone_from(&stamp.id));
    /// let (mut ids, mut done) = (Vec::new(), false);
    /// let redelivered = check.check(|delivery| {
    ///     ids.push(delivery.event.0);
    ///     if !std::mem::replace(&mut done, true) {
    ///         delivery.effect.landed();
    ///     }
    ///     async { Ok::<(), String>(()) }
    /// });
    /// block_on(redelivered)?;
    /// assert_eq!(ids[0], "00000000-0000-4000-8000-000000000001");
    /// assert_ne!(ids[0], ids[1]);
    /// # Ok::<(), sluice_testkit::redeliver::NotOnce>(())
    /// ```
    pub fn writing(self, write: impl Fn(&mut E, &Stamp) + Send + Sync + 'static) -> Self {
        self.writer(move |event, stamp| {
            write(event, stamp);
            Ok(())
        })
    }

    /// Sets how many deliveries come at once; 1 tests none of that.
    pub fn at_once(mut self, deliveries: u32) -> Self {
        self.at_once = deliveries.max(1);
        self
    }

    /// Lets later deliveries get an error, for handlers that tell a duplicate apart by one.
    ///
    /// Whatever turns it into an answer for the sender has to take it for a success.
    pub fn allow_errors(mut self) -> Self {
        self.allows_errors = true;
        self
    }

    /// Delivers the event to the handler, and judges.
    ///
    /// # Errors
    /// Those of [`redeliver`].
    pub async fn check<H, Fut, T, X>(self, mut handler: H) -> Result<Redelivered, NotOnce>
    where
        H: FnMut(Delivery<E>) -> Fut,
        Fut: Future<Output = Result<T, X>>,
        X: fmt::Display,
    {
        let mut log = Log::default();
        let stamps: Vec<_> = (1..=self.at_once).map(at_once_stamp).collect();
        let mut deliveries = Vec::with_capacity(stamps.len());
        for stamp in &stamps {
            deliveries.push(self.delivery(stamp)?);
        }
        let effects: Vec<Effect> = deliveries.iter().map(|delivery| delivery.effect.clone()).collect();
        let answers = at_once(deliveries.into_iter().map(&mut handler)).await;
        for (effect, answer) in effects.into_iter().zip(answers) {
            log.add(entry(None, effect, answer));
        }
        let first = &stamps[log.first_landed().unwrap_or(0)];
        for alone in Alone::ALL {
            let delivery = self.delivery(&self.alone_stamp(alone, first))?;
            let effect = delivery.effect.clone();
            let answer = handler(delivery).await;
            log.add(entry(Some(alone), effect, answer));
        }
        log.judge(self.allows_errors)
    }

    fn delivery(&self, stamp: &Stamp) -> Result<Delivery<E>, NotOnce> {
        match self.written(stamp) {
            Ok(event) => Ok(Delivery::new(event, stamp.clone())),
            Err(nowhere) => {
                let tally = Tally { nowhere: Some(nowhere), ..Tally::default() };
                Err(NotOnce::new(vec![Cause::Nowhere], tally))
            }
        }
    }

    pub(super) fn written(&self, stamp: &Stamp) -> Result<E, String> {
        let mut event = self.event.clone();
        self.writers.iter().try_for_each(|write| write(&mut event, stamp))?;
        Ok(event)
    }

    pub(super) fn writer(
        mut self,
        writer: impl Fn(&mut E, &Stamp) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.writers.push(Box::new(writer));
        self
    }

    /// How a delivery that comes alone differs from one that landed; what is new was never there before.
    fn alone_stamp(&self, alone: Alone, first: &Stamp) -> Stamp {
        let unseen = Stamp::of(
            self.at_once.saturating_add(1),
            self.minutes_of_all() + LATER,
            self.at_once.saturating_add(1),
        );
        match alone {
            Alone::Same => first.clone(),
            Alone::NewId => Stamp { id: unseen.id, ..first.clone() },
            Alone::NewTime => {
                Stamp { sent_at: unseen.sent_at, sent_at_ms: unseen.sent_at_ms, ..first.clone() }
            }
            Alone::NewAttempt => Stamp { attempt: unseen.attempt, ..first.clone() },
            Alone::AllNew => {
                let next = self.at_once.saturating_add(2);
                Stamp::of(next, self.minutes_of_all() + 2 * LATER, next)
            }
        }
    }

    fn minutes_of_all(&self) -> u64 {
        u64::from(self.at_once) * APART
    }
}

fn at_once_stamp(ordinal: u32) -> Stamp {
    Stamp::of(ordinal, u64::from(ordinal - 1) * APART, ordinal)
}

fn entry<T, X: fmt::Display>(alone: Option<Alone>, effect: Effect, answer: Result<T, X>) -> Entry {
    Entry { alone, effect, error: answer.err().map(|error| error.to_string()) }
}
