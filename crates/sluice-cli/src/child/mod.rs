//! The command that is run: how it starts, what it says, how it ends, and what proves that it still lives.

pub mod echo;
pub mod launcher;
pub mod locks;
pub mod output;
pub mod prepared;
pub mod processes;
pub mod signals;
pub mod terminal;
pub mod watch;
