//! A ledger forgets what it may, when it may, and never what nobody knows.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::sample::{claim_id, first_claim, id, lapse, mark, next_claim, release, success};
use sluice_core::change::Unmet;
use sluice_core::ids::RecordId;
use sluice_core::outcome::{Kept, NotKept, Outcome};
use sluice_core::record::{LedgerTime, Snapshot};
use sluice_core::retention::{AHEAD, Batch, FirstSent, KEEP_RESULT, Misplaced, REMEMBER, later};
use sluice_core::state::Status;
use sluice_core::store::Swept;
use sluice_core::trail::EventKind;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("a result goes when its time is over, and its record stays as it was", results),
    rule("a record goes when its time is over, and its key is new again", records),
    rule("nothing goes a millisecond too early", early),
    rule("what is in flight or in doubt is never swept", unresolved),
    rule(
        "a sweep takes no more than it was asked for, the longest due first, and says where there is more",
        bounded,
    ),
    rule("one event of the ledger tells what a sweep took, and none tells of nothing", one_event),
    rule("a sweep is no change of any record", no_change),
    rule("every change begins the time of its record anew", anew),
    rule("a wall clock that jumps halts retention", halted),
    rule("an accepted clock ends the halt, is written down, and no age counts from before it", accepted),
    rule("what was stamped in the future by a clock that was taken back goes in its own time", future),
    rule("ledger time follows the clock that never steps", steady),
    rule("the time at which an intent was first sent is judged on ledger time, with the change", first_sent),
];

const MS: Duration = Duration::from_millis(1);

fn done(bench: Bench<'_>, id: &RecordId) -> Result<Snapshot, String> {
    let claimed = bench.claim(id)?;
    bench.applied(id, success(&claimed, b"\"receipt\""))
}

fn result_of(found: &Snapshot) -> Result<&Kept, String> {
    match &found.record.body.outcome {
        Outcome::Success(kept) => Ok(kept),
        other => Err(format!("no success but {other:?}")),
    }
}

fn results(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let before = done(bench, &id("k"))?;
    subject.advance(KEEP_RESULT);
    same("what a sweep took", &bench.sweep(10)?, &Swept { results: 1, ..Swept::default() })?;
    let after = bench.found(&id("k"))?;
    let kept = result_of(&after)?;
    same("the result", &kept.value, &Err(NotKept::Expired))?;
    same("its size and digest", &(kept.bytes, kept.sha256), &(Some(9), result_of(&before)?.sha256))?;
    let mut expected = before.record;
    expected.body.outcome = after.record.body.outcome.clone();
    same("the record", &after.record, &expected)?;
    same("what a second sweep took", &bench.sweep(10)?, &Swept::default())
}

fn records(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    done(bench, &id("done"))?;
    bench.released(&id("released"))?;
    subject.advance(REMEMBER);
    same("what a sweep took", &bench.sweep(10)?, &Swept { records: 2, ..Swept::default() })?;
    for key in ["done", "released"] {
        same("a record whose time is over", &bench.read(&id(key))?, &None)?;
        let again = bench.claim(&id(key))?;
        same("the version of a new record", &again.record.version.0, &1)?;
        same("the events of a new record", &bench.events(&id(key))?.len(), &1)?;
    }
    Ok(())
}

fn early(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    done(bench, &id("k"))?;
    subject.advance(KEEP_RESULT.saturating_sub(MS));
    same("what a sweep took too early", &bench.sweep(10)?, &Swept::default())?;
    subject.advance(REMEMBER.saturating_sub(KEEP_RESULT));
    same("what a sweep took", &bench.sweep(10)?, &Swept { results: 1, ..Swept::default() })?;
    ensure!(bench.read(&id("k"))?.is_some(), "a record went too early");
    subject.advance(MS);
    same("what a sweep took in time", &bench.sweep(10)?.records, &1)
}

fn unresolved(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.claim(&id("running"))?;
    let claimed = bench.claim(&id("doubt"))?;
    bench.advance(60_000);
    bench.applied(&id("doubt"), lapse(&claimed))?;
    subject.advance(REMEMBER * 40);
    same("what a sweep took", &bench.sweep(10)?, &Swept::default())?;
    same("what is in flight", &bench.found(&id("running"))?.record.body.status, &Status::InFlight)?;
    same("what is in doubt", &bench.found(&id("doubt"))?.record.body.status, &Status::Indeterminate)
}

fn bounded(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ["e", "d", "c", "b", "a"].map(id);
    for id in &ids {
        done(bench, id)?;
        bench.advance(10);
    }
    subject.advance(REMEMBER);
    same("what a sweep took", &bench.sweep(2)?, &Swept { records: 2, more: true, ..Swept::default() })?;
    for (number, id) in ids.iter().enumerate() {
        same("what is left", &bench.read(id)?.is_some(), &(number >= 2))?;
    }
    same("what a sweep of nothing took", &bench.sweep(0)?.records, &0)?;
    same("what the last sweep took", &bench.sweep(10)?, &Swept { records: 3, ..Swept::default() })
}

fn one_event(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut batch = Batch::default();
    for key in ["a", "b"] {
        batch.record(&done(bench, &id(key))?.record);
        bench.advance(10);
    }
    bench.sweep(10)?;
    same("events where nothing went", &bench.ledger_events()?.len(), &0)?;
    subject.advance(REMEMBER);
    bench.sweep(10)?;
    let events = bench.ledger_events()?;
    same("events of one sweep", &events.len(), &1)?;
    same("the event of a sweep", &Some(events[0].draft.clone()), &batch.event())?;
    same("its time", &events[0].at, &bench.condition()?.time)
}

