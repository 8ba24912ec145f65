//! Follows a started command to its end: signals, time limit, stops.

use super::signals::Arriving;
use super::terminal::Terminal;
use crate::report::say;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// How long a command that was asked to end has before it is killed.
pub const GRACE: Duration = Duration::from_secs(5);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Its own status, where it had one.
    pub exit: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// Whether our own time limit ended it.
    pub timed_out: bool,
    /// Whether somebody asked for the end by a signal.
    pub was_asked: bool,
}

/// How soon after the first signal a second one still counts as the same.
const INSIST: Duration = Duration::from_secs(1);

#[derive(Debug)]
enum Seen {
    Stopped,
    Ended { exit: Option<i32>, signal: Option<i32> },
}

/// What a thread of its own sees of a process.
#[derive(Debug)]
pub struct Watch {
    group: u32,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Watch {
    /// Begins to watch a process, before it is told to begin: without somebody who waits for its
    /// end it must not run.
    pub fn new(process: u32, group: u32) -> std::io::Result<Self> {
        Ok(Self { group, seen: wait_on_a_thread(process)? })
    }
}

/// Waits for the end. The first ending signal goes to the command's group; one that comes a second later kills it.
pub async fn watch(
    watch: Watch,
    signals: &mut Arriving,
    limit: Option<Duration>,
    terminal: Option<Terminal>,
) -> End {
    let Watch { group, mut seen } = watch;
    let mut clock = Box::pin(sleep(limit.unwrap_or_default()));
    let mut timed_out = false;
    // One press of a key, or one `timeout`, can send a signal to the process and to its group at once.
    let mut same = Box::pin(sleep(INSIST));
    let mut insists = false;
    let mut asked_to_end = false;
    let mut stopped = false;
    loop {
        tokio::select! {
            biased;
            news = seen.recv() => match news {
                Some(Seen::Stopped) => {
                    stopped = true;
                    if let Some(terminal) = terminal {
                        terminal.take_back();
                    }
                    say("the command is stopped; its claim is kept alive. Ctrl-Z again continues it, Ctrl-C ends it");
                }
                Some(Seen::Ended { exit, signal }) => {
                    if let Some(terminal) = terminal {
                        terminal.take_back();
                    }
                    if timed_out {
                        // Its time is over for the whole group, not only for the process that led it.
                        send(group, Signal::KILL);
                    }
                    return End { exit, signal, timed_out, was_asked: asked_to_end };
                }
                // Without its waiter nobody can tell how it ended.
                None => return End { exit: None, signal: None, timed_out, was_asked: asked_to_end },
            },
            number = signals.next() => {
                if number == Signal::TSTP.as_raw() {
                    if stopped {
                        stopped = false;
                        lend(terminal, group);
                        send(group, Signal::CONT);
                    } else {
                        send(group, Signal::TSTP);
                    }
                } else {
                    let kill = asked_to_end && insists;
                    if !asked_to_end {
                        same.set(sleep(INSIST));
                    }
                    let how = if kill { Some(Signal::KILL) } else { Signal::from_named_raw(number) };
                    asked_to_end = true;
                    send(group, how.unwrap_or(Signal::TERM));
                    send(group, Signal::CONT);
                }
            }
            () = &mut same, if asked_to_end && !insists => insists = true,
            () = &mut clock, if limit.is_some() => {
                send(group, if timed_out { Signal::KILL } else { Signal::TERM });
                send(group, Signal::CONT);
                timed_out = true;
                clock.set(sleep(GRACE));
            }
        }
    }
}

fn lend(terminal: Option<Terminal>, group: u32) {
    if let Some(terminal) = terminal {
        terminal.lend(group);
    }
}

/// Kills a whole group at once.
pub fn kill_group(group: u32) {
    send(group, Signal::KILL);
}

fn send(group: u32, signal: Signal) {
    if let Some(group) = pid(group) {
        // A group that is gone needs no signal.
        let _ = kill_process_group(group, signal);
    }
}

fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}

fn wait_on_a_thread(raw: u32) -> std::io::Result<mpsc::UnboundedReceiver<Seen>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let wait = move || loop {
        match waitpid(pid(raw), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => {
                let _ = sender.send(Seen::Stopped);
            }
            Ok(Some((_, status))) if status.exited() || status.signaled() => {
                let _ = sender
                    .send(Seen::Ended { exit: status.exit_status(), signal: status.terminating_signal() });
                return;
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    };
    std::thread::Builder::new().name("sluice-wait".to_owned()).spawn(wait)?;
    Ok(receiver)
}
