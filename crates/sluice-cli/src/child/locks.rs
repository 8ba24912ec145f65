//! A lock file per claim: whoever holds the lock proves that something of the holder still runs (RULINGS 8).

use super::processes;
use sluice::core::holder::{GoneBecause, Holder, Liveness, judge_by_boot};
use sluice::core::ids::ClaimId;
use sluice::system::this_process;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A lock file that is younger may belong to a claim that is just being asked for.
const YOUNG: Duration = Duration::from_mins(1);

/// The folder of one ledger's lock files.
#[derive(Clone, Debug)]
pub struct Locks {
    folder: PathBuf,
}

/// A lock that this process holds.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Locks {
    /// The folder beside the ledger's file.
    pub fn beside(ledger: &Path) -> Self {
        let mut folder = ledger.as_os_str().to_owned();
        folder.push(".locks");
        Self { folder: folder.into() }
    }

    /// Makes and takes the lock of a claim that is about to be asked for.
    pub fn take(&self, claim: ClaimId) -> std::io::Result<Lock> {
        match std::fs::DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let path = self.folder.join(claim.to_string());
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        file.try_lock().map_err(std::io::Error::from)?;
        Ok(Lock { file, path })
    }

    /// The lock file of a holder, if the one that is there is the holder's own: another one, in a folder that was put in
    /// its place, proves nothing.
    fn own_file(&self, lock: &str) -> Option<File> {
        let (name, inode) = lock.split_once('@')?;
        ClaimId::parse(name)?;
        let file = File::open(self.folder.join(name)).ok()?;
        (file.metadata().ok()?.ino().to_string() == inode).then_some(file)
    }

    /// Judges a holder. *Gone* needs the lock free and the process group empty; a lock file that is not there
    /// proves nothing.
    pub fn judge(&self, holder: &Holder) -> Liveness {
        let here = this_process();
        let by_boot = judge_by_boot(holder, &here.machine, &here.boot);
        let (Liveness::Unknown, Some(lock)) = (by_boot, &holder.lock) else {
            return by_boot;
        };
        if holder.machine != here.machine {
            return Liveness::Unknown;
        }
        let Some(file) = self.own_file(lock) else {
            return Liveness::Unknown;
        };
        // Shared, so that many who look at once do not take each other for the holder.
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Liveness::Alive(None),
            Err(TryLockError::Error(_)) => return Liveness::Unknown,
        }
        match holder.process_group {
            Some(group) if processes::group_is_empty(group) => Liveness::Gone(GoneBecause::LockFree),
            // Something that gave the lock back, or a stranger whose process group got the same number: not provably
            // gone, and not provably alive.
            Some(_) | None => Liveness::Unknown,
        }
    }

    /// Who still runs it, where a holder was judged to live.
    pub fn who_lives(&self, judged: Liveness, holder: &Holder) -> Option<u32> {
        matches!(judged, Liveness::Alive(_)).then(|| self.who(holder)).flatten()
    }

    /// The same, where nobody has judged it yet.
    pub fn seen_alive(&self, holder: &Holder) -> Option<u32> {
        self.who_lives(self.judge(holder), holder)
    }

    /// A process that still runs the effect of that holder, if one can be found.
    pub fn who(&self, holder: &Holder) -> Option<u32> {
        let lock = holder.lock.as_deref().filter(|lock| self.own_file(lock).is_some());
        let name = lock.and_then(|lock| lock.split_once('@')).map(|(name, _)| name);
        let by_lock = name.and_then(|name| processes::with_open(&self.folder.join(name)));
        by_lock.or_else(|| holder.process_group.and_then(processes::member_of))
    }

    /// The lock files that nobody holds, named as claims name them. One that is younger than a minute may belong to a
    /// claim that is just being asked for.
    pub fn idle(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut idle: Vec<_> = names.filter_map(|name| self.idle_name(&name)).collect();
        idle.sort();
        idle
    }

    fn idle_name(&self, name: &str) -> Option<String> {
        ClaimId::parse(name)?;
        let file = File::open(self.folder.join(name)).ok()?;
        let found = file.metadata().ok()?;
        let is_old = found.modified().ok()?.elapsed().ok()? > YOUNG;
        (is_old && file.try_lock_shared().is_ok()).then(|| format!("{name}@{}", found.ino()))
    }

    /// Removes a lock file that is still idle; false where it could not be.
    pub fn remove_idle(&self, lock: &str) -> bool {
        let Some(file) = self.own_file(lock) else { return false };
        let path = lock.split_once('@').map(|(name, _)| self.folder.join(name));
        file.try_lock().is_ok() && path.is_some_and(|path| std::fs::remove_file(path).is_ok())
    }

    /// How many lock files there are.
    pub fn count(&self) -> usize {
        std::fs::read_dir(&self.folder).map_or(0, Iterator::count)
    }

    /// Removes the lock file of a claim that nobody will ask about again.
    pub fn forget(&self, holder: &Holder) {
        let lock = holder.lock.as_deref().filter(|lock| self.own_file(lock).is_some());
        if let Some((name, _)) = lock.and_then(|lock| lock.split_once('@')) {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}

impl Lock {
    /// The open file, for a child to inherit.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The lock as the claim names it: the file's name and its inode.
    pub fn name(&self) -> std::io::Result<String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(format!("{name}@{}", self.file.metadata()?.ino()))
    }

    /// Gives the lock back for everybody who inherited it, and removes its file: the end is known (RULINGS 9).
    pub fn release(self) {
        let _ = self.file.unlock();
        let _ = std::fs::remove_file(&self.path);
    }
}
