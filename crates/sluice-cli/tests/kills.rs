//! kill -9 at random moments, and what the next delivery says.
//!
//! `SLUICE_KILLS` sets how many moments are tried (60 without it), `SLUICE_SEED` which.

mod common;

use common::{Answer, Dice, Place, group_of_child, kill, until, words};
use std::process::{Child, Stdio};
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One intent, killed once, delivered again.
struct Case {
    place: Place,
    marked: bool,
    group: bool,
    script: String,
    seed: u64,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let marked = dice.below(3) == 0;
        let group = dice.below(2) == 0;
        let (before, after) = (dice.below(30), dice.below(30));
        let mark = if marked { "$SLUICE mark || exit 75; " } else { "" };
        let script =
            format!("sleep 0.0{before:02}; {mark}echo hit >> $WITNESS; sleep 0.0{after:02}; echo done");
        Self { place: Place::new(), marked, group, script, seed }
    }

    fn words(&self) -> Vec<String> {
        let mut flags = vec!["--lease", "2s", "--wait", "30s"];
        if self.marked {
            flags.push("--marked");
        }
        words("intent", &flags, &self.script)
    }

    fn start(&self) -> Child {
        self.place.command(self.words()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Kills at that moment; tells whether the command still ran. One that had ended by itself is checked like any other.
    fn kill_at(&self, mut child: Child, moment: Duration) -> bool {
        std::thread::sleep(moment);
        let group = group_of_child(&child);
        let running = child.try_wait().unwrap().is_none();
        kill("KILL", i64::from(child.id()));
        if let (true, Some(group)) = (self.group, group) {
            kill("KILL", -group);
        }
        let status = child.wait().unwrap();
        let holds = !status.success() || self.place.witnessed() == 1;
        assert!(holds, "seed {}: a success without its effect", self.seed);
        running
    }

    fn deliver(&self) -> Answer {
        self.place.sluice(self.words())
    }

    fn fail(&self, said: &str, answer: &Answer) -> ! {
        let story = self.place.sluice(["explain", "intent"]);
        panic!("seed {}: {said}\n{}\n{}\n{}", self.seed, answer.stderr(), story.stdout(), self.script);
    }

    /// What is true of every answer.
    fn check(&self, answer: &Answer) {
        let seen = self.place.witnessed();
        if seen > 1 {
            self.fail("two effects", answer);
        }
        if answer.status() == 0 && (seen != 1 || answer.stdout() != "done\n") {
            self.fail("a success without its effect or its output", answer);
        }
        if !matches!(answer.status(), 0 | 75 | 90) {
            self.fail("an answer that is none", answer);
        }
        if answer.status() == 75 && (!self.marked || seen != 0) {
            self.fail("released where something may have happened", answer);
        }
        if answer.status() == 90 && self.marked && seen == 0 && !self.passed_its_mark() {
            self.fail("in doubt although it never passed its mark", answer);
        }
    }

    fn passed_its_mark(&self) -> bool {
        let story = self.place.sluice(["explain", "intent", "--json"]).json();
        story["events"].as_array().unwrap().iter().any(|event| event["event"] == "effect.marked")
    }

    /// Says the truth about an intent in doubt, and delivers it once more.
    fn settle(&self) {
        let landed = self.place.witnessed() == 1;
        let verdict = if landed { "--landed" } else { "--did-not-land" };
        let resolve = || {
            self.place.sluice(["effects", "resolve", "intent", verdict, "--reason", "the witness says so"])
        };
        // An orphan that still runs keeps its lock; nobody may say "did not land" before it ended.
        until("the orphan ends", || resolve().status() == 0);
        let again = self.deliver();
        if landed {
            again.expect(94);
        } else {
            again.expect(0);
        }
        assert_eq!(self.place.witnessed(), 1, "seed {}", self.seed);
    }
}

#[test]
fn a_kill_at_any_moment_leaves_at_most_one_effect_and_an_honest_answer() {
    let kills = number("SLUICE_KILLS", 60);
    let first = number("SLUICE_SEED", 1);
    let (mut running, mut doubts, mut reruns) = (0, 0, 0);
    for seed in first..first + kills {
        let case = Case::new(seed);
        let moment = Duration::from_micros(Dice::new(seed ^ 0xdead).below(90_000));
        running += u64::from(case.kill_at(case.start(), moment));
        let mut answer = case.deliver();
        case.check(&answer);
        if answer.status() == 75 {
            reruns += 1;
            answer = case.deliver();
            case.check(&answer);
        }
        if answer.status() == 90 {
            doubts += 1;
            case.settle();
        }
    }
    println!(
        "{kills} kills: {running} hit a running command, {doubts} left a doubt, {reruns} were released to a waiter"
    );
    assert!(running * 2 > kills, "most kills have to hit something: {running} of {kills}");
    assert!(doubts > 0, "some kills have to leave a doubt");
}

/// Kills a `sluice run` and its command, both at once.
fn kill_whole(mut child: Child) {
    let group = group_of_child(&child).unwrap();
    kill("KILL", i64::from(child.id()));
    kill("KILL", -group);
    child.wait().unwrap();
    // A signal that is sent is not yet one that has struck, and on a busy machine the command may outlive this moment.
    until("nothing of it runs any more", || !group_lives(group));
}

/// Whether a process of the group is there; what is dead and not yet reaped is not.
fn group_lives(group: i64) -> bool {
    let lives = |stat: String| {
        let after_name = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        after_name.is_some_and(|fields| {
            fields.get(2) == Some(&group.to_string()) && fields[0] != "Z" && fields[0] != "X"
        })
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok()).any(lives)
}

/// Kills an unmarked command right after its effect; gives its script.
fn killed_after_its_effect(place: &Place) -> &'static str {
    let script = "echo hit >> $WITNESS; sleep 60";
    let child = place.command(words("k", &[], script)).stderr(Stdio::null()).spawn().unwrap();
    until("the effect happened", || place.witnessed() == 1);
    kill_whole(child);
    script
}

