//! Which jobs go into the next commit.

use crate::job::Job;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread::yield_now;

/// Bounds how long the first job of a batch waits for the last one's work.
const LARGEST_BATCH: usize = 256;

/// About 100 microseconds on a thread of its own; a little longer where others want to run.
const LOOKS: usize = 200;

/// What was asked for and is not done.
pub(crate) struct Queue {
    asked: Receiver<Job>,
    waiting: VecDeque<Job>,
    expected: usize,
}

impl Queue {
    pub(crate) fn new(asked: Receiver<Job>) -> Self {
        Self { asked, waiting: VecDeque::new(), expected: 1 }
    }

    /// Waits for the next batch; `None` once nobody can ask for anything any more and everything is done.
    pub(crate) fn next_batch(&mut self) -> Option<Vec<Job>> {
        if self.waiting.is_empty() {
            let first = self.first()?;
            self.waiting.push_back(first);
        }
        self.gather();
        let length = self.waiting.len().min(LARGEST_BATCH);
        Some(self.waiting.drain(..length).collect())
    }

    /// To be told after a commit and before its answers. Whoever is answered often asks again at once, and so does
    /// not miss the next commit together with those that asked meanwhile.
    pub(crate) fn served(&mut self, jobs: usize) {
        self.waiting.extend(self.asked.try_iter());
        self.expected = (jobs + self.waiting.len()).min(LARGEST_BATCH);
    }

    /// For a short while only lets others run: waking a thread that sleeps can take as long as a commit.
    fn first(&self) -> Option<Job> {
        for _ in 0..LOOKS {
            match self.asked.try_recv() {
                Err(TryRecvError::Empty) => yield_now(),
                result => return result.ok(),
            }
        }
        self.asked.recv().ok()
    }

    /// Two halves of the callers that take turns would need twice as many commits, so both are gathered; a single
    /// caller is never kept waiting.
    fn gather(&mut self) {
        for _ in 0..LOOKS {
            self.waiting.extend(self.asked.try_iter());
            if self.waiting.len() >= self.expected {
                return;
            }
            yield_now();
        }
    }
}
