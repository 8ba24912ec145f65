//! What of a delivery comes from its contract?

use super::identity_keys;
use crate::input;
use crate::report::Fail;
use crate::run::args::{Duplicate, Failed, Indeterminate, RunArgs};
use sluice::core::contract::{Contract, Derived, MemberPath};
use sluice::core::key::{Json, JsonPointer};
use sluice::core::policy::{OnDuplicate, OnFailed, OnIndeterminate};

/// A delivery that a contract speaks for.
#[derive(Clone, Debug)]
pub struct Contracted {
    pub contract: Contract,
    pub derived: Derived,
}

/// Reads contract and event, where the flags name an event, and fills in the flags that were not given: what a person says
/// on the command line goes before the file.
pub fn contracted(args: &mut RunArgs) -> Result<Option<Contracted>, Fail> {
    let Some(event) = &args.event else { return Ok(None) };
    let contract = args.contract.load()?.one(args.effect.as_deref())?.clone();
    let event = Json::parse(&input::json_argument(event)?)?;
    let keys = identity_keys(&contract)?;
    let now = sluice::system::ports().clock.wall();
    let derived = contract.derive(&event, &keys, now)?;
    sluice::check_earlier(&derived)?;
    fill(args, &contract, &derived);
    Ok(Some(Contracted { contract, derived }))
}

fn fill(args: &mut RunArgs, contract: &Contract, derived: &Derived) {
    args.on_duplicate.get_or_insert(match contract.on_duplicate {
        OnDuplicate::Replay => Duplicate::Replay,
        OnDuplicate::AlreadyProcessed => Duplicate::AlreadyProcessed,
        OnDuplicate::Conflict => Duplicate::Conflict,
    });
    args.on_failed.get_or_insert(match contract.on_failed {
        OnFailed::Replay => Failed::Replay,
        OnFailed::Rerun => Failed::Rerun,
    });
    args.remember.get_or_insert(contract.remember);
    args.keep_result.get_or_insert(contract.keep_result);
    or(&mut args.tries, contract.tries);
    or(&mut args.deadline, contract.deadline);
    or(&mut args.circuit, contract.circuit.clone());
    or(&mut args.first_sent, derived.first_sent);
    or(&mut args.delivery, derived.delivery.as_ref().map(|delivery| delivery.as_str().to_owned()));
    or(&mut args.object_id, contract.object_id.as_ref().map(in_result));
    args.repeatable |= contract.repeatable;
    args.marked |= contract.marked;
    // A probe belongs to asking; whoever says on the command line not to ask has no use for it.
    if args.on_indeterminate.is_none_or(|said| said == Indeterminate::Probe) {
        or(&mut args.probe, contract.probe.clone());
    }
    or(
        &mut args.on_indeterminate,
        contract.on_indeterminate.map(|said| match said {
            OnIndeterminate::Refuse => Indeterminate::Refuse,
            OnIndeterminate::Probe => Indeterminate::Probe,
            OnIndeterminate::Reclaim => Indeterminate::Reclaim,
        }),
    );
}

fn or<T>(place: &mut Option<T>, other: Option<T>) {
    if place.is_none() {
        *place = other;
    }
}

/// `result.invoice_id` is `/invoice_id` of what the command prints.
fn in_result(path: &MemberPath) -> String {
    let names = match path.names().split_first() {
        Some((first, rest)) if first == "result" && !rest.is_empty() => rest,
        _ => path.names(),
    };
    JsonPointer::of_names(names.iter().cloned()).to_string()
}
