//! The file and its folder, before and while SQLite has it open.
//!
//! The file itself is never opened here: closing any descriptor of it would drop the locks that SQLite holds for
//! this process, and another process could then delete a log that is in use.

use crate::filesystem::{Verdict, judge};
use rustix::fs::{Access, CWD, FileType, Mode, access, mknodat};
use rustix::io::Errno;
use sluice_core::store::{StoreError, StoreErrorKind as Kind};
use std::fs::{File, metadata};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const SMALLEST_PAGE: u64 = 512;

/// A place that can hold a ledger.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) warnings: Vec<String>,
}

impl Place {
    /// Looks at a place, and makes the file there where it may; never its folder.
    pub(crate) fn prepare(path: PathBuf, create: bool) -> Result<Self, StoreError> {
        let path = real(path);
        let folder = path.parent().unwrap_or(&path).to_owned();
        look_at_folder(&folder)?;
        let mut warnings = look_at_filesystem(&folder)?;
        // The log first: another process writes it after the file and removes it before letting go of the file.
        let has_log = has_log(&path);
        let file = look_at_file(&path)?;
        check_whole(&path, file, has_log)?;
        match (file, create) {
            (Found::Nothing, false) => return Err(missing(&path)),
            (Found::Nothing, true) => make(&path, &folder)?,
            (Found::File { .. }, _) => {}
        }
        check_one_name(&path)?;
        warnings.extend(look_at_mode(&path));
        check_access(&path, Access::READ_OK | Access::WRITE_OK, "the ledger")?;
        check_access(&folder, Access::WRITE_OK | Access::EXEC_OK, "the folder of the ledger")?;
        Ok(Self { path, warnings })
    }
}

/// The path without symbolic links: the log, the locks and everything else beside a ledger are found by its name, so
/// that two names of one file must not lead to two places.
fn real(path: PathBuf) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(&path) {
        return real;
    }
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// A second name of the same file, by a hard link or a mount of the file alone, would have a log of its own: both would
/// take every lock, and neither would see what the other writes.
fn check_one_name(path: &Path) -> Result<(), StoreError> {
    let mounted = std::fs::read("/proc/self/mountinfo").is_ok_and(|mounts| is_mount_point(&mounts, path));
    let linked = metadata(path).is_ok_and(|found| found.nlink() > 1);
    let why = match (linked, mounted) {
        (true, _) => "has more than one name (a hard link)",
        (_, true) => "is mounted by itself; mount its folder instead",
        _ => return Ok(()),
    };
    let sentence = format!("{} {why}: two logs for one ledger would run effects twice", path.display());
    Err(StoreError::new(Kind::Unsuitable, sentence))
}

/// Whether a path is named as a mount point in the kernel's list, where blanks and the like are written in octal.
fn is_mount_point(mounts: &[u8], path: &Path) -> bool {
    let wanted = path.as_os_str().as_bytes();
    mounts.split(|byte| *byte == b'\n').any(|line| {
        let field = line.split(|byte| *byte == b' ').nth(4).unwrap_or_default();
        unescaped(field) == wanted
    })
}

pub(crate) fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(|_| *first == b'\\');
        plain.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    plain
}

fn look_at_mode(path: &Path) -> Option<String> {
    let open = metadata(path).is_ok_and(|found| found.mode() & 0o077 != 0);
    let sentence = "others may read or write this ledger, which holds secrets and results: chmod 600";
    open.then(|| format!("{sentence} {}", path.display()))
}

/// Which file stands at a path; another one there later means that the first was moved or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let found = metadata(path).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}

/// The error for an empty file or none.
pub(crate) fn missing(path: &Path) -> StoreError {
    StoreError::new(Kind::Missing, format!("there is no ledger at {}", path.display()))
}

#[derive(Clone, Copy)]
enum Found {
    Nothing,
    File { length: u64 },
}

impl Found {
    fn length(self) -> u64 {
        if let Self::File { length } = self { length } else { 0 }
    }
}

