//! `sluice chaos`: plays worlds in which everything goes wrong, and says whether a promise broke.

use crate::exit;
use crate::report::{Fail, say};
use clap::Args;
use serde_json::json;
use sluice_testkit::chaos::{Report, Summary, markdown, plan_of, play};
use sluice_testkit::scenarios::Scenario;
use sluice_testkit::world::World;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ChaosArgs {
    /// Only worlds of this kind; random ones of any kind without it
    #[arg(long, value_parser = scenario)]
    scenario: Option<Scenario>,
    /// The first seed; one seed is one world, always
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many seeds; for one, everything that happens is told
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    seeds: u64,
    /// List the kinds of worlds
    #[arg(long)]
    list: bool,
    /// Write the figures of the documentation anew: JSON, and Markdown with --markdown
    #[arg(long, hide = true)]
    report: bool,
    #[arg(long, hide = true, requires = "report")]
    markdown: bool,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

fn scenario(name: &str) -> Result<Scenario, String> {
    Scenario::parse(name).ok_or_else(|| "no kind of world has that name: sluice chaos --list".to_owned())
}

pub fn chaos(args: &ChaosArgs) -> Result<u8, Fail> {
    let mut out = std::io::stdout().lock();
    if args.list {
        let _ = Scenario::ALL.iter().try_for_each(|scenario| writeln!(out, "{}", scenario.as_str()));
        return Ok(exit::OK);
    }
    if args.report {
        let report = Report::make(args.seeds);
        let text = if args.markdown { markdown(&report) } else { json!(report).to_string() };
        let _ = writeln!(out, "{text}");
        return Ok(exit::OK);
    }
    if args.seeds == 1 && !args.json {
        let told = World::new(plan_of(args.scenario, args.seed)).run();
        let _ = writeln!(out, "{told}");
        return Ok(if told.violations.is_empty() { exit::OK } else { exit::FINDINGS });
    }
    let summary = all(args)?;
    let _ = if args.json {
        writeln!(out, "{}", document(args, &summary))
    } else {
        tell(&mut out, args, &summary)
    };
    Ok(if summary.broken == 0 { exit::OK } else { exit::FINDINGS })
}

/// Plays every seed, on as many threads as there are cores: worlds know nothing of each other.
fn all(args: &ChaosArgs) -> Result<Summary, Fail> {
    let end = args.seed.checked_add(args.seeds).ok_or_else(|| Fail::usage("there are not so many seeds"))?;
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let played = AtomicU64::new(0);
    let parts = std::thread::scope(|scope| {
        let part = |number: u64| {
            let share = args.seeds.div_ceil(threads);
            let seeds = (args.seed + number * share).min(end)..(args.seed + (number + 1) * share).min(end);
            scope.spawn(|| one(args, seeds, &played))
        };
        let running: Vec<_> = (0..threads).map(part).collect();
        running.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let whole =
        parts.into_iter().try_fold(Summary::default(), |all, part| part.ok().map(|part| all.and(part)));
    whole.ok_or_else(|| Fail::Status(exit::BUG, "a world broke down".to_owned()))
}

fn one(args: &ChaosArgs, seeds: Range<u64>, played: &AtomicU64) -> Summary {
    let watched = std::io::stderr().is_terminal();
    play(args.scenario, seeds, |_| {
        let so_far = played.fetch_add(1, Ordering::Relaxed) + 1;
        if watched && so_far.is_multiple_of(10_000) {
            say(&format!("{so_far} of {} worlds", args.seeds));
        }
        true
    })
}

fn document(args: &ChaosArgs, summary: &Summary) -> serde_json::Value {
    let scenario = args.scenario.map(Scenario::as_str);
    json!({"v": 1, "scenario": scenario, "first_seed": args.seed, "seeds": args.seeds, "summary": summary})
}

fn tell(out: &mut impl Write, args: &ChaosArgs, summary: &Summary) -> std::io::Result<()> {
    let Summary { worlds, broken, intents, executions, landings, parked, virtual_seconds, .. } = summary;
    let kind = args.scenario.map_or("random", Scenario::as_str);
    writeln!(
        out,
        "{worlds} {kind} worlds from seed {} on, {} virtual hours",
        args.seed,
        virtual_seconds / 3600
    )?;
    writeln!(out, "{intents} intents, {executions} executions, {landings} landings at the target")?;
    writeln!(
        out,
        "told: {} done, {} did not happen, {} anything else; {parked} waited for a person",
        summary.told_done, summary.told_not, summary.told_other
    )?;
    writeln!(out, "{broken} worlds broke a promise")?;
    for (invariant, count) in &summary.violations {
        writeln!(out, "  {invariant} {count} times")?;
    }
    summary.tests.iter().try_for_each(|test| writeln!(out, "\n{test}"))
}
