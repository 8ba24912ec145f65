//! `sluice key init`: a worked contract to begin with.

use crate::contract::{FILE, write_new};
use crate::exit;
use crate::report::{Fail, tell};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct InitArgs {
    /// Where the events come from
    #[arg(long, value_enum, value_name = "SOURCE")]
    from: Source,
    /// The file to write, which must not be there yet; - for stdout
    #[arg(long, value_name = "FILE", default_value = FILE)]
    to: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// Webhooks of GitHub
    GithubWebhook,
    /// Webhooks of Stripe
    StripeWebhook,
    /// A schedule
    Cron,
    /// Jobs from a queue
    Queue,
    /// Tool calls of a model
    McpTool,
}

impl Source {
    fn text(self) -> &'static str {
        match self {
            Self::GithubWebhook => include_str!("worked/github-webhook.toml"),
            Self::StripeWebhook => include_str!("worked/stripe-webhook.toml"),
            Self::Cron => include_str!("worked/cron.toml"),
            Self::Queue => include_str!("worked/queue.toml"),
            Self::McpTool => include_str!("worked/mcp-tool.toml"),
        }
    }
}

pub fn init(args: &InitArgs) -> Result<u8, Fail> {
    let text = args.from.text();
    if args.to.as_os_str() == "-" {
        tell!("{}", text.trim_end());
        return Ok(exit::OK);
    }
    write_new(&args.to, text, "to see the worked contract: --to -")?;
    Ok(exit::OK)
}
