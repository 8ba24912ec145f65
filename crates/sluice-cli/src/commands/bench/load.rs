//! Callers that do the same thing again and again for a while, as tasks or as threads.

use super::interrupted;
use super::latency::Latencies;
use crate::report::Fail;
use sluice::core::ports::Clock;
use sluice::system::BootClock;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;

/// When callers stop: after this time or this many calls, or when somebody asks for it.
#[derive(Clone, Debug)]
pub struct Limits {
    pub length: Duration,
    pub calls: u64,
    pub stop: Arc<AtomicBool>,
}

impl Limits {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn check(&self) -> Result<(), Fail> {
        if self.is_stopped() { Err(interrupted()) } else { Ok(()) }
    }
}

/// What callers got done.
#[derive(Debug, Default)]
pub struct Pace {
    pub calls: u64,
    pub took: Duration,
    pub latencies: Latencies,
    /// The part of each call before its effect was called, where there is one.
    pub claims: Latencies,
}

impl Pace {
    pub fn per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no loop makes 2^53 calls")]
        let calls = self.calls as f64;
        calls / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn gather(parts: Vec<Result<Self, Fail>>, took: Duration) -> Result<Self, Fail> {
        let mut all = Self { took, ..Self::default() };
        for part in parts {
            let part = part?;
            all.calls += part.calls;
            all.latencies.merge(&part.latencies);
            all.claims.merge(&part.claims);
        }
        Ok(all)
    }
}

/// One caller: what it has done, and when its current call began.
struct Caller<'l> {
    limits: &'l Limits,
    budget: &'l AtomicU64,
    end: Duration,
    began: Duration,
    pace: Pace,
}

impl<'l> Caller<'l> {
    fn new(limits: &'l Limits, budget: &'l AtomicU64, begun: Duration) -> Self {
        let end = begun.saturating_add(limits.length);
        Self { limits, budget, end, began: BootClock.elapsed(), pace: Pace::default() }
    }

    fn goes_on(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        self.began < self.end
            && !self.limits.is_stopped()
            && self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok()
    }

    /// The end of one call is the beginning of the next, so that the clock is read once for each.
    fn did(&mut self, claim: Option<Duration>) {
        let now = BootClock.elapsed();
        self.pace.latencies.add(now.saturating_sub(self.began));
        if let Some(claim) = claim {
            self.pace.claims.add(claim.saturating_sub(self.began));
        }
        self.pace.calls += 1;
        self.began = now;
    }
}

/// Callers as tasks. A call may answer when its effect was called.
pub fn tasks<Call, Made>(runtime: &Runtime, callers: usize, limits: &Limits, call: Call) -> Result<Pace, Fail>
where
    Call: Fn() -> Made + Clone + Send + 'static,
    Made: Future<Output = Result<Option<Duration>, Fail>> + Send,
{
    let budget = Arc::new(AtomicU64::new(limits.calls));
    let begun = BootClock.elapsed();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let (limits, budget, call) = (limits.clone(), budget.clone(), call.clone());
            runtime.spawn(async move {
                let mut caller = Caller::new(&limits, &budget, begun);
                while caller.goes_on() {
                    let claim = call().await?;
                    caller.did(claim);
                }
                Ok(caller.pace)
            })
        })
        .collect();
    let ended = runtime.block_on(async {
        let mut ended = Vec::with_capacity(tasks.len());
        for task in tasks {
            ended.push(task.await.unwrap_or_else(|_| Err(super::bug("a caller broke down"))));
        }
        ended
    });
    let took = BootClock.elapsed().saturating_sub(begun);
    limits.check()?;
    Pace::gather(ended, took)
}

/// Callers as threads, each with something of its own.
pub fn threads<Own: Send>(
    owns: &mut [Own],
    limits: &Limits,
    call: impl Fn(&mut Own) -> Result<(), Fail> + Sync,
) -> Result<Pace, Fail> {
    let (call, budget) = (&call, &AtomicU64::new(limits.calls));
    let begun = BootClock.elapsed();
    let ended = std::thread::scope(|scope| {
        let threads: Vec<_> = owns
            .iter_mut()
            .map(|own| {
                scope.spawn(move || {
                    let mut caller = Caller::new(limits, budget, begun);
                    while caller.goes_on() {
                        call(own)?;
                        caller.did(None);
                    }
                    Ok(caller.pace)
                })
            })
            .collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|ended| ended.unwrap_or_else(|_| Err(super::bug("a caller broke down")))).collect()
    });
    let took = BootClock.elapsed().saturating_sub(begun);
    limits.check()?;
    Pace::gather(ended, took)
}
