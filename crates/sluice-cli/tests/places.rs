//! Where a ledger may be, and what is said where it may not.

mod common;

use common::Place;

#[test]
fn a_missing_folder_is_not_made_for_a_named_ledger() {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("mount/ledger.db").display());
    let answer = place.sluice(["run", "--store", &store, "--key", "k", "--", "true"]);
    assert!(answer.expect(78).stderr().contains("does not exist"), "{}", answer.stderr());
    assert!(!place.path("mount").exists());
}

#[test]
fn looking_never_makes_a_ledger() {
    let place = Place::new();
    for words in [
        &["effects", "list"][..],
        &["effects", "show", "k"],
        &["explain", "k"],
        &["effects", "resolve", "k", "--landed", "--reason", "x"],
    ] {
        assert!(place.sluice(words).expect(69).stderr().contains("there is no ledger"));
    }
    assert!(!place.path("ledger.db").exists());
}

#[test]
fn a_store_that_is_none_is_a_setting_and_its_text_is_not_repeated() {
    let place = Place::new();
    for (url, status) in [
        ("memory:", 2),
        ("sqlite:", 78),
        ("postgres://u:secret@h/db", 78),
        ("ledger.db", 78),
        ("redis://secret", 78),
    ] {
        let answer = place.sluice(["run", "--store", url, "--key", "k", "--", "true"]);
        assert!(!answer.expect(status).stderr().contains("secret"), "{}", answer.stderr());
    }
}

#[test]
fn without_a_home_there_is_no_default_ledger() {
    let place = Place::new();
    let mut command = place.command(["run", "--key", "k", "--", "true"]);
    command.env_remove("SLUICE_STORE").env_remove("XDG_STATE_HOME").env_remove("HOME");
    if rustix_is_root() {
        println!("not run: root has a default place of its own");
        return;
    }
    assert_eq!(command.output().unwrap().status.code(), Some(78));
}

fn rustix_is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

#[test]
fn the_default_ledger_is_made_private_and_said_once() {
    if rustix_is_root() {
        println!("not run: root's default place is the machine's");
        return;
    }
    let place = Place::new();
    let run = || {
        place
            .command(["run", "--key", "k", "--quiet-replay", "--", "true"])
            .env_remove("SLUICE_STORE")
            .output()
            .unwrap()
    };
    assert!(String::from_utf8_lossy(&run().stderr).contains("new ledger"));
    assert!(run().stderr.is_empty());
}

#[test]
fn a_file_that_is_no_ledger_is_neither_used_nor_overwritten() {
    let place = Place::new();
    for text in [
        &b"this is a text file, and a rather long one, so that nobody takes it for an empty database"[..],
        &[0; 4096],
    ] {
        let file = place.write("ledger.db", text);
        let answer = place.run("k", "echo hit >> $WITNESS");
        assert_eq!(
            answer.expect(69).stderr().lines().next().unwrap().split(':').nth(1),
            Some(" E_STORE"),
            "{}",
            answer.stderr()
        );
        assert_eq!(std::fs::read(file).unwrap(), text);
    }
    assert_eq!(place.witnessed(), 0);
}

#[test]
fn a_mark_outside_of_a_command_is_refused() {
    let place = Place::new();
    place.sluice(["mark"]).expect(2);
    let answer =
        place.command(["mark"]).env("SLUICE_CLAIM", "clm_x").env("SLUICE_EPOCH", "1").output().unwrap();
    assert_eq!(answer.status.code(), Some(2));
}

#[test]
fn one_ledger_by_two_names_is_refused_or_is_one_place() {
    let place = Place::new();
    place.run("first", "true").expect(0);
    std::os::unix::fs::symlink(place.path("ledger.db"), place.path("soft.db")).unwrap();
    let by = |name: &str, key: &str, script: &str| {
        let store = format!("sqlite:{}", place.path(name).display());
        place.sluice(["run", "--store", &store, "--quiet-replay", "--key", key, "--", "sh", "-c", script])
    };
    assert_eq!(by("soft.db", "k", "echo out").expect(0).stdout(), "out\n");
    assert_eq!(by("ledger.db", "k", "echo out").expect(0).stdout(), "out\n");
    assert!(!place.path("soft.db-wal").exists() && !place.path("soft.db.locks").exists());
    std::fs::hard_link(place.path("ledger.db"), place.path("hard.db")).unwrap();
    for name in ["hard.db", "ledger.db"] {
        assert!(by(name, "k2", "echo hit >> $WITNESS").expect(78).stderr().contains("more than one name"));
    }
    assert_eq!(place.witnessed(), 0);
}

#[test]
fn an_outcome_into_a_pipe_is_written_there_and_a_link_is_followed() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let mut child = place.command(["run", "--key", "k", "--outcome", "pipe", "--", "true"]).spawn().unwrap();
    let read = std::fs::read_to_string(place.path("pipe")).unwrap();
    assert!(read.contains("\"answer\":\"executed\"") && child.wait().unwrap().success());
    std::os::unix::fs::symlink("target.json", place.path("link.json")).unwrap();
    place.write("target.json", "old");
    place.run_with("k2", &["--outcome", "link.json"], "true").expect(0);
    assert!(std::fs::read_to_string(place.path("target.json")).unwrap().contains("executed"));
    assert!(place.path("link.json").is_symlink());
    std::os::unix::fs::symlink("nowhere", place.path("dangling.json")).unwrap();
    place.run_with("k3", &["--outcome", "dangling.json"], "true").expect(65);
    assert!(place.path("dangling.json").is_symlink());
}

#[test]
fn a_pipe_that_nobody_reads_does_not_hold_the_answer() {
    let place = Place::new();
    assert!(std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let answer = place.run_with("k", &["--outcome", "pipe"], "echo out");
    assert_eq!(answer.expect(0).stdout(), "out\n");
    assert!(answer.stderr().contains("the outcome is in the ledger"), "{}", answer.stderr());
}

#[test]
fn a_store_variable_that_is_not_utf8_is_no_other_ledger() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let odd = std::ffi::OsStr::from_bytes(b"sqlite:/tmp/\xff.db");
    let answer =
        place.command(["run", "--key", "k", "--", "true"]).env("SLUICE_STORE", odd).output().unwrap();
    assert_eq!(answer.status.code(), Some(78));
}
