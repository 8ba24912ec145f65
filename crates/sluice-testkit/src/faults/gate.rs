//! Where calls wait until a test lets them go.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Holds the calls that come to it until it is opened; then it stays open.
///
/// Handles are cheap to clone and are the same gate. Waiting needs no runtime and no clock.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    arrived: usize,
    waiting: Vec<Waker>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets every call go that waits here, and all that come later.
    pub fn open(&self) {
        let mut state = self.state();
        state.open = true;
        state.wake();
    }

    /// Is ready once so many calls have come, whether or not they still wait.
    pub async fn arrived(&self, calls: usize) {
        self.wait_until(|state| state.arrived >= calls).await;
    }

    pub(super) async fn pass(&self) {
        {
            let mut state = self.state();
            state.arrived += 1;
            state.wake();
        }
        self.wait_until(|state| state.open).await;
    }

    async fn wait_until(&self, holds: impl Fn(&State) -> bool) {
        poll_fn(|context| {
            let mut state = self.state();
            if holds(&state) {
                return Poll::Ready(());
            }
            state.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }
}
