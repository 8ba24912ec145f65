//! `sluice effects`: what the ledger knows.

use super::{list, note, reopen, resolve, show};
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
    /// Give a failed intent another chance: the next delivery runs it
    Reopen(reopen::ReopenArgs),
    /// Write a note into an intent's trail; it also takes a double effect off the todo list
    Note(note::NoteArgs),
}

pub async fn effects(command: EffectsCommand) -> Result<u8, Fail> {
    match command {
        EffectsCommand::List(args) => list::list(args).await,
        EffectsCommand::Show(args) => show::show(args).await,
        EffectsCommand::Resolve(args) => resolve::resolve(args).await,
        EffectsCommand::Reopen(args) => reopen::reopen(args).await,
        EffectsCommand::Note(args) => note::note(args).await,
    }
}
