//! Whether a file system can keep what a ledger promises.

use crate::place::unescaped;
use rustix::fs::statfs;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What to do with a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Keeps what it acknowledged, and its locks hold between processes.
    Fine,
    /// Works, but what it keeps is gone with the host or the container: to be said.
    Warn(&'static str),
    /// Locks, shared memory or durability cannot be relied on: no ledger may live there.
    Refuse(&'static str),
}

/// Magic numbers as in `statfs(2)`, with what is wrong with each. All others are fine.
const KNOWN: &[(u32, Verdict)] = &[
    (0x0000_6969, Verdict::Refuse("NFS")),
    (0x0000_517b, Verdict::Refuse("SMB")),
    (0xff53_4d42, Verdict::Refuse("CIFS")),
    (0xfe53_4d42, Verdict::Refuse("SMB2")),
    (0x0102_1997, Verdict::Refuse("9p")),
    // virtiofs shows the number of FUSE, whose protocol it speaks.
    (0x6573_5546, Verdict::Refuse("FUSE or virtiofs")),
    (0x5346_414f, Verdict::Refuse("AFS")),
    (0x7375_7245, Verdict::Refuse("Coda")),
    (0x00c3_6400, Verdict::Refuse("Ceph")),
    (0x0bd0_0bd0, Verdict::Refuse("Lustre")),
    (0x0102_1994, Verdict::Warn("tmpfs")),
    (0x8584_58f6, Verdict::Warn("ramfs")),
    (0x794c_7630, Verdict::Warn("overlayfs")),
];

/// Judges a file system by the `f_type` that `statfs(2)` gives for it.
///
/// ```
/// use sluice_sqlite::filesystem::{Verdict, classify};
/// assert_eq!(classify(0x6969), Verdict::Refuse("NFS"));
/// assert_eq!(classify(0x0102_1994), Verdict::Warn("tmpfs"));
/// assert_eq!(classify(0xef53), Verdict::Fine, "ext4");
/// ```
pub fn classify(f_type: u32) -> Verdict {
    KNOWN.iter().find(|(magic, _)| *magic == f_type).map_or(Verdict::Fine, |(_, verdict)| *verdict)
}

/// Names the type of the file system that holds a path, as the kernel lists it; `None` where it does not say.
///
/// ```
/// use sluice_sqlite::filesystem::name_of;
/// assert_eq!(name_of("/proc".as_ref()).as_deref(), Some("proc"));
/// ```
pub fn name_of(path: &Path) -> Option<String> {
    let path = std::fs::canonicalize(path).ok()?;
    named(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &path)
}

/// The innermost mount counts, and of two at one place the later one, which covers the other.
fn named(mounts: &str, path: &Path) -> Option<String> {
    let holds = |line: &str| {
        let point = unescaped(line.split(' ').nth(4)?.as_bytes());
        let name = line.split_once(" - ")?.1.split(' ').next()?;
        path.starts_with(OsStr::from_bytes(&point)).then(|| (point.len(), name.to_owned()))
    };
    mounts.lines().filter_map(holds).max_by_key(|(length, _)| *length).map(|(_, name)| name)
}

/// Judges the file system that holds a path. One that cannot be asked is taken for fine: opening will tell.
pub(crate) fn judge(path: &Path) -> Verdict {
    // The kernel's number has 32 bits, but some C types sign-extend it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "only the low 32 bits carry the number"
    )]
    statfs(path).map_or(Verdict::Fine, |found| classify(found.f_type as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_and_user_space_file_systems_are_refused_and_volatile_ones_only_warned_about() {
        let table = [
            (0x6969, Verdict::Refuse("NFS")),
            (0x517b, Verdict::Refuse("SMB")),
            (0xff53_4d42, Verdict::Refuse("CIFS")),
            (0xfe53_4d42, Verdict::Refuse("SMB2")),
            (0x0102_1997, Verdict::Refuse("9p")),
            (0x6573_5546, Verdict::Refuse("FUSE or virtiofs")),
            (0x0102_1994, Verdict::Warn("tmpfs")),
            (0x8584_58f6, Verdict::Warn("ramfs")),
            (0x794c_7630, Verdict::Warn("overlayfs")),
            (0xef53, Verdict::Fine),
            (0x5846_5342, Verdict::Fine),
            (0x9123_683e, Verdict::Fine),
            (0x2fc1_2fc1, Verdict::Fine),
            (0, Verdict::Fine),
        ];
        for (f_type, verdict) in table {
            assert_eq!(classify(f_type), verdict, "{f_type:#x}");
        }
    }

    #[test]
    fn the_innermost_and_newest_mount_names_the_file_system() {
        let mounts = "1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / /my\\040data rw shared:1 - tmpfs t rw\n\
                      3 1 0:3 / /my\\040data rw - xfs /dev/b rw\n";
        let name = |path: &str| named(mounts, Path::new(path));
        assert_eq!(name("/my data/x").as_deref(), Some("xfs"));
        assert_eq!(name("/my database").as_deref(), Some("ext4"));
        assert_eq!(named("nonsense\n", Path::new("/")), None);
    }

    #[test]
    fn a_path_that_is_not_there_is_left_to_the_opening() {
        assert_eq!(judge(Path::new("/no/such/place")), Verdict::Fine);
    }
}
