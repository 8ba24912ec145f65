//! `sluice key`: from choosing a key to deriving it.

mod check;
mod checked;
mod derive;
mod init;
mod lint;
mod recorded;
mod schema;
mod suggest;
mod test;

use crate::report::Fail;
use clap::Subcommand;

pub use schema::{ContractCommand, contract};

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Print the key of an intent: SHA-256 of its canonical JSON
    Derive(derive::DeriveArgs),
    /// Write a worked contract into sluice.toml
    Init(init::InitArgs),
    /// Look through contracts, before the first run: is the key stable, unique, well scoped, remembered for long enough?
    Lint(lint::LintArgs),
    /// Play a contract's key over recorded deliveries: which would have run twice, which never, and the member that did it
    Check(check::CheckArgs),
    /// Search recorded deliveries for the members that could be an identity
    Suggest(suggest::SuggestArgs),
    /// Play the cases that a key must tell apart, with an event of yours, against a ledger in memory
    Test(test::TestArgs),
}

pub async fn key(command: KeyCommand) -> Result<u8, Fail> {
    match command {
        KeyCommand::Derive(args) => derive::derive(&args),
        KeyCommand::Init(args) => init::init(&args),
        KeyCommand::Lint(args) => lint::lint(&args),
        KeyCommand::Check(args) => check::check(&args),
        KeyCommand::Suggest(args) => suggest::suggest(&args),
        KeyCommand::Test(args) => test::test(&args).await,
    }
}
