//! One file per command.

mod bench;
mod chaos;
mod demo;
mod doctor;
mod effects;
mod explain;
mod find;
mod key;
mod list;
mod mark;
mod note;
mod person;
mod recover;
mod reopen;
mod resolve;
mod shell;
mod show;
mod sweep;
mod todo;

use crate::report::Fail;
use crate::run;
use clap::{Args, Parser, Subcommand};

/// Makes a side effect happen once per intent, and says so honestly where nobody can know.
#[derive(Debug, Parser)]
#[command(name = "sluice", version, propagate_version = true, disable_help_subcommand = true, after_help = EXIT)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT: &str = "\
Exit status:
  0    done, or the command's own status (on a first run it always passes through)
  1    findings (doctor, todo --exit-code, chaos)
  2    usage            65   bad input          69   ledger away        70   a bug in sluice
  75   try again        77   too late           78   settings           90   nobody knows whether it happened
  91   key conflict, or a duplicate that was to be refused
  94   done before, output not kept             126, 127  the command could not be started";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command once per intent
    Run(Box<run::args::RunArgs>),
    /// Make the point of no return durable, from inside a command that `sluice run --marked` runs
    Mark(mark::MarkArgs),
    /// Choose a key, look through it, try it, derive it
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// What a file of contracts may say
    #[command(subcommand)]
    Contract(key::ContractCommand),
    /// Look at what the ledger knows, and settle what nobody knows
    #[command(subcommand)]
    Effects(effects::EffectsCommand),
    /// Tell one intent's story: what happened, what is safe, what to type next
    Explain(explain::ExplainArgs),
    /// List what needs a person: what nobody knows, what nobody came back for, what happened twice
    Todo(todo::TodoArgs),
    /// Settle what ended without a word, as far as it can be known; nothing is run
    Recover(recover::RecoverArgs),
    /// Forget what has outlived its keeping time
    Sweep(sweep::SweepArgs),
    /// Look whether the ledger and its host keep what they promise
    Doctor(doctor::DoctorArgs),
    /// Measure this machine's ledger beside what its disk can do
    Bench(bench::BenchArgs),
    /// Play worlds in which everything goes wrong, and see whether a promise breaks
    Chaos(chaos::ChaosArgs),
    /// See for yourself
    #[command(subcommand)]
    Demo(demo::DemoCommand),
    /// Print a completion script for a shell
    Completions(shell::CompletionsArgs),
    /// Print the manual page
    Man(shell::ManArgs),
}

/// Which ledger.
#[derive(Args, Debug, Clone)]
pub struct StoreArg {
    /// The ledger, as sqlite:PATH; without it `SLUICE_STORE`, else a default place
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

/// Runs a command to its exit status.
pub async fn dispatch(cli: Cli) -> u8 {
    let result = match cli.command {
        Command::Run(args) => Box::pin(run::run(*args)).await,
        Command::Mark(args) => mark::mark(args).await,
        Command::Key(command) => Box::pin(key::key(command)).await,
        Command::Contract(command) => Ok(key::contract(&command)),
        Command::Effects(command) => effects::effects(command).await,
        Command::Explain(args) => explain::explain(args).await,
        Command::Todo(args) => todo::todo(args).await,
        Command::Recover(args) => Box::pin(recover::recover(args)).await,
        Command::Sweep(args) => sweep::sweep(args).await,
        Command::Doctor(args) => doctor::doctor(args).await,
        Command::Bench(args) => bench::bench(args).await,
        Command::Chaos(args) => chaos::chaos(&args),
        Command::Demo(command) => demo::demo(command),
        Command::Completions(args) => Ok(shell::completions(&args)),
        Command::Man(args) => shell::man(&args),
    };
    result.unwrap_or_else(|fail: Fail| fail.report())
}
