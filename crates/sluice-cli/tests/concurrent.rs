//! The same delivery many times at once, from many processes.

mod common;

use common::{Place, words};
use std::process::Stdio;

#[test]
fn sixty_four_processes_with_one_key_run_it_once_and_all_say_the_same() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; sleep 0.3; echo the-answer; echo aside >&2";
    let children: Vec<_> = (0..64)
        .map(|_| {
            let mut command = place.command(words("same", &["--quiet-replay"], script));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let answers: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for answer in &answers {
        let stderr = String::from_utf8_lossy(&answer.stderr);
        assert_eq!(
            (answer.status.code(), answer.stdout.as_slice()),
            (Some(0), &b"the-answer\n"[..]),
            "{stderr}"
        );
        assert!(stderr.contains("aside"), "{stderr}");
    }
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn different_keys_from_many_processes_all_run() {
    let place = Place::new();
    let children: Vec<_> = (0..24)
        .map(|n| {
            let key = format!("key {n}");
            let mut command = place.command(words(&key, &[], "echo hit >> $WITNESS"));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let answer = child.wait_with_output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    }
    assert_eq!(place.witnessed(), 24);
}

#[test]
fn a_failure_is_told_to_everyone_who_waited_for_it() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; sleep 0.3; echo declined; exit 4";
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = place.command(words("declined", &["--exit", "4=failed"], script));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let answer = child.wait_with_output().unwrap();
        assert_eq!((answer.status.code(), answer.stdout.as_slice()), (Some(4), &b"declined\n"[..]));
    }
    assert_eq!(place.witnessed(), 1);
}
