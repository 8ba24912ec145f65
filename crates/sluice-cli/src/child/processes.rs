//! Which processes are there, as far as the kernel shows them.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether no process of the group can act any more: the kernel says that there is none, or every member that can be
/// seen only waits to be reaped. A group that exists and shows no member proves nothing.
pub fn group_is_empty(group: u32) -> bool {
    let Some(known) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    if rustix::process::test_kill_process_group(known) == Err(rustix::io::Errno::SRCH) {
        return true;
    }
    let members: Vec<_> = members(group).collect();
    !members.is_empty() && members.iter().all(|(_, state)| is_dead(*state))
}

/// A living member of the group.
pub fn member_of(group: u32) -> Option<u32> {
    members(group).find(|(_, state)| !is_dead(*state)).map(|(pid, _)| pid)
}

/// Whether another living process than that one is in the group.
pub fn has_other_member(group: u32, than: u32) -> bool {
    members(group).any(|(pid, state)| pid != than && !is_dead(state))
}

fn members(group: u32) -> impl Iterator<Item = (u32, char)> {
    pids().filter_map(move |pid| stat(pid).filter(|(_, pgrp)| *pgrp == group).map(|(state, _)| (pid, state)))
}

fn is_dead(state: char) -> bool {
    matches!(state, 'Z' | 'X')
}

/// Another process that has the file open.
pub fn with_open(path: &Path) -> Option<u32> {
    have_open(&std::fs::metadata(path).ok()?).next()
}

/// Whether another process than this and that one has the file open, as far as can be seen.
pub fn is_open_elsewhere(file: &File, than: Option<u32>) -> bool {
    file.metadata().is_ok_and(|wanted| have_open(&wanted).any(|pid| Some(pid) != than))
}

fn have_open(wanted: &Metadata) -> impl Iterator<Item = u32> {
    let (inode, device) = (wanted.ino(), wanted.dev());
    let is_it = move |path| std::fs::metadata(path).is_ok_and(|m| m.ino() == inode && m.dev() == device);
    pids().filter(|pid| *pid != std::process::id()).filter(move |pid| {
        let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| is_it(entry.path()))
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