fn no_change(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    done(bench, &id("k"))?;
    bench.claim(&id("running"))?;
    let before =
        (bench.events(&id("k"))?, bench.found(&id("k"))?.record.version, bench.found(&id("running"))?);
    subject.advance(KEEP_RESULT);
    bench.sweep(10)?;
    same("the events", &bench.events(&id("k"))?, &before.0)?;
    same("the version", &bench.found(&id("k"))?.record.version, &before.1)?;
    same("the version of another", &bench.found(&id("running"))?.record.version, &before.2.record.version)
}

fn anew(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let released = bench.released(&id("k"))?;
    subject.advance(REMEMBER.saturating_sub(MS));
    let claimed = bench.applied(&id("k"), next_claim(&released, claim_id()))?;
    bench.applied(&id("k"), release(&claimed))?;
    subject.advance(REMEMBER.saturating_sub(MS));
    same("what a sweep took", &bench.sweep(10)?, &Swept::default())?;
    subject.advance(MS);
    same("what a sweep took in time", &bench.sweep(10)?.records, &1)
}

/// A bit more than the hour that clocks may differ by.
const JUMP_MS: i64 = 60 * 60 * 1000 + 1000;

fn halted(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ten_years = 10 * 365 * 24 * 60 * 60 * 1000;
    for jump in [JUMP_MS, -JUMP_MS, ten_years, -ten_years] {
        done(bench, &id(&format!("k {jump}")))?;
        subject.advance(REMEMBER);
        subject.step_wall(jump);
        same("what a halted sweep took", &bench.sweep(10)?, &Swept { is_halted: true, ..Swept::default() })?;
        ensure!(bench.condition()?.is_halted, "the ledger does not say that retention is halted");
        ensure!(bench.read(&id(&format!("k {jump}")))?.is_some(), "a record went while retention is halted");
        subject.step_wall(-jump);
        ensure!(bench.condition()?.time == bench.condition()?.wall, "ledger time followed a jump");
        bench.accept()?;
    }
    Ok(())
}

fn accepted(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    done(bench, &id("k"))?;
    subject.advance(REMEMBER);
    subject.step_wall(JUMP_MS);
    bench.sweep(10)?;
    let condition = bench.accept()?;
    same("whether it is halted", &condition.is_halted, &false)?;
    same("ledger time", &condition.time, &condition.wall)?;
    let event = bench.ledger_events()?.into_iter().next().map(|event| event.draft);
    let told = event.map(|event| (event.kind, event.by, event.reason));
    same("the event", &told, &Some((EventKind::ClockAccepted, Some("ada".into()), Some("looked".into()))))?;
    in_its_time(bench, subject)
}

/// One success is there, whose age counts from this moment.
fn in_its_time(bench: Bench<'_>, subject: &dyn Subject) -> Verdict {
    same("what a sweep took at once", &bench.sweep(10)?, &Swept::default())?;
    subject.advance(KEEP_RESULT);
    same("what it took a week later", &bench.sweep(10)?.results, &1)?;
    subject.advance(REMEMBER.saturating_sub(KEEP_RESULT).saturating_sub(MS));
    same("what it took a bit too early", &bench.sweep(10)?.records, &0)?;
    subject.advance(MS);
    same("what it took in time", &bench.sweep(10)?.records, &1)
}

fn future(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ten_years = 10 * 365 * 24 * 60 * 60 * 1000;
    subject.step_wall(ten_years);
    bench.accept()?;
    let stamped = done(bench, &id("k"))?.record.updated;
    subject.step_wall(-ten_years);
    let accepted = bench.accept()?.time;
    ensure!(accepted < stamped, "the clock was not taken back");
    in_its_time(bench, subject)
}

fn steady(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let before = bench.claim(&id("a"))?.record.updated;
    subject.step_wall(30 * 60 * 1000);
    bench.advance(1_500);
    let condition = bench.condition()?;
    same("ledger time", &condition.time, &LedgerTime(before.0 + 1_500))?;
    same("whether half an hour halts it", &condition.is_halted, &false)?;
    let wall = later(condition.time, Duration::from_mins(30));
    same("the clock on the wall", &condition.wall, &wall)?;
    same("the time of a change", &bench.claim(&id("b"))?.record.updated, &condition.time)
}

fn first_sent(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let now = bench.condition()?.time;
    let sent = |at| Some(FirstSent { at, remember: REMEMBER });
    let first = |at| first_claim(claim_id()).when_sent(sent(at));
    let day = 24 * 60 * 60 * 1000;
    let oldest = LedgerTime(now.0 - i64::try_from(REMEMBER.as_millis()).unwrap_or(0) + day);
    bench.refused(&id("k"), first(LedgerTime(oldest.0 - 1)), Unmet::Sent(Misplaced::TooOld))?;
    bench.refused(&id("k"), first(LedgerTime(later(now, AHEAD).0 + 1)), Unmet::Sent(Misplaced::InFuture))?;
    bench.applied(&id("old"), first(oldest))?;
    bench.applied(&id("new"), first(later(now, AHEAD)))?;
    // A record that is there is found before the time is looked at, and a guard without a time asks for none.
    bench.refused(&id("old"), first(LedgerTime(0)), Unmet::Record)?;
    bench.applied(&id("old"), mark(&bench.found(&id("old"))?)).map(drop)
}
