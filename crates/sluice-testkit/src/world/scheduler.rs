//! One thread, many tasks, and a time that passes only when nothing is left to do.
//!
//! Which of the ready tasks goes on is drawn with the seed, so that every order comes up in some world, and always the
//! same one in the same world.

use super::dice::Dice;
use super::lock;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// Whose task it is: a process that can be killed or stopped, or the world itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(pub u32);

impl Owner {
    /// Network, target, operators: nobody kills them.
    pub const WORLD: Self = Self(0);
}

/// More than any world needs that comes to rest.
const MOST_STEPS: u64 = 200_000;

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs tasks in virtual time. Clones are the same scheduler.
#[derive(Clone)]
pub struct Scheduler(Arc<Shared>);

struct Shared {
    ready: Arc<Mutex<Vec<u64>>>,
    state: Mutex<State>,
}

struct State {
    now: Duration,
    tasks: BTreeMap<u64, Task>,
    timers: BinaryHeap<Reverse<(Duration, u64, Alarm)>>,
    numbers: u64,
    stopped: BTreeSet<Owner>,
    // What a killed process was about to do. A kill runs no destructor, so nothing of it is dropped before the world ends.
    graves: Vec<Work>,
    dice: Dice,
    steps: u64,
}

struct Task {
    owner: Owner,
    work: Option<Work>,
    call: Arc<Call>,
}

struct Call {
    id: u64,
    is_queued: AtomicBool,
    ready: Arc<Mutex<Vec<u64>>>,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            lock(&self.ready).push(self.id);
        }
    }
}

/// Ordered by nothing of its own: time and number decide.
struct Alarm(Waker);

impl PartialEq for Alarm {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Alarm {}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alarm {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl std::fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduler").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl Scheduler {
    /// A world in which nothing has happened.
    pub fn new(dice: Dice) -> Self {
        let state = State {
            now: Duration::from_secs(1_000),
            tasks: BTreeMap::new(),
            timers: BinaryHeap::new(),
            numbers: 0,
            stopped: BTreeSet::new(),
            graves: Vec::new(),
            dice,
            steps: 0,
        };
        Self(Arc::new(Shared { ready: Arc::default(), state: Mutex::new(state) }))
    }

    /// Virtual time since any fixed moment.
    pub fn now(&self) -> Duration {
        lock(&self.0.state).now
    }

    /// Whether so much was done that something goes round and round. Then nothing goes on any more.
    pub fn is_restless(&self) -> bool {
        lock(&self.0.state).steps >= MOST_STEPS
    }

    /// Starts a task.
    pub fn spawn(&self, owner: Owner, work: impl Future<Output = ()> + Send + 'static) {
        let mut state = lock(&self.0.state);
        state.numbers += 1;
        let id = state.numbers;
        let call = Arc::new(Call { id, is_queued: AtomicBool::new(true), ready: self.0.ready.clone() });
        state.tasks.insert(id, Task { owner, work: Some(Box::pin(work)), call });
        lock(&self.0.ready).push(id);
    }

    /// Ends every task of a process at once, in the middle of whatever it does.
    pub fn kill(&self, owner: Owner) {
        let mut state = lock(&self.0.state);
        let ids: Vec<_> =
            state.tasks.iter().filter(|(_, task)| task.owner == owner).map(|(id, _)| *id).collect();
        for id in ids {
            let work = state.tasks.remove(&id).and_then(|task| task.work);
            state.graves.extend(work);
        }
        state.stopped.remove(&owner);
    }

    /// Stops a process: time passes for it, but nothing of it goes on.
    pub fn stop(&self, owner: Owner) {
        lock(&self.0.state).stopped.insert(owner);
    }

    /// Lets a stopped process go on.
    pub fn go_on(&self, owner: Owner) {
        lock(&self.0.state).stopped.remove(&owner);
    }

    /// Lets go of everything. What is ended so does nothing any more.
    pub fn end(&self) {
        let mut state = lock(&self.0.state);
        let (tasks, graves) = (std::mem::take(&mut state.tasks), std::mem::take(&mut state.graves));
        let timers = std::mem::take(&mut state.timers);
        drop(state);
        drop((tasks, graves, timers));
    }

