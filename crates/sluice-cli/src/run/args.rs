//! The flags of `sluice run`.

use super::classify::ExitRule;
use super::moment::moment;
use crate::commands::StoreArg;
use crate::contract::ContractArg;
use clap::{Args, ValueEnum};
use sluice::core::policy::{OnFailed, OnIndeterminate};
use sluice::core::record::LedgerTime;
use sluice::core::retention;
use sluice::{OnDuplicate, Wait};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const HELP: &str = "\
Name the intent by what the caller wants done, never by a delivery: --tool, --args, --actor and --run-id, or --intent,
or --key for a name of your own. Without --tool the tool is the command's base name.

  sluice run --tool charge --args '{\"order\":\"o-17\"}' -- ./charge.sh o-17

Or say it once, in a contract in sluice.toml, and give the event as it came (sluice key init writes one):

  sluice run --effect charge --event @event.json -- ./charge.sh

The command finds SLUICE_KEY, SLUICE_NAMESPACE, SLUICE_CLAIM, SLUICE_EPOCH, SLUICE_ATTEMPT, SLUICE_STORE and
SLUICE_DOWNSTREAM_KEY, the key to send to its target. Times are written as in 500ms, 30s, 2m.

On a first run the command's own exit status passes through, also where nobody knows what it means; what was recorded
is said on stderr, and in --outcome FILE. See sluice --help for the rest.";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = HELP)]
pub struct RunArgs {
    /// The kind of effect, of which the file of contracts says everything; unneeded where the file has one
    #[arg(long, value_name = "NAME", requires = "event")]
    pub effect: Option<String>,
    /// The event that tells it to happen: JSON, @FILE, or - for stdin; key, fingerprint and the rest follow from the contract
    #[arg(long, value_name = "JSON", conflicts_with_all = ["intent", "tool", "args", "actor", "run_id", "key"])]
    pub event: Option<String>,
    #[command(flatten)]
    pub contract: ContractArg,
    /// The intent as one JSON object: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON", conflicts_with_all = ["tool", "args", "actor", "run_id", "key"])]
    pub intent: Option<String>,
    /// The tool or action
    #[arg(long)]
    pub tool: Option<String>,
    /// The arguments that decide the effect: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON")]
    pub args: Option<String>,
    /// Who wants it
    #[arg(long)]
    pub actor: Option<String>,
    /// In which run of a workflow
    #[arg(long)]
    pub run_id: Option<String>,
    /// A name of your own for the intent; the command line is what is compared then
    #[arg(long, conflicts_with_all = ["args", "actor", "run_id"])]
    pub key: Option<String>,
    /// Where the key lives
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub namespace: String,
    /// What is compared when the key comes again: JSON, @FILE, or none; by default --args, or the whole intent, or with
    /// --key the command line
    #[arg(long, value_name = "JSON|none")]
    pub fingerprint: Option<String>,
    /// Count stdin as part of the request; without it the command inherits stdin, and it is not compared
    #[arg(long)]
    pub stdin: bool,
    /// How long the claim lasts without a sign of life
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub lease: Duration,
    /// End the command after this time; without it there is no limit
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub timeout: Option<Duration>,
    /// How long to offer an outcome to a ledger that does not take it, before it is kept aside
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration)]
    pub settle_for: Duration,
    /// How long to wait where the same intent runs elsewhere: a time, or forever
    #[arg(long, value_name = "TIME|forever", default_value = "60s", value_parser = wait, conflicts_with = "no_wait")]
    pub wait: Wait,
    /// Do not wait at all
    #[arg(long)]
    pub no_wait: bool,
    /// What to answer where it was done before [default: replay]
    #[arg(long, value_enum)]
    pub on_duplicate: Option<Duplicate>,
    /// How often the command may be started for one delivery: again where it did not happen, and where nobody knows only if
    /// the --downstream recognises the key [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub tries: Option<u32>,
    /// Time for the whole delivery, waiting and every try included; what runs then is ended
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub deadline: Option<Duration>,
    /// For how long the claim is kept alive at most
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = humantime::parse_duration)]
    pub max_lease: Duration,
    /// What the target does with the key that is sent to it: the name of one that sluice knows, a table in TOML or JSON, or
    /// @FILE with one
    #[arg(long, value_name = "NAME|TOML|@FILE")]
    pub downstream: Option<String>,
    /// Which target it is that fails or not, for all that name it; by default the downstream's name
    #[arg(long, value_name = "NAME")]
    pub circuit: Option<String>,
    /// A shell command that asks the target whether it happened: exit 0 says so, with the result on stdout, 10 that it did
    /// not, anything else that it cannot tell. It finds the variables that the command finds
    #[arg(long, value_name = "CMD")]
    pub probe: Option<String>,
    /// What to do where nobody knows whether it happened: to say so, to ask by --probe, or to run it again, with
    /// --repeatable or a --downstream that recognises the key
    #[arg(long, value_enum)]
    pub on_indeterminate: Option<Indeterminate>,
    /// What to do where it failed before: to say so again, or to run it again [default: replay]
    #[arg(long, value_enum)]
    pub on_failed: Option<Failed>,
    /// Running the command twice does no harm: where nobody knows whether it happened, it runs again
    #[arg(long)]
    pub repeatable: bool,
    /// How long the output is kept, counted from the last change [default: 7d]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub keep_result: Option<Duration>,
    /// How long the intent is remembered, and so does not run again, counted from the last change [default: 90d]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub remember: Option<Duration>,
    /// When the intent was first sent: what is older than the ledger remembers is not run
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub first_sent: Option<LedgerTime>,
    /// What tells this delivery from others, such as its message id: for explain, never for the key
    #[arg(long, value_name = "TEXT|JSON")]
    pub delivery: Option<String>,
    /// What an exit status means, as in 3,10-12=failed; may be given more than once
    #[arg(long, value_name = "CODES=failed|released|unknown")]
    pub exit: Vec<ExitRule>,
    /// The command calls `sluice mark` right before its side effect; without a mark it provably did nothing
    #[arg(long)]
    pub marked: bool,
    /// Which member of the command's JSON output names the object that came out
    #[arg(long, value_name = "POINTER")]
    pub object_id: Option<String>,
    /// What to keep of the output
    #[arg(long, value_enum, default_value_t = KeepOutput::All)]
    pub keep_output: KeepOutput,
    /// Say nothing on stderr about a replay
    #[arg(long)]
    pub quiet_replay: bool,
    /// Say nothing on stderr about parts of the intent or key that should not be in a key
    #[arg(long)]
    pub no_warn: bool,
    /// Print one JSON document instead of the command's output
    #[arg(long)]
    pub json: bool,
    /// Write the same document to a file
    #[arg(long, value_name = "FILE")]
    pub outcome: Option<PathBuf>,
    #[command(flatten)]
    pub store: StoreArg,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

