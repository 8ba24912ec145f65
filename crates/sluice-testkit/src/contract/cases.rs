//! Which cases there are, and what each should come to.

use super::change::{different, each_leaf, is_at};
use super::play::{Seen, play};
use sluice::core::contract::{Contract, IdentityKeys, MemberPath};
use sluice::core::key::{InputError, Json};
use sluice::core::lint::is_of_delivery;
use sluice::core::policy::OnDuplicate;

/// What should come of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This.
    To(Seen),
    /// The contract says nothing that could be tried.
    Nothing(&'static str),
}

/// One case, and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is tried.
    pub name: &'static str,
    /// What should come of it.
    pub expected: Expected,
    /// What came of it, where something was tried.
    pub seen: Option<Seen>,
    /// What it means where the two differ.
    pub otherwise: &'static str,
}

impl Case {
    /// Returns whether what was seen is what should be.
    pub fn holds(&self) -> bool {
        match self.expected {
            Expected::To(expected) => self.seen == Some(expected),
            Expected::Nothing(_) => true,
        }
    }
}

/// Plays every case for a contract with one event of its kind: the three that any key must tell apart, and more.
///
/// Each case has a ledger in memory of its own; nothing is performed. Times of the event are not judged.
///
/// # Errors
/// [`InputError`] where the event itself has no key.
///
/// ```
/// use sluice::core::contract::{Contract, IdentityKeys};
/// use sluice::core::key::Json;
/// use sluice_testkit::contract_cases;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let event = Json::parse(br#"{"tenant": "t", "args": {"order_id": "o-1", "amount": 5}, "message_id": "m-1"}"#)?;
/// let good = Contract::builder("pay").identity(["args.order_id"]).scope(["tenant"]).fingerprint(["args.amount"]);
/// let cases = contract_cases(&good.build().unwrap(), &event, &IdentityKeys::default()).await?;
/// assert!(cases.iter().all(|case| case.holds()));
///
/// let bad = Contract::builder("pay").identity(["message_id"]).build().unwrap();
/// let cases = contract_cases(&bad, &event, &IdentityKeys::default()).await?;
/// assert!(!cases[0].holds(), "a repeated event would run it twice");
/// # Ok::<(), sluice::core::key::InputError>(())
/// # }).unwrap();
/// ```
pub async fn contract_cases(
    contract: &Contract,
    event: &Json,
    keys: &IdentityKeys,
) -> Result<Vec<Case>, InputError> {
    // What is tried is the key; an old sample must not be refused for its age, nor a duplicate for a policy.
    let contract =
        Contract { first_sent: None, deadline: None, on_duplicate: OnDuplicate::Replay, ..contract.clone() };
    contract.derive(event, keys, sluice::core::record::LedgerTime(0))?;
    let mut cases = Vec::new();
    for (mut case, variant) in plan(&contract, event) {
        if let Some(variant) = variant {
            case.seen = Some(play(&contract, keys, event, &variant).await);
        }
        cases.push(case);
    }
    Ok(cases)
}

type Planned = (Case, Option<Json>);

fn plan(contract: &Contract, event: &Json) -> Vec<Planned> {
    let mut plan = vec![
        tried(
            "repeated event, with another delivery id, time and attempt",
            Seen::Replayed,
            redelivered(contract, event),
            TWICE,
        ),
        second_event(contract, event),
        tried("new action with the same values", Seen::Ran, new_action(contract, event), SWALLOWED),
    ];
    plan.extend(contract.scope.iter().map(|path| {
        tried(
            "the same ids under another tenant",
            Seen::Ran,
            changed_at(event, path),
            "two tenants would share one effect, and one would hear the other's result",
        )
    }));
    if contract.scope.is_empty() {
        plan.push(nothing("the same ids under another tenant", "the contract has no scope"));
    }
    plan.push(changed_request(contract, event));
    plan.push(tried(
        "a harmless new field",
        Seen::Replayed,
        with_field(event),
        "a sender that adds a field would make every retry a new action or a conflict",
    ));
    plan.push(tried("members in another order", Seen::Replayed, reordered(event), TWICE));
    plan.extend(contract.identity.iter().map(|path| {
        tried("an event without a member of the identity", Seen::NoKey, emptied(event, path), SWALLOWED)
    }));
    plan
}

