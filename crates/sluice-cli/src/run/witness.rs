//! Proof of life for commands: a lock and a process group, readied before the claim.

use crate::child::locks::{Lock, Locks};
use crate::child::prepared::Prepared;
use crate::crash::{Moment, reach};
use crate::input::reason;
use sluice::core::holder::{Holder, Liveness};
use sluice::core::ids::ClaimId;
use sluice::core::ports::Witness;
use sluice::system::this_process;
use sluice::{Code, Error};
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

/// Judges holders, and holds nothing.
#[derive(Debug)]
pub struct LockJudge(Locks);

impl LockJudge {
    pub fn new(locks: Locks) -> Self {
        Self(locks)
    }
}

impl Witness for LockJudge {
    fn describe(&self, _claim: ClaimId) -> Result<Holder, Error> {
        Ok(this_process())
    }

    fn judge(&self, holder: &Holder) -> Liveness {
        self.0.judge(holder)
    }
}

/// Readies the lock and the launcher of the command for a claim that is about to be asked for.
#[derive(Debug)]
pub struct CommandWitness {
    locks: Locks,
    command: Vec<OsString>,
    record: bool,
    ready: Mutex<Option<Ready>>,
}

/// A command that may start as soon as its claim is granted.
#[derive(Debug)]
pub struct Ready {
    pub lock: Lock,
    pub prepared: Prepared,
}

impl CommandWitness {
    pub fn new(locks: Locks, command: Vec<OsString>, record: bool) -> Self {
        Self { locks, command, record, ready: Mutex::new(None) }
    }

    /// What was readied, once.
    pub fn take(&self) -> Option<Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Readies the command for another attempt under the same claim, in the group of the one that is about to run, so that
    /// the group that the record names is never empty between two attempts.
    pub fn another(&self, lock: &Lock, group: Option<u32>) -> std::io::Result<Prepared> {
        Prepared::new(&self.command, lock.file(), self.record, group)
    }

    /// Puts away what was readied for a claim that was not granted. Where the ledger never said so, the lock file stays:
    /// with its lock free it proves that nothing runs.
    pub fn put_away(&self, unheard: bool) {
        if let Some(ready) = self.take() {
            ready.prepared.abandon();
            if !unheard {
                ready.lock.release();
            }
        }
    }
}

impl Witness for CommandWitness {
    fn describe(&self, claim: ClaimId) -> Result<Holder, Error> {
        let failed = |what: &str, error: &std::io::Error| {
            Error::new(Code::Store, format!("{what}: {}; nothing was run", reason(error)))
        };
        let lock = self
            .locks
            .take(claim)
            .map_err(|error| failed("the lock beside the ledger cannot be made", &error))?;
        reach(Moment::LockTaken);
        let name =
            lock.name().map_err(|error| failed("the lock beside the ledger cannot be looked at", &error))?;
        let prepared = Prepared::new(&self.command, lock.file(), self.record, None)
            .map_err(|error| failed("the command cannot be readied", &error))?;
        reach(Moment::LauncherReady);
        let holder = Holder { process_group: Some(prepared.group()), lock: Some(name), ..this_process() };
        *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(Ready { lock, prepared });
        Ok(holder)
    }

    fn judge(&self, holder: &Holder) -> Liveness {
        self.locks.judge(holder)
    }
}
