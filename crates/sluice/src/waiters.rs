//! How a duplicate gets its answer: woken inside the process, by looking with jitter across processes.

use sluice_core::ids::RecordId;
use sluice_core::ports::Ports;
use sluice_core::record::Snapshot;
use sluice_core::store::Store;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// First pause between two looks.
const LOOK_FIRST: Duration = Duration::from_millis(10);
/// Longest pause between two looks.
const LOOK_LONGEST: Duration = Duration::from_millis(400);

type Look = Option<Snapshot>;

/// One look at the ledger serves every waiter of this process.
#[derive(Clone, Debug)]
pub(crate) struct Waiters {
    topics: Arc<Topics>,
    store: Arc<dyn Store>,
    ports: Ports,
}

#[derive(Debug, Default)]
struct Topics {
    map: Mutex<BTreeMap<RecordId, watch::Sender<Look>>>,
    count: AtomicUsize,
}

impl Topics {
    fn map(&self) -> MutexGuard<'_, BTreeMap<RecordId, watch::Sender<Look>>> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes its topic away when it ends, however it ends, so that nobody waits for a looker that is gone.
struct Looker {
    topics: Arc<Topics>,
    id: RecordId,
}

impl Drop for Looker {
    fn drop(&mut self) {
        let mut map = self.topics.map();
        map.remove(&self.id);
        self.topics.count.store(map.len(), Ordering::SeqCst);
    }
}

impl Waiters {
    pub fn new(store: Arc<dyn Store>, ports: Ports) -> Self {
        Self { topics: Arc::default(), store, ports }
    }

    /// Follows one record. The receiver's first value is `seen`; each later one is a newer look.
    pub fn follow(&self, id: &RecordId, seen: &Snapshot) -> watch::Receiver<Look> {
        let mut map = self.topics.map();
        if let Some(topic) = map.get(id) {
            // What was published between the caller's own look and now must not be missed.
            let mut receiver = topic.subscribe();
            receiver.mark_changed();
            return receiver;
        }
        let (sender, receiver) = watch::channel(Some(seen.clone()));
        map.insert(id.clone(), sender);
        self.topics.count.store(map.len(), Ordering::SeqCst);
        drop(map);
        let (waiters, id) = (self.clone(), id.clone());
        let looker = Looker { topics: self.topics.clone(), id };
        self.ports.spawn.spawn(Box::pin(async move { waiters.look(looker).await }));
        receiver
    }

    /// Tells every waiter of this process what a holder of this process has just written.
    pub fn publish(&self, snapshot: &Snapshot) {
        if self.topics.count.load(Ordering::SeqCst) == 0 {
            return;
        }
        if let Some(topic) = self.topics.map().get(&snapshot.record.id) {
            topic.send_replace(Some(snapshot.clone()));
        }
    }

    /// How long to wait before looking without a looker, where its runtime has ended.
    pub fn pause(&self) -> Duration {
        LOOK_LONGEST.mul_f64(0.5 + self.ports.chance.sample())
    }

    async fn look(&self, looker: Looker) {
        let id = &looker.id;
        let mut pause = LOOK_FIRST;
        loop {
            let jitter = 0.5 + self.ports.chance.sample();
            self.ports.sleep.sleep(pause.mul_f64(jitter)).await;
            pause = pause.mul_f64(1.6).min(LOOK_LONGEST);
            if self.is_deserted(id) {
                return;
            }
            // A ledger that does not answer now may answer at the next look; the waiters' deadlines bound it.
            if let Ok(look) = self.store.read(id).await
                && let Some(topic) = self.topics.map().get(id)
            {
                topic.send_replace(look);
            }
        }
    }

    fn is_deserted(&self, id: &RecordId) -> bool {
        let mut map = self.topics.map();
        let deserted = map.get(id).is_none_or(|topic| topic.receiver_count() == 0);
        if deserted {
            map.remove(id);
            self.topics.count.store(map.len(), Ordering::SeqCst);
        }
        deserted
    }
}