impl RunArgs {
    /// How often the command may be started for one delivery.
    pub fn tries(&self) -> u32 {
        self.tries.unwrap_or(1)
    }

    /// How long the intent is remembered.
    pub fn remember(&self) -> Duration {
        self.remember.unwrap_or(retention::REMEMBER)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Duplicate {
    /// The recorded output and status
    Replay,
    /// Nothing but exit 0
    AlreadyProcessed,
    /// Exit 91
    Conflict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Indeterminate {
    /// Exit 90
    Refuse,
    /// Ask by --probe
    Probe,
    /// Run it again, once the last holder can no longer act; needs --repeatable or --downstream
    Reclaim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Failed {
    /// The recorded output and status
    Replay,
    /// Run it again
    Rerun,
}

impl From<Indeterminate> for OnIndeterminate {
    fn from(said: Indeterminate) -> Self {
        match said {
            Indeterminate::Refuse => Self::Refuse,
            Indeterminate::Probe => Self::Probe,
            Indeterminate::Reclaim => Self::Reclaim,
        }
    }
}

impl From<Failed> for OnFailed {
    fn from(said: Failed) -> Self {
        match said {
            Failed::Replay => Self::Replay,
            Failed::Rerun => Self::Rerun,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeepOutput {
    /// All of it, up to 1 MiB a stream; a replay of more exits 94
    All,
    /// The last 1 MiB a stream, which a replay prints
    Tail,
    /// Nothing; the command inherits the streams
    None,
}

impl From<Duplicate> for OnDuplicate {
    fn from(duplicate: Duplicate) -> Self {
        match duplicate {
            Duplicate::Replay => Self::Replay,
            Duplicate::AlreadyProcessed => Self::AlreadyProcessed,
            Duplicate::Conflict => Self::Conflict,
        }
    }
}

fn wait(text: &str) -> Result<Wait, String> {
    if text == "forever" {
        return Ok(Wait::Forever);
    }
    humantime::parse_duration(text).map(Wait::For).map_err(|error| format!("{error}; or say forever"))
}
