//! `sluice effects`: what the ledger knows.

use super::{list, resolve, show};
use crate::report::Fail;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum EffectsCommand {
    /// List intents, newest first
    List(list::ListArgs),
    /// Show one intent
    Show(show::ShowArgs),
    /// Say what became of an intent of which nobody knows
    Resolve(resolve::ResolveArgs),
}

pub async fn effects(command: EffectsCommand) -> Result<u8, Fail> {
    match command {
        EffectsCommand::List(args) => list::list(args).await,
        EffectsCommand::Show(args) => show::show(args).await,
        EffectsCommand::Resolve(args) => resolve::resolve(args).await,
    }
}
