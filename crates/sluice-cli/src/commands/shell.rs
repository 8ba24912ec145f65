//! `sluice completions` and `sluice man`: what a shell and a reader want to know of the command itself.

use super::Cli;
use crate::exit;
use crate::input::reason;
use crate::report::Fail;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sluice", &mut script);
    print(&script)
}

#[derive(Args, Debug)]
pub struct ManArgs {
    /// Write one page per command into this folder instead of printing the first one
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints or writes the manual.
pub fn man(args: &ManArgs) -> Result<u8, Fail> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        // Rendering into memory cannot fail.
        let _ = clap_mangen::Man::new(Cli::command()).render(&mut page);
        return Ok(print(&page));
    };
    clap_mangen::generate_to(Cli::command(), folder).map(|()| exit::OK).map_err(|error| {
        let said = format!("the pages cannot be written to {}: {}", folder.display(), reason(&error));
        Fail::Status(exit::BAD_INPUT, said)
    })
}

fn print(text: &[u8]) -> u8 {
    // Whoever reads it may have seen enough.
    let _ = std::io::stdout().lock().write_all(text);
    exit::OK
}
