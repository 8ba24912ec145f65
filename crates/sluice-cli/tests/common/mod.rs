//! A ledger in a folder of its own, and the real command against it.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a test waits for something that has to happen before it fails.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A folder with a ledger, removed at the end.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> String {
        format!("sqlite:{}", self.path("ledger.db").display())
    }

    /// The command, with this ledger, this folder as state folder, and nothing on stdin.
    pub fn command<I: IntoIterator<Item: AsRef<OsStr>>>(&self, words: I) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("SLUICE_STORE", self.store()).env("XDG_STATE_HOME", self.path("state"));
        command.env("WITNESS", self.path("witness")).env("SLUICE", env!("CARGO_BIN_EXE_sluice"));
        for name in ["SLUICE_KEY", "SLUICE_CLAIM", "SLUICE_EPOCH", "SLUICE_NAMESPACE"] {
            command.env_remove(name);
        }
        command
    }

    pub fn sluice<I: IntoIterator<Item: AsRef<OsStr>>>(&self, words: I) -> Answer {
        Answer(self.command(words).output().unwrap())
    }

    /// Runs a shell script once per key.
    pub fn run(&self, key: &str, script: &str) -> Answer {
        self.sluice(["run", "--key", key, "--", "sh", "-c", script])
    }

    /// Runs a shell script once per key, with more flags.
    pub fn run_with(&self, key: &str, flags: &[&str], script: &str) -> Answer {
        self.sluice(words(key, flags, script))
    }

    /// How many lines the effect left outside of the ledger.
    pub fn witnessed(&self) -> usize {
        std::fs::read_to_string(self.path("witness")).unwrap_or_default().lines().count()
    }

    /// Whether nothing that was started in this folder runs any more. What is dead and not yet reaped has no folder.
    pub fn is_idle(&self) -> bool {
        let folder = self.folder.path().canonicalize().unwrap();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut folders = processes.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok());
        !folders.any(|working_in| working_in == folder)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The ledger's own word on a key's status.
    pub fn status(&self, key: &str) -> String {
        let shown = self.sluice(["effects", "show", key, "--json"]);
        if shown.status() != 0 {
            return "none".to_owned();
        }
        shown.json()["status"].as_str().unwrap().to_owned()
    }
}

/// The words of a `sluice run` with a key and flags.
pub fn words(key: &str, flags: &[&str], script: &str) -> Vec<String> {
    let mut words = vec!["run", "--key", key];
    words.extend(flags);
    words.extend(["--", "sh", "-c", script]);
    words.into_iter().map(str::to_owned).collect()
}

/// What the command said.
pub struct Answer(pub Output);

impl Answer {
    pub fn status(&self) -> i32 {
        self.0.status.code().expect("the command ended by itself")
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.0.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout()))
    }

    #[track_caller]
    pub fn expect(&self, status: i32) -> &Self {
        assert_eq!(self.status(), status, "stdout: {}\nstderr: {}", self.stdout(), self.stderr());
        self
    }
}

/// Waits until something is true; fails if it never is.
#[track_caller]
pub fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Sends a signal by number to a process, or with a minus to a group.
pub fn kill(signal: &str, target: i64) {
    let sent = Command::new("kill")
        .args([format!("-{signal}"), "--".to_owned(), target.to_string()])
        .stderr(Stdio::null())
        .status();
    let _ = sent.unwrap();
}

/// The process group of a `sluice run`'s command, once it has one.
pub fn group_of_child(parent: &Child) -> Option<i64> {
    let pid = parent.id();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_ascii_whitespace().next()?.parse().ok()
}

/// A small seeded generator: the same seed gives the same plan.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}
