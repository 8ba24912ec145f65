//! Moments at which a build for debugging can be told to die, so that a test can say what is known afterwards.
//!
//! In other builds nothing of it is there: [`reach`] is empty, and the variable means nothing.

/// A moment between two steps of `sluice run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The lock is taken, and nothing else is there.
    LockTaken,
    /// The launcher waits for its order, and nothing is claimed.
    LauncherReady,
    /// The claim is durable, and the launcher has no order.
    Claimed,
    /// The launcher has its order, and has not become the command.
    Ordered,
    /// The command ended, and its outcome is not written.
    CommandEnded,
    /// The outcome is written, and nobody has heard it.
    Settled,
    /// The output is out, and the delivery is not counted.
    Answered,
}

impl Moment {
    /// Every moment, in order.
    #[allow(dead_code, reason = "for the test that has the list of them")]
    pub const ALL: [Self; 7] = [
        Self::LockTaken,
        Self::LauncherReady,
        Self::Claimed,
        Self::Ordered,
        Self::CommandEnded,
        Self::Settled,
        Self::Answered,
    ];

    /// What the variable `SLUICE_CRASH_AT` has to say.
    #[allow(dead_code, reason = "only builds for debugging ask")]
    pub fn name(self) -> &'static str {
        match self {
            Self::LockTaken => "lock-taken",
            Self::LauncherReady => "launcher-ready",
            Self::Claimed => "claimed",
            Self::Ordered => "ordered",
            Self::CommandEnded => "command-ended",
            Self::Settled => "settled",
            Self::Answered => "answered",
        }
    }
}

/// Kills this process, as nothing can keep it from being killed, where it was told to die at this moment.
#[cfg(debug_assertions)]
pub fn reach(moment: Moment) {
    if std::env::var_os("SLUICE_CRASH_AT").is_some_and(|named| named == moment.name()) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Goes on.
#[cfg(not(debug_assertions))]
pub fn reach(_: Moment) {}
