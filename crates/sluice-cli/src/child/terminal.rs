//! Who owns the terminal (RULINGS 28).

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Pid, getpgrp};
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use std::io::IsTerminal;

/// The terminal that sluice may lend to the command.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    own: Pid,
}

impl Terminal {
    /// The terminal, if all three streams are one and sluice's group is in the foreground.
    pub fn to_lend() -> Option<Self> {
        let all = std::io::stdin().is_terminal()
            && std::io::stdout().is_terminal()
            && std::io::stderr().is_terminal();
        let own = getpgrp();
        let foreground = all && tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|group| group == own);
        foreground.then_some(Self { own })
    }

    /// Puts the command's group in the foreground.
    #[expect(clippy::unused_self, reason = "only who may lend the terminal can call it")]
    pub fn lend(self, group: u32) {
        if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
            set(group);
        }
    }

    /// Puts sluice's own group back in the foreground.
    pub fn take_back(self) {
        set(self.own);
    }
}

/// A group in the background that changes the foreground is stopped, unless it blocks the signal that does it.
fn set(group: Pid) {
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGTTOU);
    if blocked.thread_block().is_ok() {
        let _ = tcsetpgrp(rustix::stdio::stdin(), group);
        let _ = blocked.thread_unblock();
    }
}
