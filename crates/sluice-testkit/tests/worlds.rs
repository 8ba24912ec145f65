//! The world: one seed, one trace; what it found; what it must find.

use sluice_testkit::chaos::{Report, Way, compare, comparison, fuzz_plan, markdown, play, shrink};
use sluice_testkit::invariants::Invariant;
use sluice_testkit::plants::{PLANTS, catch};
use sluice_testkit::scenarios::Scenario;
use sluice_testkit::world::{Plan, World};
use std::path::{Path, PathBuf};
use std::thread;

/// Which seeds of each scenario are golden.
const GOLDEN: [u64; 2] = [1, 2];

fn golden(scenario: Scenario, seed: u64) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/goldens/{}-{seed}.txt", scenario.as_str()))
}

/// Everything that happened, and the counts. `UPDATE_SNAPSHOTS=1` writes them anew.
#[test]
fn golden_traces_are_exact() {
    for scenario in Scenario::ALL {
        for seed in GOLDEN {
            let told = World::new(scenario.plan(seed)).run();
            let text = format!(
                "{}executions {}, landings {:?}, answers {:?}, ended {:?}, waited for a person {}\n",
                told.trace, told.executions, told.landings_each, told.answers, told.ended, told.parked
            );
            assert!(told.violations.is_empty(), "{told}");
            let path = golden(*scenario, seed);
            if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
        }
    }
}

#[test]
fn one_seed_gives_one_trace() {
    for seed in 0..200 {
        let (one, other) = (World::new(fuzz_plan(seed)).run(), World::new(fuzz_plan(seed)).run());
        assert_eq!(one.digest(), other.digest(), "seed {seed}");
    }
}

#[test]
fn no_promise_breaks_in_any_kind_of_world() {
    let play = |scenarios: &[Scenario]| {
        for scenario in scenarios {
            let summary = play(Some(*scenario), 0..60, |_| true);
            assert_eq!(summary.broken, 0, "{}:\n{}", scenario.as_str(), summary.tests.join("\n"));
            assert!(summary.landings > 0, "nothing ever happens in {}", scenario.as_str());
        }
    };
    let (one, other) = Scenario::ALL.split_at(Scenario::ALL.len() / 2);
    thread::scope(|scope| {
        scope.spawn(|| play(one));
        scope.spawn(|| play(other));
    });
}

#[test]
fn no_promise_breaks_in_random_worlds() {
    thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || {
                let summary = play(None, part * 1000..(part + 1) * 1000, |_| true);
                assert_eq!(summary.broken, 0, "{}", summary.tests.join("\n"));
            });
        }
    });
}

#[test]
fn every_planted_bug_is_caught() {
    assert!(PLANTS.len() >= 20);
    let (one, other) = PLANTS.split_at(PLANTS.len() / 2);
    let check = |plants: &'static [sluice_testkit::plants::Plant]| {
        let missed: Vec<_> =
            plants.iter().filter(|plant| catch(plant, 60).is_none()).map(|plant| plant.name).collect();
        assert!(missed.is_empty(), "nothing catches {missed:?}");
    };
    thread::scope(|scope| {
        scope.spawn(|| check(one));
        scope.spawn(|| check(other));
    });
}

#[test]
fn a_broken_world_is_made_small_and_still_breaks() {
    let plant = PLANTS.iter().find(|plant| plant.name == "unknown-is-released").unwrap();
    let plan = (0..1000).map(|seed| Scenario::Mixed.plan(seed)).find(|plan| breaks(plan, plant.how)).unwrap();
    let broken = [Invariant::I1, Invariant::I3];
    let small = shrink(&plan, Some(plant.how), &broken);
    assert!(breaks(&small, plant.how));
    assert!(small.deliveries.len() <= 3 && small.intents.len() == 1, "{small:?}");
    assert!(small.mishaps.len() <= plan.mishaps.len());
}

fn breaks(plan: &Plan, how: sluice_testkit::plants::How) -> bool {
    let told = World::with(plan.clone(), how).run();
    told.violations.iter().any(|violation| matches!(violation.invariant, Invariant::I1 | Invariant::I3))
}

