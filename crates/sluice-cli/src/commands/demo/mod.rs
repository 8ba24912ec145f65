//! `sluice demo`: what sluice promises, before the reader's eyes.

mod crash;
mod stage;
mod unstable_key;

use crate::report::Fail;
use clap::Subcommand;
use stage::Stage;

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum DemoCommand {
    /// Kill a command in the middle of its effect, run it again, and see one effect
    Crash,
    /// Deliver a webhook twice: two charges with its message id in the key, one without
    UnstableKey,
}

pub fn demo(command: DemoCommand) -> Result<u8, Fail> {
    let stage = Stage::new()?;
    match command {
        DemoCommand::Crash => crash::play(&stage),
        DemoCommand::UnstableKey => unstable_key::play(&stage),
    }
}
