//! A command that is ready to start and has not begun.

use super::launcher;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

/// What the launcher is told when it may begin.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// Variables the command gets beside the inherited ones.
    pub environment: BTreeMap<String, String>,
}

/// How the launcher says that the command could not be started.
pub const START_FAILED: StartFailed = StartFailed { not_found: 1, no_permission: 2, other: 3 };

/// One byte for each reason.
pub struct StartFailed {
    pub not_found: u8,
    pub no_permission: u8,
    pub other: u8,
}

/// Why a command did not start. It provably did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStarted {
    /// There is no such command.
    NotFound,
    /// It exists and cannot be run.
    NotRunnable,
}

/// A launcher that waits for its order. Dropped before that, it goes away without becoming the command.
#[derive(Debug)]
pub struct Prepared {
    child: Child,
    group: u32,
    socket: UnixStream,
}

impl Prepared {
    /// Starts the launcher in a process group of its own, or in one that has a living member. It inherits the lock and keeps
    /// it for its whole life.
    pub fn new(command: &[OsString], lock: &File, record: bool, group: Option<u32>) -> std::io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let output = || if record { Stdio::piped() } else { Stdio::inherit() };
        fcntl_setfd(lock, FdFlags::empty())?;
        let child = Command::new("/proc/self/exe")
            .arg0("sluice")
            .arg(launcher::NAME)
            .args(command)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(output())
            .stderr(output())
            .process_group(group.and_then(|group| i32::try_from(group).ok()).unwrap_or(0))
            .spawn();
        fcntl_setfd(lock, FdFlags::CLOEXEC)?;
        let child = child?;
        Ok(Self { group: group.unwrap_or_else(|| child.id()), child, socket })
    }

    /// The process that will be the command.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Its process group.
    pub fn group(&self) -> u32 {
        self.group
    }

    /// The command's own output, where it is to be recorded.
    pub fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// Lets the command begin, and answers once it has.
    pub fn start(mut self, order: &Order, stdin: impl AsFd) -> Result<(), NotStarted> {
        let sent = send(&mut self.socket, order, &stdin);
        // An order that could not be delivered whole is not obeyed: the launcher reads the end and goes away.
        if sent.is_err() {
            return Err(NotStarted::NotRunnable);
        }
        let mut said = [0];
        match self.socket.read(&mut said) {
            // The end of the socket is the command's beginning. A launcher that cannot be heard may have become the
            // command too: only a clear word proves the opposite.
            Ok(0) | Err(_) => Ok(()),
            Ok(_) if said[0] == START_FAILED.not_found => Err(NotStarted::NotFound),
            Ok(_) => Err(NotStarted::NotRunnable),
        }
    }

    /// Puts the launcher away, unused.
    pub fn abandon(self) {
        let Self { mut child, socket, .. } = self;
        drop(socket);
        let _ = child.wait();
    }
}

fn send(socket: &mut UnixStream, order: &Order, stdin: &impl AsFd) -> std::io::Result<()> {
    let text = serde_json::to_vec(order)?;
    let length = u32::try_from(text.len()).map_err(std::io::Error::other)?.to_le_bytes();
    let descriptors = [stdin.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent = sendmsg(&*socket, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
    socket.write_all(&length[sent..])?;
    socket.write_all(&text)
}
