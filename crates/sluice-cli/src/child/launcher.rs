//! The moment between "a process exists" and "it is the command".
//!
//! `sluice run` starts the launcher *before* it claims, in a process group of its own and with the lock inherited,
//! so that the claim can name both. The launcher becomes the command only when it is told to; if its parent dies
//! first, it reads the end of the socket and goes away, so that nothing runs without a durable claim.

use super::prepared::{Order, START_FAILED};
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
        return ExitCode::FAILURE;
    };
    let mut socket = UnixStream::from(socket);
    let Some((order, stdin)) = receive(&mut socket) else {
        return ExitCode::SUCCESS;
    };
    let Some((program, rest)) = command.split_first() else {
        return ExitCode::FAILURE;
    };
    let error = Command::new(program).args(rest).envs(order.environment).stdin(Stdio::from(stdin)).exec();
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => START_FAILED.not_found,
        std::io::ErrorKind::PermissionDenied => START_FAILED.no_permission,
        _ => START_FAILED.other,
    };
    let _ = socket.write_all(&[kind]);
    ExitCode::FAILURE
}

/// Waits for the order and the command's stdin. `None` where the parent went away.
fn receive(socket: &mut UnixStream) -> Option<(Order, OwnedFd)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(&*socket, &mut [IoSliceMut::new(&mut length)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
        .ok()?;
    let stdin = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })?;
    socket.read_exact(&mut length[got.bytes..]).ok()?;
    let mut text = vec![0; usize::try_from(u32::from_le_bytes(length)).ok()?];
    socket.read_exact(&mut text).ok()?;
    Some((serde_json::from_slice(&text).ok()?, stdin))
}
