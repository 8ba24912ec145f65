//! The moment between "a process exists" and "it is the command".
//!
//! `sluice run` starts the launcher *before* it claims, in a process group of its own and with the lock inherited,
//! so that the claim can name both. The launcher becomes the command only when it is told to; if its parent dies
//! first, it reads the end of the socket and goes away, so that nothing runs without a durable claim.

use super::prepared::{Order, START_FAILED};
use crate::crash::{Moment, reach};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::ffi::OsString;
use std::io::{IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

/// The first argument that makes this program a launcher.
pub const NAME: &str = "__launch";

/// Becomes the command, if this process was started as a launcher.
pub fn main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != NAME {
        return None;
    }
    Some(launch(&arguments.collect::<Vec<_>>()))
}

fn launch(command: &[OsString]) -> ExitCode {
    // A copy that closes by itself when the command takes over, so that its end tells the parent "started".
    let Ok(socket) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3) else {
        // The end of the socket would be taken for a start, so the word goes over the one that is there.
        let _ = rustix::io::write(rustix::stdio::stdin(), &[START_FAILED.other]);
        return ExitCode::FAILURE;
    };
    let mut socket = UnixStream::from(socket);
    let kind = match receive(&mut socket) {
        Received::ParentGone => return ExitCode::SUCCESS,
        Received::Broken => START_FAILED.other,
        Received::Order(order, stdin) => begin(command, order, stdin),
    };
    let _ = socket.write_all(&[kind]);
    ExitCode::FAILURE
}

/// Becomes the command; comes back only if that failed.
fn begin(command: &[OsString], order: Order, stdin: OwnedFd) -> u8 {
    let Some((program, rest)) = command.split_first() else { return START_FAILED.other };
    reach(Moment::Ordered);
    let error = Command::new(program).args(rest).envs(order.environment).stdin(Stdio::from(stdin)).exec();
    match error.kind() {
        std::io::ErrorKind::NotFound => START_FAILED.not_found,
        std::io::ErrorKind::PermissionDenied => START_FAILED.no_permission,
        _ => START_FAILED.other,
    }
}

enum Received {
    /// It may begin.
    Order(Order, OwnedFd),
    /// The parent went away before it said anything.
    ParentGone,
    /// The parent is there, and its order did not arrive whole.
    Broken,
}

/// Waits for the order and the command's stdin.
fn receive(socket: &mut UnixStream) -> Received {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(&*socket, &mut [IoSliceMut::new(&mut length)], &mut ancillary, RecvFlags::CMSG_CLOEXEC);
    let got = match got {
        Ok(got) if got.bytes == 0 => return Received::ParentGone,
        Ok(got) => got.bytes,
        Err(_) => return Received::Broken,
    };
    let stdin = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    match (stdin, rest(socket, length, got)) {
        (Some(stdin), Some(order)) => Received::Order(order, stdin),
        _ => Received::Broken,
    }
}

fn rest(socket: &mut UnixStream, mut length: [u8; 4], got: usize) -> Option<Order> {
    socket.read_exact(&mut length[got..]).ok()?;
    let mut text = vec![0; usize::try_from(u32::from_le_bytes(length)).ok()?];
    socket.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_silent_end_means_that_the_parent_is_gone() {
        let pair = || UnixStream::pair().unwrap();
        let (parent, mut launcher) = pair();
        drop(parent);
        assert!(matches!(receive(&mut launcher), Received::ParentGone));
        let (mut parent, mut launcher) = pair();
        parent.write_all(&[2, 0, 0, 0, b'{', b'}']).unwrap();
        assert!(matches!(receive(&mut launcher), Received::Broken), "an order without its descriptor");
        let (mut parent, mut launcher) = pair();
        parent.write_all(&[9, 0]).unwrap();
        drop(parent);
        assert!(matches!(receive(&mut launcher), Received::Broken), "half an order");
    }
}
