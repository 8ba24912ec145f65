//! On a terminal the command gets the terminal, and sluice gets it back.

mod common;

use common::{Answer, Place};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a command line on a pseudo-terminal of its own and types into it.
fn on_a_terminal(place: &Place, line: &str, typed: &[u8]) -> Answer {
    let mut command = Command::new("script");
    command.args(["-qec", line, "/dev/null"]).current_dir(place.path(""));
    command.env("SLUICE_STORE", place.store()).env("SLUICE", env!("CARGO_BIN_EXE_sluice"));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed).unwrap();
    Answer(child.wait_with_output().unwrap())
}

#[test]
fn a_command_can_read_from_the_terminal_and_sluice_has_it_again_afterwards() {
    let place = Place::new();
    // A group in the background that reads from its terminal is stopped; both reads would wait for ever.
    let line = "$SLUICE run --key k -- sh -c 'read a; echo \"got $a\"'; read b; echo \"then $b\"";
    let told = on_a_terminal(&place, line, b"one\ntwo\n").stdout();
    assert!(told.contains("got one") && told.contains("then two"), "{told}");
}

#[test]
fn in_a_pipeline_the_terminal_stays_where_it_is() {
    let place = Place::new();
    let line = "$SLUICE run --key k -- echo piped | cat; read b; echo \"then $b\"";
    let told = on_a_terminal(&place, line, b"two\n").stdout();
    assert!(told.contains("piped") && told.contains("then two"), "{told}");
}