/// The kinds of worlds, the invariants, and which of both still wait for their rules.
#[test]
fn what_is_missing_is_named() {
    let mut all: Vec<_> = Scenario::ALL.iter().map(|scenario| scenario.as_str()).collect();
    all.extend(Scenario::MISSING);
    all.sort_unstable();
    let mut wanted = [
        "duplicate-delivery",
        "timeout-then-success",
        "crash-before-effect",
        "crash-mid-effect",
        "crash-mid-gate",
        "retry-storm",
        "clock-skew",
        "slow-downstream",
        "out-of-order-decision",
        "zombie-holder",
        "orphan",
        "suspended-host",
        "lost-claim-answer",
        "doubled-claim",
        "store-outage",
        "wrong-verdict-then-late-success",
        "outage",
        "target-forgets",
        "target-replays-failures",
        "laundering",
        "key-reuse",
        "derivation-change",
        "retention-boundary",
        "lost-writes",
        "rolling-upgrade",
        "mixed",
    ];
    wanted.sort_unstable();
    assert_eq!(all, wanted);
    let unchecked: Vec<_> =
        Invariant::ALL.iter().filter(|one| !one.is_checked()).map(ToString::to_string).collect();
    assert_eq!(unchecked, ["I4", "I5"]);
}

#[test]
fn naive_retry_does_twice_what_sluice_does_once() {
    let (sluice, naive) = (compare(Way::Sluice, false, 10), compare(Way::Naive, false, 10));
    assert_eq!((sluice.doubled, sluice.superfluous), (0, 0));
    assert!(naive.doubled > naive.intents / 4, "{naive:?}");
    assert_eq!(naive.parked, 0);
}

/// Found by the world: each broke a promise, or was stuck, before it was mended.
#[test]
fn what_the_world_found_stays_mended() {
    // A waiter heard that its intent did not happen, although a newer execution ran by then, and took hold.
    assert!(World::new(Scenario::LostClaimAnswer.plan(414)).run().violations.is_empty());
    // A verdict waited a minute for a holder that had given its word.
    assert!(World::new(fuzz_plan(69)).run().violations.is_empty());
    // A claim that nobody heard of was not given back where the ledger stayed away for long.
    assert!(World::new(fuzz_plan(1994)).run().violations.is_empty());
    assert!(World::new(fuzz_plan(23029)).run().violations.is_empty());
    // The world's own locks outlived a holder whose refused word was lost.
    assert!(World::new(fuzz_plan(661_086)).run().violations.is_empty());
    // The world's own locks were let go between two attempts under one claim.
    assert!(World::new(fuzz_plan(9474)).run().violations.is_empty());
    assert!(World::new(fuzz_plan(15_170)).run().violations.is_empty());
}

/// On so many seeds of each kind of world the published figures rest.
const PUBLISHED: u64 = 40;

/// The figures in the documentation are generated, and so the code's. `UPDATE_SNAPSHOTS=1` writes them anew.
#[test]
fn the_published_figures_are_those_of_the_code() {
    let report = Report::make(PUBLISHED);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let json = serde_json::to_string_pretty(&report).unwrap() + "\n";
    same(&root.join("chaos/results/latest.json"), |_| json.clone());
    same(&root.join("docs/chaos.md"), |text| between(text, &markdown(&report)));
    same(&root.join("README.md"), |text| between(text, &comparison(&report)));
}

fn same(path: &Path, generated: impl Fn(&str) -> String) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let expected = generated(&text);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, expected).unwrap();
    } else {
        assert!(text == expected, "{} is not what the code says: UPDATE_SNAPSHOTS=1", path.display());
    }
}

/// What stands between the two marks is generated.
fn between(text: &str, generated: &str) -> String {
    const MARKS: [&str; 2] = ["<!-- generated: chaos -->\n", "<!-- end of generated -->"];
    let (before, rest) = text.split_once(MARKS[0]).expect("the mark where generated figures begin");
    let (_, after) = rest.split_once(MARKS[1]).expect("the mark where generated figures end");
    format!("{before}{}{generated}{}{after}", MARKS[0], MARKS[1])
}

#[test]
fn attempts_stay_few_however_much_fails() {
    let (mut executions, mut intents, mut refused) = (0, 0, 0);
    for seed in 0..60 {
        let plan = Scenario::RetryStorm.plan(seed);
        intents += plan.intents.len();
        let told = World::new(plan).run();
        executions += told.executions;
        refused += told.answers[1];
    }
    // I6. Thirty of a hundred requests fail in the storm, half of them in silence.
    assert!(executions * 2 <= intents * 3, "{executions} attempts for {intents} intents, {refused} refused");
    assert!(executions > intents, "nothing was ever tried again");
}
