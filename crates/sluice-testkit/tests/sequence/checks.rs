//! What must hold whatever was decided. Nothing here asks `decide`.

use super::world::World;
use sluice_core::ids::Epoch;
use sluice_core::record::Record;
use sluice_core::state::{Status, Transition, next};
use sluice_core::unresolved::Doubt;

/// Why a change was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Claim,
    Mark,
    Lapse,
    /// The word of the holder of this epoch.
    Word(Epoch),
    /// A verdict about this epoch.
    Verdict(Epoch),
}

type Verdict = Result<(), String>;

fn ensure(holds: bool, what: &str, before: Option<&Record>, after: &Record, cause: Cause) -> Verdict {
    if holds { Ok(()) } else { Err(format!("{what} by {cause:?}: {before:#?} became {after:#?}")) }
}

/// Whether a change is one that the table knows and the promise allows.
pub fn check_change(before: Option<&Record>, after: &Record, cause: Cause) -> Verdict {
    let must = |holds, what: &str| ensure(holds, what, before, after, cause);
    let (from, to) = (before.map(|record| record.body.status), after.body.status);
    must(Transition::ALL.iter().any(|way| next(from, *way) == Ok(to)), "a way that the table does not have")?;
    let settled = matches!(to, Status::Released | Status::Failed);
    must(!settled || after.body.unresolved.is_empty(), "settled while an epoch is in doubt")?;
    must(to != Status::Succeeded || !after.body.landed.is_empty(), "a success that nobody reported")?;
    must(to != Status::Indeterminate || !after.body.unresolved.is_empty(), "in doubt about no epoch")?;
    let epoch = before.map_or(0, |record| record.body.epoch.0);
    let grown = after.body.epoch.0 - epoch;
    must(
        grown == u64::from(cause == Cause::Claim),
        "an epoch that did not grow by one with each grant and only then",
    )?;
    let version = before.map_or(0, |record| record.version.0);
    must(after.version.0 == version + 1, "a version that did not grow by one")?;
    let Some(before) = before else { return Ok(()) };
    must(before.body.status != Status::Succeeded || to == Status::Succeeded, "a success that was left")?;
    must(before.body.landed.is_subset(&after.body.landed), "a landing that was forgotten")?;
    must(before.body.fingerprint == after.body.fingerprint, "a fingerprint that changed")?;
    must(before.body.downstream == after.body.downstream, "a downstream key that changed")?;
    let epochs = before.body.unresolved.epochs();
    for gone in epochs.filter(|epoch| after.body.unresolved.why(*epoch).is_none()) {
        // A holder that once said that it does not know has no definite word left, a success aside.
        let definite = before.body.unresolved.why(gone) == Some(Doubt::Lapsed) && cause == Cause::Word(gone);
        let may = to == Status::Succeeded || definite || cause == Cause::Verdict(gone);
        must(may, &format!("{gone} left doubt without a word, a verdict or a success"))?;
    }
    Ok(())
}

/// Whether the record says what is true, as long as nobody lied.
pub fn check_truth(world: &World<'_>) -> Verdict {
    let Some(record) = world.model.record.as_ref().filter(|_| !world.lied) else {
        return Ok(());
    };
    let landed: Vec<_> = world.grants.iter().filter(|grant| grant.landed).map(|grant| grant.epoch).collect();
    if landed.len() > 1 {
        return Err(format!("the effect took hold {} times: {landed:?}", landed.len()));
    }
    match record.body.status {
        Status::Released | Status::Failed if !landed.is_empty() => {
            Err(format!("{} though {landed:?} took hold: {record:#?}", record.body.status))
        }
        Status::Succeeded if landed.is_empty() => {
            Err(format!("succeeded though nothing took hold: {record:#?}"))
        }
        _ => Ok(()),
    }
}
