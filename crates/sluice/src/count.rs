//! Counts work that goes on, and waits for its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// How much of one kind of work goes on.
#[derive(Debug, Default)]
pub(crate) struct Count {
    going_on: AtomicUsize,
    ended: Notify,
}

/// One piece of work, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Counted(Arc<Count>);

impl Count {
    pub fn begin(self: &Arc<Self>) -> Counted {
        self.going_on.fetch_add(1, Ordering::SeqCst);
        Counted(self.clone())
    }

    pub fn now(&self) -> usize {
        self.going_on.load(Ordering::SeqCst)
    }

    /// Is ready once nothing goes on.
    pub async fn none(&self) {
        loop {
            let ended = self.ended.notified();
            if self.now() == 0 {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.going_on.fetch_sub(1, Ordering::SeqCst);
        self.0.ended.notify_waiters();
    }
}
