//! Which processes are there, as far as the kernel shows them.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether no process of the group can act any more. One that only waits to be reaped cannot.
pub fn group_is_empty(group: u32) -> bool {
    let known = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    let Some(known) = known else { return false };
    match rustix::process::test_kill_process_group(known) {
        Err(rustix::io::Errno::SRCH) => true,
        _ => member_of(group).is_none(),
    }
}

/// A living member of the group.
pub fn member_of(group: u32) -> Option<u32> {
    pids()
        .find(|pid| matches!(stat(*pid), Some((state, pgrp)) if pgrp == group && !matches!(state, 'Z' | 'X')))
}

/// Another process that has the file open.
pub fn with_open(path: &Path) -> Option<u32> {
    let wanted = std::fs::metadata(path).ok()?;
    pids().filter(|pid| *pid != std::process::id()).find(|pid| {
        let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
            return false;
        };
        entries.flatten().any(|entry| {
            std::fs::metadata(entry.path()).is_ok_and(|m| m.ino() == wanted.ino() && m.dev() == wanted.dev())
        })
    })
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in the second field may itself contain brackets, so the fields are counted from the last one.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(1)?.parse().ok()?))
}
