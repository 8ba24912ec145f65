//! The command `sluice`: the composition root, and the only reader of arguments, environment and files.

#[cfg(not(unix))]
compile_error!("sluice runs on Linux; other Unix systems are untested, and Windows is not supported");

mod child;
mod commands;
mod contract;
mod crash;
mod exit;
mod input;
mod open;
mod report;
mod run;
mod spool;
mod text;
mod warnings;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The launcher is this same program in the moment before it becomes the command; it has no flags of its own.
    if let Some(code) = child::launcher::main() {
        return code;
    }
    let arguments = commands::Cli::parse();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        report::say("there are not enough descriptors or threads to start; nothing was run");
        return ExitCode::from(exit::AWAY);
    };
    let work = std::panic::AssertUnwindSafe(|| runtime.block_on(commands::dispatch(arguments)));
    let Ok(status) = std::panic::catch_unwind(work) else {
        return report::bug("it broke down; what was claimed stays as it is, see sluice effects list");
    };
    // Nothing may wait for a reader thread that is blocked on somebody else's pipe.
    runtime.shutdown_background();
    ExitCode::from(status)
}