#[test]
fn a_marked_command_that_dies_before_its_mark_runs_again_at_once() {
    let place = Place::new();
    let script =
        "echo $$ > pid; [ -e go ] || sleep 60; $SLUICE mark || exit 75; echo hit >> $WITNESS; echo done";
    let flags = ["--marked"];
    let child = place.command(words("k", &flags, script)).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || place.path("pid").exists());
    kill_whole(child);
    place.write("go", "");
    assert_eq!(place.run_with("k", &flags, script).expect(0).stdout(), "done\n");
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn an_unmarked_command_that_dies_is_in_doubt_at_once() {
    let place = Place::new();
    let script = killed_after_its_effect(&place);
    let answer = place.run_with("k", &["--no-wait"], script);
    assert!(answer.expect(90).stderr().contains("effects resolve k --landed"));
    assert_eq!(place.witnessed(), 1);
}

/// Seconds an orphan sleeps before it acts: 3, or `SLUICE_ORPHAN` (20 in the long run).
fn orphan_seconds() -> u64 {
    number("SLUICE_ORPHAN", 3)
}

#[test]
fn an_orphan_that_acts_late_never_meets_a_second_run() {
    let place = Place::new();
    let script = format!("echo $$ > pid; sleep {}; echo hit >> $WITNESS", orphan_seconds());
    let flags = ["--lease", "1s"];
    let mut child = place.command(words("k", &flags, &script)).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || place.path("pid").exists());
    kill("KILL", i64::from(child.id()));
    child.wait().unwrap();
    let answer = place.run_with("k", &flags, &script);
    answer.expect(90);
    let refused = place.sluice(["effects", "resolve", "k", "--did-not-land", "--reason", "looked"]);
    let pids = std::fs::read_to_string(place.path("pid")).unwrap();
    let who = refused.expect(75).stderr();
    // The shell, or what it started; both hold the lock.
    let named: u32 = who.split("process ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let parent = std::fs::read_to_string(format!("/proc/{named}/stat")).unwrap();
    let group = parent.rsplit_once(')').unwrap().1.split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!(group, pids.trim(), "{who}");
    until("the orphan acts", || place.witnessed() == 1);
    place.run_with("k", &flags, &script).expect(90);
    assert_eq!(place.witnessed(), 1);
    until("the orphan's lock is free", || {
        place.sluice(["effects", "resolve", "k", "--landed", "--reason", "the witness says so"]).status() == 0
    });
    place.run_with("k", &flags, &script).expect(94);
}

#[test]
fn an_orphan_that_marks_late_is_refused_and_never_meets_a_second_run() {
    let place = Place::new();
    let script = format!(
        "echo $$ > pid.$SLUICE_EPOCH; [ $SLUICE_EPOCH -gt 1 ] || sleep {}; $SLUICE mark || {{ echo refused > refused; exit 75; }}; echo hit >> $WITNESS",
        orphan_seconds()
    );
    let flags = ["--lease", "1s", "--marked"];
    let mut child = place.command(words("k", &flags, &script)).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || place.path("pid.1").exists());
    kill("KILL", i64::from(child.id()));
    child.wait().unwrap();
    let mut answer = place.run_with("k", &flags, &script);
    if answer.status() == 75 {
        answer = place.run_with("k", &flags, &script);
    }
    answer.expect(0);
    assert_eq!(place.witnessed(), 1);
    until("the orphan is refused", || place.path("refused").exists());
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_dead_holders_record_can_be_resolved_without_delivering_again() {
    let place = Place::new();
    let script = killed_after_its_effect(&place);
    let resolved = place.sluice(["effects", "resolve", "k", "--landed", "--reason", "the witness says so"]);
    assert!(resolved.expect(0).stdout().contains("indeterminate → succeeded"), "{}", resolved.stdout());
    place.run("k", script).expect(94);
    assert_eq!(place.witnessed(), 1);
}