const TWICE: &str = "the effect would run twice";
const SWALLOWED: &str = "an action would be taken for a repeat, and never run";

fn tried(name: &'static str, expected: Seen, variant: Json, otherwise: &'static str) -> Planned {
    (Case { name, expected: Expected::To(expected), seen: None, otherwise }, Some(variant))
}

fn nothing(name: &'static str, why: &'static str) -> Planned {
    (Case { name, expected: Expected::Nothing(why), seen: None, otherwise: "" }, None)
}

fn enters(contract: &Contract, way: &[String]) -> bool {
    let period = contract.period.as_ref().map(|period| &period.of);
    contract.identity.iter().chain(&contract.scope).chain(period).any(|path| is_at(path, way))
}

fn is_compared(contract: &Contract, way: &[String]) -> bool {
    contract.fingerprint.iter().any(|path| is_at(path, way))
}

/// What belongs to the delivery is another one, also where the contract takes it into the key; what is scheduled stays.
fn redelivered(contract: &Contract, event: &Json) -> Json {
    let is_scheduled = |way: &[String]| contract.period.as_ref().is_some_and(|period| is_at(&period.of, way));
    each_leaf(event, |way, value| {
        (is_of_delivery(way, value) && !is_scheduled(way)).then(|| different(value))
    })
}

/// Everything that neither enters the key nor is compared is another one.
fn second_event(contract: &Contract, event: &Json) -> Planned {
    const NAME: &str = "second event for the same action";
    if contract.one_per_event {
        return nothing(NAME, "the contract says that one event is one action");
    }
    let variant = each_leaf(event, |way, value| {
        let is_other = is_of_delivery(way, value) || !enters(contract, way) && !is_compared(contract, way);
        (is_other && !contract.period.as_ref().is_some_and(|period| is_at(&period.of, way)))
            .then(|| different(value))
    });
    tried(NAME, Seen::Replayed, variant, TWICE)
}

/// A customer's second order for the same amount: ids are new, what many actions have in common is not.
fn new_action(contract: &Contract, event: &Json) -> Json {
    let shared = sluice::core::lint::shared_values(contract, event);
    each_leaf(event, |way, value| {
        let of_key = contract.identity.iter().any(|path| is_at(path, way) && !shared.contains(path));
        let scheduled = contract.period.as_ref().is_some_and(|period| is_at(&period.of, way));
        let delivery = is_of_delivery(way, value) && !enters(contract, way);
        (of_key || scheduled || delivery).then(|| different(value))
    })
}

fn changed_at(event: &Json, path: &MemberPath) -> Json {
    each_leaf(event, |way, value| is_at(path, way).then(|| different(value)))
}

fn changed_request(contract: &Contract, event: &Json) -> Planned {
    const NAME: &str = "the same key for a different request";
    if contract.fingerprint.is_empty() {
        return nothing(NAME, "the contract compares nothing: fingerprint");
    }
    let mut changes = 0;
    let variant = each_leaf(event, |way, value| {
        let is_free = is_compared(contract, way) && !enters(contract, way) && !is_of_delivery(way, value);
        changes += usize::from(is_free);
        is_free.then(|| different(value))
    });
    if changes == 0 {
        return nothing(NAME, "what is compared is the identity itself");
    }
    tried(
        NAME,
        Seen::Conflict,
        variant,
        "a key that is copied or wrong would be answered with somebody else's result",
    )
}

fn with_field(event: &Json) -> Json {
    let Json::Object(members) = event else { return event.clone() };
    let mut name = "a_new_field".to_owned();
    while event.get(&name).is_some() {
        name.push('_');
    }
    let members = members.iter().cloned().chain([(name, Json::from("harmless"))]);
    Json::object(members.collect()).unwrap_or_else(|_| event.clone())
}

/// The same value, put together the other way round.
fn reordered(event: &Json) -> Json {
    match event {
        Json::Object(members) => {
            Json::Object(members.iter().rev().map(|(name, value)| (name.clone(), reordered(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(reordered).collect()),
        leaf => leaf.clone(),
    }
}

fn emptied(event: &Json, path: &MemberPath) -> Json {
    path.with(event, Json::Null)
}
