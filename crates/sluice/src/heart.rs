//! Who keeps the leases alive, and when a holder stops.

use crate::held::Held;
use crate::run::Either;
use sluice_core::lease::renew_every;
use sluice_core::ports::{Ports, Sleep};
use sluice_core::store::Store;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// Renews every claim of this process in time, on a thread that no effect can starve.
#[derive(Debug)]
pub(crate) struct Heart {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    ports: Ports,
    beats: Mutex<Beats>,
    sooner: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Beats {
    due: BTreeMap<(Duration, u64), Arc<Held>>,
    at: BTreeMap<u64, Duration>,
    numbers: u64,
    runs: bool,
    next: Option<Duration>,
}

impl Beats {
    fn insert(&mut self, number: u64, due: Duration, held: Arc<Held>) {
        self.at.insert(number, due);
        self.due.insert((due, number), held);
    }

    fn take_due(&mut self, now: Duration) -> Vec<(u64, Arc<Held>)> {
        let later = self.due.split_off(&(now + Duration::from_nanos(1), 0));
        let due = std::mem::replace(&mut self.due, later);
        due.into_iter().map(|((_, number), held)| (number, held)).collect()
    }
}

/// Keeps one claim's lease alive until it is dropped.
pub(crate) struct Beating {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Beating {
    fn drop(&mut self) {
        let mut beats = self.shared.beats();
        if let Some(due) = beats.at.remove(&self.number) {
            beats.due.remove(&(due, self.number));
        }
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.shared.sooner.notify_one();
    }
}

impl Heart {
    pub fn new(store: Arc<dyn Store>, ports: Ports) -> Self {
        let shared = Shared { store, ports, beats: Mutex::default(), sooner: Arc::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Renews this claim from now on.
    ///
    /// `None` where nothing could be started that renews it.
    pub fn keep(&self, held: Arc<Held>) -> Option<Beating> {
        let shared = &self.shared;
        let due = shared.ports.clock.elapsed() + renew_every(held.lease);
        let mut beats = shared.beats();
        beats.numbers += 1;
        let number = beats.numbers;
        beats.insert(number, due, held);
        if !beats.runs {
            beats.runs = true;
            beats.next = Some(due);
            let (sleep, sooner) = (shared.ports.sleep.clone(), shared.sooner.clone());
            let task = Box::pin(beat(Arc::downgrade(shared), sleep, sooner));
            beats.runs = shared.ports.spawn.spawn_dedicated("sluice-heart", task);
        } else if beats.next.is_none_or(|next| due < next) {
            beats.next = Some(due);
            shared.sooner.notify_one();
        }
        if !beats.runs {
            beats.at.remove(&number);
            beats.due.remove(&(due, number));
            return None;
        }
        drop(beats);
        Some(Beating { shared: shared.clone(), number })
    }
}

/// Beats for as long as somebody holds the handle. Between two beats it holds neither handle nor store.
async fn beat(shared: Weak<Shared>, sleep: Arc<dyn Sleep>, sooner: Arc<Notify>) {
    loop {
        let pause = match shared.upgrade() {
            Some(shared) => {
                shared.renew_due();
                shared.pause()
            }
            None => return,
        };
        crate::run::race(sleep.sleep(pause), sooner.notified()).await;
    }
}

/// How long to sleep where nothing is held; a new claim wakes the heart before that.
const IDLE: Duration = Duration::from_hours(1);

impl Shared {
    fn beats(&self) -> MutexGuard<'_, Beats> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a renewal of every claim that is due. Each is a task of its own: an answer that is late for one must not
    /// make the others late.
    fn renew_due(self: &Arc<Self>) {
        let due = self.beats().take_due(self.ports.clock.elapsed());
        for (number, held) in due {
            let (shared, held) = (self.clone(), held.clone());
            self.ports.spawn.spawn(Box::pin(async move { shared.renew(number, held).await }));
        }
    }

    /// Renews one claim, and cancels it once its lease is over on this holder's own clock, whatever the ledger does.
    async fn renew(&self, number: u64, held: Arc<Held>) {
        let asked_at = self.ports.clock.elapsed();
        // An effect that ignores that it is to stop must not hold its intent for ever.
        if held.is_exhausted(asked_at) {
            return held.cancel();
        }
        let left = held.may_send(asked_at).unwrap_or_default();
        let answer = self.store.renew(held.id.clone(), held.claim, held.epoch, held.lease);
        let next = match crate::run::race(answer, self.ports.sleep.sleep(left)).await {
            Either::First(Ok(answer)) => {
                held.renewed(asked_at, answer);
                renew_every(held.lease)
            }
            // The ledger is away: ask again soon, but not past the end of the lease.
            Either::First(Err(_)) => {
                let soon = (held.lease / 20).max(Duration::from_millis(50));
                match held.may_send(self.ports.clock.elapsed()) {
                    Some(left) => soon.min(left),
                    None => return held.cancel(),
                }
            }
            Either::Second(()) => return held.cancel(),
        };
        self.again(number, self.ports.clock.elapsed() + next, held);
    }

    fn again(&self, number: u64, due: Duration, held: Arc<Held>) {
        let mut beats = self.beats();
        // A claim that was dropped while its renewal was under way is no longer listed.
        if !held.is_cancelled() && beats.at.contains_key(&number) {
            beats.insert(number, due, held);
            if beats.next.is_none_or(|next| due < next) {
                beats.next = Some(due);
                self.sooner.notify_one();
            }
        }
    }

    fn pause(&self) -> Duration {
        let mut beats = self.beats();
        beats.next = beats.due.keys().next().map(|(due, _)| *due);
        beats.next.map_or(IDLE, |next| next.saturating_sub(self.ports.clock.elapsed()))
    }
}
