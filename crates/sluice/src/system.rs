//! The only place that touches the system's clock, entropy and tasks.

use rustix::time::{ClockId, clock_gettime};
use sluice_core::Error;
use sluice_core::holder::{Holder, Liveness, judge_by_boot};
use sluice_core::ids::ClaimId;
use sluice_core::ports::{BoxFuture, Chance, Clock, Evidence, Ports, Sleep, Spawn, Unrecorded, Witness};
use sluice_core::record::LedgerTime;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The real world: the kernel's boot-time clock, its entropy, and tasks on the caller's tokio runtime.
pub fn ports() -> Ports {
    Ports {
        clock: Arc::new(BootClock),
        chance: Arc::new(Entropy),
        spawn: Arc::new(TokioTasks),
        sleep: Arc::new(TokioSleep),
        witness: Arc::new(ProcessWitness),
        evidence: Arc::new(Unkept),
    }
}

/// The kernel's clock that never steps and runs while the host is suspended.
#[derive(Debug)]
pub struct BootClock;

impl Clock for BootClock {
    fn elapsed(&self) -> Duration {
        let now = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or_default())
    }

    fn wall(&self) -> LedgerTime {
        let now = clock_gettime(ClockId::Realtime);
        LedgerTime(now.tv_sec.saturating_mul(1000).saturating_add(now.tv_nsec / 1_000_000))
    }
}

/// The kernel's entropy.
#[derive(Debug)]
pub struct Entropy;

impl Chance for Entropy {
    fn bits(&self) -> [u8; 16] {
        let mut bits = [0; 16];
        let mut filled = 0;
        while filled < bits.len() {
            // The call blocks until the pool is ready and can then only be interrupted, so it is asked again.
            filled += rustix::rand::getrandom(&mut bits[filled..], rustix::rand::GetRandomFlags::empty())
                .unwrap_or_default();
        }
        bits
    }
}

/// Tasks on the tokio runtime that the caller runs in.
#[derive(Debug)]
pub struct TokioTasks;

impl Spawn for TokioTasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> bool {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return false;
        };
        drop(runtime.spawn(task));
        true
    }

    fn spawn_dedicated(&self, name: &str, task: BoxFuture<'static, ()>) -> bool {
        // The runtime is made on the thread that uses it: one that is dropped inside of another breaks both down.
        let (ready, is_ready) = std::sync::mpsc::channel();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            let _ = ready.send(runtime.is_ok());
            if let Ok(runtime) = runtime {
                runtime.block_on(task);
            }
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(work).is_ok()
            && is_ready.recv().unwrap_or(false)
    }
}

/// Waiting on tokio's timer.
#[derive(Debug)]
pub struct TokioSleep;

impl Sleep for TokioSleep {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// This process, told apart from others by machine, boot, pid and start time.
#[derive(Debug)]
pub struct ProcessWitness;

static HERE: LazyLock<Holder> = LazyLock::new(|| Holder {
    machine: machine(),
    boot: first_line("/proc/sys/kernel/random/boot_id"),
    pid: std::process::id(),
    pid_start: start_time(std::process::id()),
    process_group: None,
    lock: None,
});

impl Witness for ProcessWitness {
    fn describe(&self, _claim: ClaimId) -> Result<Holder, Error> {
        Ok(this_process())
    }

    fn judge(&self, holder: &Holder) -> Liveness {
        judge_by_boot(holder, &HERE.machine, &HERE.boot)
    }
}

/// This process as a holder.
pub fn this_process() -> Holder {
    HERE.clone()
}

/// The host, as far as process ids mean the same: a container with process ids of its own is another one.
fn machine() -> String {
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let id = first_line("/etc/machine-id");
    if id.is_empty() { id } else { format!("{id} {}", namespace.to_string_lossy()) }
}

fn first_line(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// When a process started, in the kernel's ticks since boot: field 22 of its `stat` file.
pub fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name that may itself contain spaces and brackets, so the count starts after it.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Keeps no unrecorded outcome: a library's caller gets it in the error.
#[derive(Debug)]
pub struct Unkept;

impl Evidence for Unkept {
    fn keep(&self, _unrecorded: Unrecorded) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(false))
    }
}
