//! Who holds a claim, and whether it is provably gone.

use serde::{Deserialize, Serialize};

/// A process that was granted a claim, described so that others on its host can tell whether it lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// The host, by its machine id (not its name, which two hosts can share).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// Which start of that host.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// The process that asked.
    pub pid: u32,
    /// When that process started, in the kernel's ticks since boot: a pid alone is reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_start: Option<u64>,
    /// The process group that the effect runs in, where the holder made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_group: Option<u32>,
    /// Name of the lock file whose lock proves that something of this holder still runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
}

/// What is known of a holder at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// Nothing of it can act any more.
    Gone(GoneBecause),
    /// Something of it still runs; the pid where it could be found.
    Alive(Option<u32>),
    /// Neither is provable from here.
    Unknown,
}

/// The proof that a holder is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoneBecause {
    /// Its lock on this host is free and its process group is empty.
    LockFree,
    /// Its host has been started anew since.
    Rebooted,
}

impl Liveness {
    /// Whether the holder is provably gone.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::Gone(_))
    }
}

/// Judges a holder by its host alone: another boot of the same machine means gone, everything else is unknown.
///
/// ```
/// use sluice_core::holder::{GoneBecause, Holder, Liveness, judge_by_boot};
/// let holder = Holder { machine: "m".into(), boot: "b1".into(), ..Holder::default() };
/// assert_eq!(judge_by_boot(&holder, "m", "b2"), Liveness::Gone(GoneBecause::Rebooted));
/// assert_eq!(judge_by_boot(&holder, "m", "b1"), Liveness::Unknown);
/// assert_eq!(judge_by_boot(&holder, "other", "b2"), Liveness::Unknown);
/// ```
pub fn judge_by_boot(holder: &Holder, machine: &str, boot: &str) -> Liveness {
    let known = !holder.machine.is_empty() && !holder.boot.is_empty() && !boot.is_empty();
    if known && holder.machine == machine && holder.boot != boot {
        Liveness::Gone(GoneBecause::Rebooted)
    } else {
        Liveness::Unknown
    }
}
