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
    /// Jobs that must not share a transaction, and may take as long as hundreds that do.
    apart: VecDeque<Job>,
    is_turn_of_apart: bool,
    expected: usize,
}

/// What the writer does next.
pub(crate) enum Turn {
    /// All of these in one transaction.
    Together(Vec<Job>),
    /// This in a transaction of its own.
    Apart(Job),
}

impl Queue {
    pub(crate) fn new(asked: Receiver<Job>) -> Self {
        Self { asked, waiting: VecDeque::new(), apart: VecDeque::new(), is_turn_of_apart: false, expected: 1 }
    }

    /// Waits for something to do; `None` once nobody can ask for anything any more and everything is done.
    ///
    /// What waits for a batch goes before what runs apart, and batches and such jobs take turns where there are both: a
    /// renewal of a lease waits for one of them at most, however many are asked for at once.
    pub(crate) fn next_turn(&mut self) -> Option<Turn> {
        self.take_in();
        if self.waiting.is_empty() && self.apart.is_empty() {
            let first = self.first()?;
            self.sort(first);
        }
        if self.waiting.is_empty() || self.is_turn_of_apart {
            self.is_turn_of_apart = false;
            if let Some(job) = self.apart.pop_front() {
                return Some(Turn::Apart(job));
            }
        }
        self.gather();
        self.is_turn_of_apart = true;
        let length = self.waiting.len().min(LARGEST_BATCH);
        Some(Turn::Together(self.waiting.drain(..length).collect()))
    }

    fn take_in(&mut self) {
        while let Ok(job) = self.asked.try_recv() {
            self.sort(job);
        }
    }

    fn sort(&mut self, job: Job) {
        if matches!(job, Job::Transact { .. }) {
            self.apart.push_back(job);
        } else {
            self.waiting.push_back(job);
        }
    }

    /// To be told after a commit and before its answers. Whoever is answered often asks again at once, and so does
    /// not miss the next commit together with those that asked meanwhile.
    pub(crate) fn served(&mut self, jobs: usize) {
        self.take_in();
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
            self.take_in();
            if self.waiting.len() >= self.expected || !self.apart.is_empty() {
                return;
            }
            yield_now();
        }
    }
}
