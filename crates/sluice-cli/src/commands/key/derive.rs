//! `sluice key derive`: from intents to keys.

use crate::exit;
use crate::input;
use crate::report::Fail;
use crate::warnings;
use clap::Args;
use serde_json::json;
use sluice::core::key::{InputError, Json, Suspicions};
use sluice::{Code, Error};
use std::io::Write;

#[derive(Args, Debug)]
pub struct DeriveArgs {
    /// The intent: JSON, @FILE, or - for stdin (also the default)
    intent: Option<String>,
    /// Print the canonical JSON instead of the key
    #[arg(long)]
    canonical: bool,
    /// One JSON text per input line, one object per output line
    #[arg(long, conflicts_with = "canonical")]
    jsonl: bool,
    /// Say nothing on stderr about members that should not be in a key
    #[arg(long)]
    no_warn: bool,
}

pub fn derive(args: &DeriveArgs) -> Result<u8, Fail> {
    let text = input::json_argument(args.intent.as_deref().unwrap_or("-"))?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.jsonl {
        let mut found = (!args.no_warn).then(warnings::Lines::default);
        let (status, written) = lines(&text, &mut out, found.as_mut());
        // Whoever reads the answer may have heard enough.
        let _ = written.and_then(|()| out.flush());
        found.iter().for_each(warnings::Lines::say);
        return Ok(status);
    }
    let value = Json::parse(&text)?;
    let said = if args.canonical { value.canonical() } else { value.key().to_string() };
    let _ = writeln!(out, "{said}").and_then(|()| out.flush());
    if !args.no_warn {
        warnings::of_parts(&Suspicions::of_parts(&value));
    }
    Ok(exit::OK)
}

/// One answer per line, in order. A last line feed opens no further line.
fn lines(
    text: &[u8],
    out: &mut impl Write,
    mut found: Option<&mut warnings::Lines>,
) -> (u8, std::io::Result<()>) {
    if text.is_empty() {
        return (exit::OK, Ok(()));
    }
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut status = exit::OK;
    for line in text.split(|byte| *byte == b'\n') {
        let answer = match Json::parse(line) {
            Ok(value) => {
                if let Some(found) = &mut found {
                    found.add(&Suspicions::of_parts(&value));
                }
                json!({"v": 1, "key": value.key().as_str(), "canonical": value.canonical()})
            }
            Err(error) => {
                status = exit::BAD_INPUT;
                refused(error)
            }
        };
        if let Err(error) = writeln!(out, "{answer}") {
            return (status, Err(error));
        }
    }
    (status, Ok(()))
}

fn refused(error: InputError) -> serde_json::Value {
    let error = Error::from(error);
    debug_assert_eq!(error.code(), Code::InvalidInput);
    json!({"v": 1, "error": {"code": error.code().as_str(), "message": error.to_string()}})
}