fn look_at_folder(folder: &Path) -> Result<(), StoreError> {
    let shown = folder.display();
    match metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let sentence = format!("the folder {shown} may not be entered");
            Err(StoreError::new(Kind::NoPermission, sentence).with_source(error))
        }
        _ => Err(StoreError::new(
            Kind::Missing,
            format!(
                "there is no folder {shown}; it is not made, since a volume that is not mounted must not become an \
                 empty ledger"
            ),
        )),
    }
}

fn look_at_filesystem(folder: &Path) -> Result<Vec<String>, StoreError> {
    let shown = folder.display();
    match judge(folder) {
        Verdict::Fine => Ok(Vec::new()),
        Verdict::Warn(name) => Ok(vec![format!(
            "{shown} is on {name}: what the ledger knows is gone when the host restarts or the container is removed"
        )]),
        Verdict::Refuse(name) => Err(StoreError::new(
            Kind::Unsuitable,
            format!("{shown} is on {name}, where a ledger cannot keep its promise; use a local disk"),
        )),
    }
}

fn look_at_file(path: &Path) -> Result<Found, StoreError> {
    match metadata(path) {
        Ok(found) if found.is_file() => Ok(Found::File { length: found.len() }),
        Ok(_) => Err(StoreError::new(Kind::Unsuitable, format!("{} is no regular file", path.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => {
            let sentence = format!("{} cannot be looked at", path.display());
            Err(StoreError::new(Kind::NoPermission, sentence).with_source(error))
        }
    }
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    metadata(log).is_ok_and(|found| found.len() > 0)
}

/// SQLite takes a file that is shorter than its smallest page for an empty one, and deletes the log of an empty
/// file; but either may be all that is left of a ledger.
fn check_whole(path: &Path, file: Found, has_log: bool) -> Result<(), StoreError> {
    let (length, shown) = (file.length(), path.display());
    let sentence = match (length, has_log) {
        (0, true) => format!(
            "{shown} is empty or gone, but its log beside it is not: a ledger was lost here; restore it, or move the \
             log away to begin a new one"
        ),
        // With a log, the end of the file may be about to be written once more.
        (1.., _) if length < SMALLEST_PAGE || (length % SMALLEST_PAGE != 0 && !has_log) => {
            format!("{shown} is not a sluice ledger, or it was cut short")
        }
        _ => return Ok(()),
    };
    Err(StoreError::new(Kind::Corrupt, sentence))
}

/// Makes the file readable for its owner only. SQLite gives its log the same mode.
fn make(path: &Path, folder: &Path) -> Result<(), StoreError> {
    let mode = Mode::RUSR | Mode::WUSR;
    match mknodat(CWD, path, FileType::RegularFile, mode, 0) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => {
            let (kind, why) = match error {
                Errno::NOSPC | Errno::DQUOT => (Kind::Full, "no space is left"),
                Errno::ACCESS | Errno::PERM | Errno::ROFS => {
                    (Kind::NoPermission, "its folder may not be written")
                }
                _ => (Kind::Unavailable, "the file system refused"),
            };
            let sentence = format!("{} could not be made: {why}", path.display());
            return Err(StoreError::new(kind, sentence).with_source(std::io::Error::from(error)));
        }
    }
    // The name of the file has to be as durable as what is written to it.
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| {
        let sentence = format!("the folder {} could not be written to disk", folder.display());
        StoreError::new(Kind::Unavailable, sentence).with_source(error)
    })
}

fn check_access(path: &Path, wanted: Access, what: &str) -> Result<(), StoreError> {
    access(path, wanted).map_err(|error| {
        let sentence = format!("{what} may not be read and written: {}", path.display());
        StoreError::new(Kind::NoPermission, sentence).with_source(std::io::Error::from(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_is_found_by_its_whole_path_however_it_is_written() {
        let mounts =
            b"36 35 98:0 / /data rw - ext4 /dev/sda1 rw\n37 36 98:0 /l.db /data/my\\040l.db rw - ext4 x rw\n";
        assert!(is_mount_point(mounts, Path::new("/data")));
        assert!(is_mount_point(mounts, Path::new("/data/my l.db")));
        assert!(!is_mount_point(mounts, Path::new("/data/l.db")));
        assert!(!is_mount_point(b"", Path::new("/")));
    }
}
