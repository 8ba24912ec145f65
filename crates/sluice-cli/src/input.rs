//! How JSON comes in: as an argument, from a file, from stdin.

use crate::exit;
use crate::report::Fail;
use std::io::{IsTerminal, Read};

/// Largest JSON text that is read, in bytes.
pub const JSON_LIMIT: u64 = 16 * 1024 * 1024;
/// Largest stdin that is taken for a command, in bytes.
pub const STDIN_LIMIT: u64 = 64 * 1024 * 1024;

/// Reads the JSON text an argument stands for: itself, `@file`, or `-` for stdin.
pub fn json_argument(argument: &str) -> Result<Vec<u8>, Fail> {
    match argument.strip_prefix('@') {
        Some(path) => file(path),
        None if argument == "-" => stdin(JSON_LIMIT),
        None => Ok(argument.as_bytes().to_vec()),
    }
}

/// The same for an argument that is a path where it does not begin as JSON does.
pub fn json_or_path(argument: &str) -> Result<Vec<u8>, Fail> {
    let is_json = argument.trim_start().starts_with(['{', '[', '"', '@']) || argument == "-";
    if is_json { json_argument(argument) } else { file(argument) }
}

/// Reads a file of at most [`JSON_LIMIT`] bytes.
pub fn file(path: &str) -> Result<Vec<u8>, Fail> {
    let opened = std::fs::File::open(path).map_err(|error| {
        Fail::Status(exit::BAD_INPUT, format!("{path} cannot be read: {}", reason(&error)))
    })?;
    read(opened, JSON_LIMIT, path)
}

/// Reads all of stdin, at most so many bytes; a terminal is refused, since nobody would type it there.
pub fn stdin(limit: u64) -> Result<Vec<u8>, Fail> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Fail::usage(
            "stdin is a terminal: give the text as an argument, as @file, or through a pipe",
        ));
    }
    read(stdin.lock(), limit, "stdin")
}

fn read(from: impl Read, limit: u64, name: &str) -> Result<Vec<u8>, Fail> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).map_err(|error| {
        Fail::Status(exit::BAD_INPUT, format!("{name} cannot be read: {}", reason(&error)))
    })?;
    if bytes.len() as u64 > limit {
        let said =
            format!("{name} is longer than {} MiB, which is the most that is taken", limit / 1024 / 1024);
        return Err(Fail::Status(exit::BAD_INPUT, said));
    }
    Ok(bytes)
}

/// What an error of the operating system means, without its path and number.
pub fn reason(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => "there is no such file or folder",
        Kind::PermissionDenied => "permission denied",
        Kind::IsADirectory => "it is a folder",
        Kind::NotADirectory => "a part of the path is no folder",
        Kind::StorageFull => "no space is left",
        Kind::ReadOnlyFilesystem => "the file system is read-only",
        _ => "the system refused it",
    }
}
