//! What the command says is passed on by a thread of its own, at our reader's pace.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// How much may wait to be passed on while the command runs, in bytes; then the command waits, as it would on a pipe.
const AHEAD: usize = 4 * 1024 * 1024;

/// A queue of chunks between the thread that reads and the thread that passes on.
#[derive(Debug, Default)]
pub struct Echo {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    holds_up: bool,
    closed: bool,
    broken: bool,
}

impl Echo {
    /// Begins to pass on. The receiver hears when everything is passed on, or nobody reads it any more.
    pub fn start(to: Box<dyn Write + Send>) -> std::io::Result<(Arc<Self>, oneshot::Receiver<()>)> {
        let echo = Arc::new(Self::default());
        echo.state().holds_up = true;
        let (done, passed_on) = oneshot::channel();
        let shared = echo.clone();
        std::thread::Builder::new().name("sluice-echo".to_owned()).spawn(move || {
            shared.pass_on(to);
            let _ = done.send(());
        })?;
        Ok((echo, passed_on))
    }

    /// Adds a chunk; waits for room while the command runs.
    pub fn push(&self, chunk: Vec<u8>) {
        let mut state = self.state();
        while state.bytes > AHEAD && state.holds_up && !state.broken {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.broken {
            state.bytes += chunk.len();
            state.waiting.push_back(chunk);
        }
        self.changed.notify_all();
    }

    /// Lets everything in from now on: what is left is no more than the kernel holds.
    pub fn stop_holding_up(&self) {
        self.state().holds_up = false;
        self.changed.notify_all();
    }

    /// Says that nothing more comes.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// When our reader is gone only the passing on stops, never the command.
    fn pass_on(&self, mut to: Box<dyn Write + Send>) {
        while let Some(chunk) = self.next() {
            if to.write_all(&chunk).and_then(|()| to.flush()).is_err() {
                let mut state = self.state();
                state.broken = true;
                state.waiting.clear();
                self.changed.notify_all();
                return;
            }
            self.state().bytes -= chunk.len();
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        loop {
            if let Some(chunk) = state.waiting.pop_front() {
                return Some(chunk);
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
