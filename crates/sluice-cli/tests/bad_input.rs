//! Bad input of every kind: one clear sentence, the documented status, no panic, nothing lost.

mod common;

use common::{Answer, Place};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What no message may contain: a panic, a driver's words, a dump of an error type.
const NEVER: [&str; 8] =
    ["panicked", "RUST_BACKTRACE", "rusqlite", "SQLITE_", "Os {", "code:", "unwrap", "this is a bug"];

#[track_caller]
fn refused(answer: &Answer, status: i32, said: &str) {
    answer.expect(status);
    let stderr = answer.stderr();
    assert!(stderr.starts_with("sluice: ") || status == 2, "{stderr}");
    assert!(stderr.contains(said), "{said:?} is not said: {stderr}");
    for word in NEVER {
        assert!(!stderr.contains(word), "{word:?} is said: {stderr}");
    }
}

/// A ledger with one success in it, which has to be there afterwards.
fn with_a_record() -> Place {
    let place = Place::new();
    place.run("before", "echo kept").expect(0);
    place
}

#[track_caller]
fn nothing_was_lost(place: &Place) {
    assert_eq!(place.run("before", "echo kept").expect(0).stdout(), "kept\n");
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str| [open.repeat(10_000), close.repeat(10_000)].concat().into_bytes();
    vec![
        ("nothing", Vec::new()),
        ("no JSON", b"charge me".to_vec()),
        ("half", b"{\"a\":".to_vec()),
        ("two texts", b"{} {}".to_vec()),
        ("a name twice", br#"{"amount":5,"amount":500}"#.to_vec()),
        ("a name twice, deep inside", br#"{"a":[{"b":1,"\u0062":2}]}"#.to_vec()),
        ("a comma too many", b"[1,]".to_vec()),
        ("no number", b"{\"a\":NaN}".to_vec()),
        ("too large a number", b"{\"a\":9007199254740993}".to_vec()),
        ("half a character", br#"{"a":"\ud800"}"#.to_vec()),
        ("no UTF-8", b"{\"a\":\"\xff\"}".to_vec()),
        ("a mark before it", b"\xef\xbb\xbf{}".to_vec()),
        ("a NUL byte", b"{\"a\":\0}".to_vec()),
        ("10,000 lists", deep("[", "]")),
        ("10,000 objects", deep("{\"a\":", "}")),
        ("50 MB", vec![b' '; 50_000_000]),
    ]
}

#[test]
fn a_text_that_is_no_strict_json_is_refused_wherever_it_comes_in() {
    let place = with_a_record();
    place.run("doubt", "exit 3").expect(3);
    for (what, text) in texts() {
        let file = format!("@{}", place.write("text", &text).display());
        println!("{what}");
        let derive = derive(&place, &text);
        refused(&derive, 65, "");
        assert_eq!(derive.stdout(), "");
        for flags in [
            &["run", "--tool", "t", "--args", &file, "--", "true"][..],
            &["run", "--intent", &file, "--", "true"],
            &["run", "--key", "k", "--fingerprint", &file, "--", "true"],
            &["effects", "resolve", "doubt", "--landed", "--reason", "x", "--result", &file],
        ] {
            refused(&place.sluice(flags), 65, "");
        }
    }
    assert_eq!(place.status("doubt"), "indeterminate");
    nothing_was_lost(&place);
}

fn derive(place: &Place, text: &[u8]) -> Answer {
    let mut command = place.command(["key", "derive"]);
    let mut running =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may refuse before it has read everything.
    let _ = running.stdin.take().unwrap().write_all(text);
    Answer(running.wait_with_output().unwrap())
}

#[test]
fn an_intent_is_an_object_and_a_file_has_to_be_there() {
    let place = with_a_record();
    for text in ["[]", "1", "\"text\"", "null"] {
        refused(&place.sluice(["run", "--intent", text, "--", "true"]), 65, "object");
    }
    refused(&place.sluice(["run", "--intent", "@none", "--", "true"]), 65, "cannot be read");
    refused(&place.sluice(["run", "--intent", "@.", "--", "true"]), 65, "");
    nothing_was_lost(&place);
}

#[test]
fn a_key_has_1_to_200_units_and_no_control_characters() {
    let place = with_a_record();
    let (longest, too_long) = ("é".repeat(200), "é".repeat(201));
    let pairs = "\u{1f600}".repeat(100);
    place.run(&longest, "true").expect(0);
    place.run(&pairs, "true").expect(0);
    for key in ["", &too_long, &format!("{pairs}x"), "a\tb", "a\nb", "a\u{7f}b"] {
        refused(&place.run(key, "true"), 65, "key");
        let namespace = place.sluice(["run", "--key", "k", "--namespace", key, "--", "true"]);
        refused(&namespace, 65, "");
    }
    nothing_was_lost(&place);
}

#[test]
fn stdin_beyond_what_is_taken_is_refused_before_anything_runs() {
    let place = with_a_record();
    let mut command =
        place.command(["run", "--key", "k", "--stdin", "--", "sh", "-c", "echo >> \"$WITNESS\""]);
    let mut running =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = running.stdin.take().unwrap().write_all(&vec![b'x'; 64 * 1024 * 1024 + 1]);
    refused(&Answer(running.wait_with_output().unwrap()), 65, "64 MiB");
    assert_eq!((place.witnessed(), place.status("k")), (0, "none".to_owned()));
}

#[test]
fn a_damaged_or_newer_ledger_is_named_and_left_alone() {
    let whole = with_a_record();
    let bytes = std::fs::read(whole.path("ledger.db")).unwrap();
    let mut newer = bytes.clone();
    newer[60..64].copy_from_slice(&7_u32.to_be_bytes());
    let mut scrambled = bytes.clone();
    for byte in &mut scrambled[4096..] {
        *byte ^= 0x5a;
    }
    let table = [
        ("newer", newer, 78, "format 7"),
        ("cut short", bytes[..bytes.len() / 2].to_vec(), 69, ""),
        ("scrambled", scrambled, 69, ""),
        ("another database", b"SQLite format 3\0 and then nothing of it".to_vec(), 69, ""),
        ("text", b"dear diary".repeat(100), 69, ""),
    ];
    for (what, bytes, status, said) in table {
        println!("{what}");
        let place = Place::new();
        let path = place.write("ledger.db", &bytes);
        for words in [
            &["run", "--key", "k", "--", "sh", "-c", "echo >> \"$WITNESS\""][..],
            &["effects", "list"],
            &["explain", "before"],
            &["todo"],
            &["sweep"],
            &["doctor"],
        ] {
            refused(&place.sluice(words), status, said);
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what} was changed");
        assert_eq!(place.witnessed(), 0, "something ran without a ledger");
    }
}

#[test]
fn a_folder_or_a_file_that_is_no_place_for_a_ledger_is_named() {
    let place = with_a_record();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("file", "x");
    for (url, status) in [
        ("sqlite:folder", 78),
        ("sqlite:file/ledger.db", 78),
        ("sqlite:/dev/null", 78),
        ("sqlite:/proc/ledger.db", 69),
        ("sqlite:none/ledger.db", 78),
        ("file:///tmp/x", 78),
        ("mysql://root:secret@host/db", 78),
        ("\u{1b}[31mred", 78),
        (&format!("sqlite:{}", "x".repeat(5000)), 69),
    ] {
        println!("{url}");
        let answer = place.sluice(["run", "--store", url, "--key", "k", "--", "true"]);
        refused(&answer, status, "");
        assert!(
            !answer.stderr().contains("secret") && !answer.stderr().contains('\u{1b}'),
            "{}",
            answer.stderr()
        );
    }
    nothing_was_lost(&place);
}

/// Runs as a user who may do nothing here; none where that cannot be done.
fn as_nobody(place: &Place, words: &[&str], set: &[(&str, &str)]) -> Option<Answer> {
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0);
    if !is_root || Command::new("setpriv").arg("--version").output().is_err() {
        println!("not run: needs root and setpriv");
        return None;
    }
    // A copy that anybody may start, since the build may lie in a folder that only root can enter.
    let copy = std::env::temp_dir().join(format!("sluice-for-nobody-{}", std::process::id()));
    // By another process: a file that this one writes could be open in a child that another test starts just then, and a
    // program that somebody writes cannot be started.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_sluice")).arg(&copy).status();
    assert!(copied.unwrap().success());
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&copy).args(words);
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").stdin(Stdio::null());
    command.env("WITNESS", place.path("witness")).envs(set.iter().copied());
    let answer = Answer(command.output().unwrap());
    let _ = std::fs::remove_file(copy);
    Some(answer)
}

#[test]
fn without_a_home_or_a_permission_the_sentence_says_so() {
    let place = with_a_record();
    let run = ["run", "--key", "k", "--", "true"];
    if let Some(answer) = as_nobody(&place, &run, &[]) {
        refused(&answer, 78, "HOME");
    }
    let store = place.store();
    if let Some(answer) = as_nobody(&place, &run, &[("SLUICE_STORE", &store)]) {
        refused(&answer, if answer.status() == 78 { 78 } else { 69 }, "");
    }
    if let Some(answer) = as_nobody(&place, &run, &[("HOME", "/proc/none")]) {
        refused(&answer, 78, "cannot be made");
    }
    nothing_was_lost(&place);
}

/// A small disk of its own, where mounting is allowed; taken away at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(at).output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            println!("not run: mounting is refused here");
            return None;
        }
        Some(Self(at.to_owned()))
    }

    fn remount(&self, how: &str) {
        let remounted = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(&self.0).status();
        assert!(remounted.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_or_read_only_disk_refuses_before_anything_runs_and_loses_nothing() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.path("disk")) else { return };
    let store = format!("sqlite:{}", disk.0.join("ledger.db").display());
    let run = |key: &str| {
        place.sluice([
            "run",
            "--store",
            &store,
            "--key",
            key,
            "--",
            "sh",
            "-c",
            "echo >> \"$WITNESS\"; echo out",
        ])
    };
    run("before").expect(0);
    // The last bytes that a disk has are taken by whoever comes first.
    let filler = disk.0.join("filler");
    let full = std::fs::write(&filler, vec![0; 4 * 1024 * 1024]);
    assert!(full.is_err(), "the disk is larger than it should be");
    let answer = run("full");
    refused(&answer, 69, "E_STORE");
    assert_eq!(place.witnessed(), 1);
    std::fs::remove_file(&filler).unwrap();
    disk.remount("ro");
    refused(&run("read only"), 69, "");
    disk.remount("rw");
    assert_eq!(run("before").expect(0).stdout(), "out\n");
    assert_eq!(place.witnessed(), 1);
    run("full").expect(0);
    assert_eq!(place.witnessed(), 2);
}