    /// Is ready when that much time has passed.
    pub fn sleep(&self, duration: Duration) -> Nap {
        Nap { scheduler: self.clone(), until: self.now().saturating_add(duration), is_set: false }
    }

    /// Lets everything go on until this moment.
    pub fn run_until(&self, end: Duration) {
        while self.step(end) {}
        let mut state = lock(&self.0.state);
        state.now = state.now.max(end);
    }

    /// Lets one task go on, or time pass; false where there is nothing to do before the end.
    fn step(&self, end: Duration) -> bool {
        if self.is_restless() {
            return false;
        }
        let Some((id, mut work, call)) = self.take_ready() else { return self.pass(end) };
        call.is_queued.store(false, Ordering::Relaxed);
        let waker = Waker::from(call);
        let polled = work.as_mut().poll(&mut Context::from_waker(&waker));
        let mut state = lock(&self.0.state);
        match (polled, state.tasks.get_mut(&id)) {
            (Poll::Pending, Some(task)) => task.work = Some(work),
            (Poll::Ready(()), _) => {
                state.tasks.remove(&id);
                drop(state);
                drop(work);
            }
            // It was killed by its own doing.
            (Poll::Pending, None) => state.graves.push(work),
        }
        true
    }

    fn take_ready(&self) -> Option<(u64, Work, Arc<Call>)> {
        let mut state = lock(&self.0.state);
        let mut ready = lock(&self.0.ready);
        ready.retain(|id| state.tasks.contains_key(id));
        // Some primitives wake their waiters in an order that they draw themselves; it must not show.
        ready.sort_unstable();
        let able: Vec<usize> = (0..ready.len())
            .filter(|at| {
                state.tasks.get(&ready[*at]).is_some_and(|task| !state.stopped.contains(&task.owner))
            })
            .collect();
        if able.is_empty() {
            return None;
        }
        let at = *state.dice.pick(&able);
        let id = ready.remove(at);
        state.steps += 1;
        let task = state.tasks.get_mut(&id)?;
        Some((id, task.work.take()?, task.call.clone()))
    }

    fn pass(&self, end: Duration) -> bool {
        let mut state = lock(&self.0.state);
        let Some(Reverse((at, _, _))) = state.timers.peek() else { return false };
        let at = *at;
        if at > end {
            return false;
        }
        state.now = state.now.max(at);
        let mut woken = Vec::new();
        while state.timers.peek().is_some_and(|Reverse((due, _, _))| *due <= at) {
            woken.extend(state.timers.pop());
        }
        drop(state);
        for Reverse((_, _, Alarm(waker))) in woken {
            waker.wake();
        }
        true
    }
}

/// A sleep.
pub struct Nap {
    scheduler: Scheduler,
    until: Duration,
    is_set: bool,
}

impl Future for Nap {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.scheduler.0.state);
        if state.now >= self.until {
            return Poll::Ready(());
        }
        if !self.is_set {
            state.numbers += 1;
            let alarm = (self.until, state.numbers, Alarm(cx.waker().clone()));
            state.timers.push(Reverse(alarm));
            drop(state);
            self.is_set = true;
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_nothing_is_left_to_do_and_a_killed_process_does_no_more() {
        let scheduler = Scheduler::new(Dice::new(1));
        let log = Arc::new(Mutex::new(Vec::new()));
        let say = |owner: u32, after: u64| {
            let (scheduler, log) = (scheduler.clone(), log.clone());
            let begun = scheduler.now();
            scheduler.clone().spawn(Owner(owner), async move {
                scheduler.sleep(Duration::from_secs(after)).await;
                lock(&log).push((owner, scheduler.now().saturating_sub(begun).as_secs()));
            });
        };
        say(1, 3);
        say(2, 2);
        say(2, 9);
        say(3, 5);
        scheduler.run_until(scheduler.now() + Duration::from_secs(4));
        scheduler.kill(Owner(2));
        scheduler.stop(Owner(3));
        scheduler.run_until(scheduler.now() + Duration::from_secs(16));
        scheduler.go_on(Owner(3));
        scheduler.run_until(scheduler.now());
        assert_eq!(*lock(&log), [(2, 2), (1, 3), (3, 20)]);
    }
}
