//! Who delivers, kills and stops.

use super::common::{Answer, Dice, Place, group_of_child, kill};
use super::intents::Intent;
use super::verify;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The place where it happens.
pub struct Torture<'a> {
    pub place: &'a Place,
    pub store: String,
    pub kills: u64,
    pub killed: AtomicUsize,
    pub delivered: AtomicUsize,
    /// Whether a worker found something that must not be.
    pub failed: AtomicBool,
    pub seed: u64,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub deliveries: usize,
    pub kills: usize,
    /// How many of the kills hit a delivery whose command was there.
    pub with_command: usize,
    pub stops: usize,
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            deliveries: sum.deliveries + one.deliveries,
            kills: sum.kills + one.kills,
            with_command: sum.with_command + one.with_command,
            stops: sum.stops + one.stops,
        })
    }
}

/// Longer than the lease of every delivery.
const STOPPED: Duration = Duration::from_millis(1_300);

impl<'a> Torture<'a> {
    pub fn new(place: &'a Place, store: String, kills: u64, seed: u64) -> Self {
        let (killed, delivered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { place, store, kills, killed, delivered, failed: AtomicBool::new(false), seed }
    }

    pub fn is_over(&self) -> bool {
        self.failed.load(Ordering::SeqCst) || self.killed.load(Ordering::SeqCst) as u64 >= self.kills
    }

    /// Delivers until enough deliveries were killed whose command was there. Workers are near each other in the list of intents, so that they meet.
    pub fn work(&self, worker: u64) -> Tally {
        let mut dice = Dice::new(self.seed ^ worker.wrapping_mul(0x9e37_79b9));
        let mut tally = Tally::default();
        let _ends_it = EndsIt(&self.failed);
        while !self.is_over() {
            let done = self.delivered.fetch_add(1, Ordering::SeqCst) as u64;
            let intent = Intent::new(done / 5 + dice.below(4));
            tally.deliveries += 1;
            let mut command = self.place.command(intent.words());
            command.env("SLUICE_STORE", &self.store).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            self.torment(&mut child, &mut dice, &mut tally);
            let answer = Answer(child.wait_with_output().unwrap());
            self.judge(&intent, &answer);
        }
        tally
    }

    /// Lets most of them be killed in one of three ways, some be stopped, and some be.
    fn torment(&self, child: &mut Child, dice: &mut Dice, tally: &mut Tally) {
        let fate = dice.below(10);
        if fate == 9 {
            return;
        }
        let group = if dice.below(5) == 0 { None } else { begun(child) };
        std::thread::sleep(Duration::from_micros(dice.below(120_000)));
        let pid = i64::from(child.id());
        if child.try_wait().unwrap().is_some() {
            return;
        }
        if fate == 8 {
            kill("STOP", pid);
            std::thread::sleep(STOPPED);
            kill("CONT", pid);
            tally.stops += 1;
            return;
        }
        if fate != 0 || group.is_none() {
            kill("KILL", pid);
        }
        if let (0..4, Some(group)) = (fate, group) {
            kill("KILL", -group);
        }
        tally.kills += 1;
        if group.is_some() {
            self.killed.fetch_add(1, Ordering::SeqCst);
            tally.with_command += 1;
        }
    }

    /// What is true of every answer at the moment it is given, whatever happens around it.
    fn judge(&self, intent: &Intent, answer: &Answer) {
        let Some(status) = answer.0.status.code() else { return };
        let lines = verify::lines_of(self.place, &intent.key);
        let happened = lines >= 1 && (lines == 1 || intent.is_repeatable());
        let key = &intent.key;
        assert!(status != 0 || happened, "seed {}: {key} succeeded with {lines} effects", self.seed);
        assert!(status != 0 || answer.stdout() == "done\n", "seed {}: {key} lost its output", self.seed);
        // 137: the command was killed under a sluice that lives; 126: before it began. 69: no room. 4, 5: its own.
        let known = matches!(status, 0 | 4 | 5 | 69 | 75 | 90 | 94 | 126 | 137);
        assert!(known, "seed {}: {key} ended with {status}", self.seed);
        let declined = intent.declined() == Some(status);
        assert!(!declined || lines == 0, "seed {}: {key} failed with {lines} effects", self.seed);
    }

    /// Delivers in peace.
    pub fn deliver(&self, intent: &Intent) -> Answer {
        Answer(self.place.command(intent.words()).env("SLUICE_STORE", &self.store).output().unwrap())
    }

    fn sluice(&self, words: &[impl AsRef<OsStr>]) -> Answer {
        Answer(self.place.command(words).env("SLUICE_STORE", &self.store).output().unwrap())
    }

    /// A person looks at the witness and says what became of every epoch in doubt.
    pub fn say_the_truth(&self, intent: &Intent) {
        let shown = self.sluice(&["effects", "show", &intent.key, "--json"]).expect(0).json();
        let landed = verify::epochs_of(self.place, &intent.key);
        for epoch in shown["unresolved"].as_array().unwrap().iter().filter_map(Value::as_u64) {
            let verdict = if landed.contains(&epoch) { "--landed" } else { "--did-not-land" };
            let (key, epoch) = (intent.key.as_str(), epoch.to_string());
            let reason = "the witness says so";
            let words = ["effects", "resolve", key, verdict, "--epoch", &epoch, "--reason", reason];
            self.sluice(&words).expect(0);
        }
    }

    /// What the ledger lists, by key.
    pub fn records(&self) -> BTreeMap<String, Value> {
        let mut records = BTreeMap::new();
        let mut words =
            vec!["effects".to_owned(), "list".into(), "--json".into(), "--limit".into(), "500".into()];
        loop {
            let page = self.sluice(&words).expect(0).json();
            let items = page["items"].as_array().unwrap();
            records.extend(items.iter().map(|item| (item["key"].as_str().unwrap().to_owned(), item.clone())));
            let Some(next) = page["next"].as_str() else { return records };
            words.truncate(5);
            words.extend(["--after".to_owned(), next.to_owned()]);
        }
    }
}

/// Ends the torture where a worker found something, so that nobody goes on without it.
struct EndsIt<'a>(&'a AtomicBool);

impl Drop for EndsIt<'_> {
    fn drop(&mut self) {
        self.0.fetch_or(std::thread::panicking(), Ordering::SeqCst);
    }
}

/// Waits until a delivery has a command, or has ended without one; the command's process group.
fn begun(child: &mut Child) -> Option<i64> {
    loop {
        let group = group_of_child(child);
        if group.is_some() || child.try_wait().unwrap().is_some() {
            return group;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
