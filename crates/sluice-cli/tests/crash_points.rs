//! A process is killed at every named point, and the next delivery says what is known.
//!
//! [`POINTS`] is the one list: what is tried, what is expected, and the table in `docs/crash-matrix.md`.
#![cfg(debug_assertions)]

mod common;
#[path = "../src/crash.rs"]
mod crash;

use After::{InDoubt, Replays, Runs};
use Killed::{Both, Command, Sluice};
use common::{Place, until, words};
use crash::Moment;

/// A point at which something is killed, and what the next delivery finds.
struct Point {
    name: &'static str,
    says: &'static str,
    killed: Killed,
    /// For a plain command, one with `--marked`, and one with `--repeatable`.
    after: [After; 3],
}

/// What dies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Killed {
    Sluice,
    Command,
    Both,
}

/// What the next delivery does, and how many effects there are then.
#[derive(Clone, Copy, Debug, PartialEq)]
enum After {
    /// It runs the command and succeeds.
    Runs(usize),
    /// It says that nobody knows.
    InDoubt(usize),
    /// It replays the first run's output.
    Replays(usize),
}

/// The commands, by their flags.
const COMMANDS: [(&str, &[&str]); 3] =
    [("plain", &[]), ("marked", &["--marked"]), ("repeatable", &["--repeatable"])];

const fn point(name: &'static str, says: &'static str, killed: Killed, after: [After; 3]) -> Point {
    Point { name, says, killed, after }
}

const POINTS: [Point; 15] = [
    point("lock-taken", "the lock is taken", Sluice, [Runs(1), Runs(1), Runs(1)]),
    point("launcher-ready", "the launcher waits, nothing is claimed", Sluice, [Runs(1), Runs(1), Runs(1)]),
    point("claimed", "the claim is durable, nothing was begun", Sluice, [InDoubt(0), Runs(1), Runs(1)]),
    point("ordered", "the launcher has its order", Command, [InDoubt(0), Runs(1), Runs(1)]),
    point("begun", "the command began", Both, [InDoubt(0), Runs(1), Runs(1)]),
    point("begun", "the command began", Command, [InDoubt(0), Runs(1), Runs(1)]),
    point("begun", "the command began, and goes on", Sluice, [InDoubt(1), InDoubt(1), Runs(2)]),
    point("marked", "the command passed its mark, if it has one", Both, [InDoubt(0), InDoubt(0), Runs(1)]),
    point("marked", "the command passed its mark, if it has one", Command, [InDoubt(0), InDoubt(0), Runs(1)]),
    point("acted", "the effect happened", Both, [InDoubt(1), InDoubt(1), Runs(2)]),
    point("acted", "the effect happened", Command, [InDoubt(1), InDoubt(1), Runs(2)]),
    point("acted", "the effect happened, and the command goes on", Sluice, [InDoubt(1), InDoubt(1), Runs(2)]),
    point(
        "command-ended",
        "the command ended, nothing is settled",
        Sluice,
        [InDoubt(1), InDoubt(1), Runs(2)],
    ),
    point("settled", "the outcome is settled, nobody heard it", Sluice, [Replays(1), Replays(1), Replays(1)]),
    point("answered", "the output is out", Sluice, [Replays(1), Replays(1), Replays(1)]),
];

/// The shell's part: the same command kills at the points that lie inside of it, on the first run alone.
fn script(point: &Point, marked: bool) -> String {
    let victims = match point.killed {
        Sluice => "$PPID",
        Command => "$$",
        Both => "$PPID $$",
    };
    let at = |name| {
        if name == point.name {
            format!("[ $SLUICE_EPOCH -gt 1 ] || kill -KILL {victims}; ")
        } else {
            String::new()
        }
    };
    let mark = if marked { "$SLUICE mark || exit 75; " } else { "" };
    let (begun, passed, acted) = (at("begun"), at("marked"), at("acted"));
    format!("{begun}{mark}{passed}echo hit >> $WITNESS; {acted}echo done")
}

/// Kills at a point, delivers again, and gives what that came to.
fn tried(point: &Point, flags: &[&str]) -> After {
    let place = Place::new();
    let marked = flags.contains(&"--marked");
    let words = words("intent", flags, &script(point, marked));
    let first = place.command(&words).env("SLUICE_CRASH_AT", point.name).output().unwrap();
    assert_eq!(first.status.code().is_none(), point.killed != Command, "{}: {:?}", point.name, first.status);
    until("nothing of it runs", || place.is_idle());
    let before = place.witnessed();
    let again = place.sluice(&words);
    let runs = place.witnessed() > before;
    let after = match (again.status(), runs) {
        (0, true) => Runs(place.witnessed()),
        (0, false) => Replays(place.witnessed()),
        (90, false) => InDoubt(place.witnessed()),
        (status, _) => panic!("{}: {status} {}", point.name, again.stderr()),
    };
    let status = if matches!(after, InDoubt(_)) { "indeterminate" } else { "succeeded" };
    assert_eq!(place.status("intent"), status, "{} {flags:?}", point.name);
    assert!(status != "succeeded" || again.stdout() == "done\n", "{}: {}", point.name, again.stdout());
    settle(&place, after, &words);
    after
}

/// The truth settles whatever is in doubt, and then there is one effect.
fn settle(place: &Place, after: After, words: &[String]) {
    if let InDoubt(effects) = after {
        let verdict = if effects == 1 { "--landed" } else { "--did-not-land" };
        place.sluice(["effects", "resolve", "intent", verdict, "--reason", "the witness says so"]).expect(0);
        place.sluice(words).expect(if effects == 1 { 94 } else { 0 });
        assert_eq!((place.witnessed(), place.status("intent").as_str()), (1, "succeeded"));
    }
}

#[test]
fn a_death_at_any_point_leaves_what_the_matrix_says() {
    let mut wrong = vec![];
    for point in &POINTS {
        for ((name, flags), expected) in COMMANDS.iter().zip(point.after) {
            let found = tried(point, flags);
            if found != expected {
                wrong.push(format!(
                    "{} ({:?}), {name}: {found:?} and not {expected:?}",
                    point.name, point.killed
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_list_has_every_moment_that_the_command_can_die_at() {
    for moment in Moment::ALL {
        assert!(POINTS.iter().any(|point| point.name == moment.name()), "{moment:?} is in no row");
    }
    crash::reach(Moment::Answered);
}

fn cell(after: After) -> String {
    match after {
        Runs(1) => "runs".to_owned(),
        Runs(effects) => format!("runs again: {effects} effects"),
        InDoubt(0) => "in doubt; it did not happen".to_owned(),
        InDoubt(_) => "in doubt; it happened".to_owned(),
        Replays(_) => "replays".to_owned(),
    }
}

#[test]
fn the_table_in_the_documentation_is_this_list() {
    let row = |point: &Point| {
        let killed = match point.killed {
            Sluice => "sluice",
            Command => "the command",
            Both => "both",
        };
        let [plain, marked, repeatable] = point.after.map(cell);
        format!("| {} | {} | {killed} | {plain} | {marked} | {repeatable} |", point.name, point.says)
    };
    let table: Vec<_> = POINTS.iter().map(row).collect();
    let documented = include_str!("../../../docs/crash-matrix.md");
    assert!(documented.contains(&table.join("\n")), "docs/crash-matrix.md has to say:\n{}", table.join("\n"));
}
