//! Follows a started command to its end: signals, time limit, stops.

use super::signals::Arriving;
use super::terminal::Terminal;
use crate::report::say;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use std::process::Child;
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
}

enum Seen {
    Stopped,
    Ended { exit: Option<i32>, signal: Option<i32> },
}

/// Waits for the end. The first ending signal goes to the command's group, the second one kills it.
pub async fn watch(
    child: &Child,
    signals: &mut Arriving,
    limit: Option<Duration>,
    terminal: Option<Terminal>,
) -> End {
    let group = child.id();
    let mut seen = wait_on_a_thread(group);
    let mut clock = Box::pin(sleep(limit.unwrap_or_default()));
    let mut timed_out = false;
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
                    return End { exit, signal, timed_out };
                }
                // Without its waiter nobody can tell how it ended.
                None => return End { exit: None, signal: None, timed_out },
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
                    let how = if asked_to_end { Some(Signal::KILL) } else { Signal::from_named_raw(number) };
                    asked_to_end = true;
                    send(group, how.unwrap_or(Signal::TERM));
                    send(group, Signal::CONT);
                }
            }
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

fn send(group: u32, signal: Signal) {
    if let Some(group) = pid(group) {
        // A group that is gone needs no signal.
        let _ = kill_process_group(group, signal);
    }
}

fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}

fn wait_on_a_thread(raw: u32) -> mpsc::UnboundedReceiver<Seen> {
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
    let _ = std::thread::Builder::new().name("sluice-wait".to_owned()).spawn(wait);
    receiver
}
