//! How is a contract put together in code, and what must hold of every one?

use super::error::ContractError;
use super::path::MemberPath;
use super::period::Period;
use super::previous::Previous;
use super::{Contract, UniqueIn};
use crate::downstream::{Profile, known_names, oldest_key};
use crate::near::nearest;
use crate::policy::{OnDuplicate, OnFailed, OnIndeterminate};
use crate::retention;
use std::time::Duration;

/// The longest name of an effect, in characters.
const LONGEST_NAME: usize = 100;
/// More earlier derivations than this would make every delivery slow.
const MOST_PREVIOUS: usize = 8;

/// Builds a [`Contract`]; the first problem is kept and told by [`build`](ContractBuilder::build).
#[derive(Clone, Debug)]
#[must_use = "a builder is no contract: .build()"]
pub struct ContractBuilder {
    contract: Contract,
    problem: Option<ContractError>,
}

impl Contract {
    /// Begins the contract of an effect.
    pub fn builder(effect: impl Into<String>) -> ContractBuilder {
        let contract = Self {
            effect: effect.into(),
            one: None,
            for_each: None,
            definition: None,
            identity: Vec::new(),
            scope: Vec::new(),
            fingerprint: Vec::new(),
            sensitive: Vec::new(),
            identity_key: None,
            object_id: None,
            run_id: None,
            actor: None,
            first_sent: None,
            delivery: None,
            duplicates_arrive_within: None,
            remember: retention::REMEMBER,
            keep_result: retention::KEEP_RESULT,
            on_duplicate: OnDuplicate::default(),
            on_indeterminate: None,
            on_failed: OnFailed::default(),
            repeatable: false,
            marked: false,
            tries: None,
            deadline: None,
            circuit: None,
            downstream: None,
            probe: None,
            also_writes: Vec::new(),
            ids_unique_in: None,
            one_per_event: false,
            period: None,
            previous: Vec::new(),
        };
        ContractBuilder { contract, problem: None }
    }
}

/// Setters for what needs no reading.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $set:expr;)*) => {
        impl ContractBuilder {
            $($(#[$doc])* pub fn $name(self, $name: $type) -> Self {
                self.edit(|contract| { let set: fn(&mut Contract, $type) = $set; set(contract, $name); })
            })*
        }
    };
}

plain! {
    /// Sets for how long the sender may deliver again.
    duplicates_arrive_within: Duration => |contract, time| contract.duplicates_arrive_within = Some(time);
    /// Sets how long the intent is remembered.
    remember: Duration => |contract, time| contract.remember = time;
    /// Sets how long the result is kept.
    keep_result: Duration => |contract, time| contract.keep_result = time;
    /// Sets what a duplicate hears.
    on_duplicate: OnDuplicate => |contract, said| contract.on_duplicate = said;
    /// Sets what a delivery does where nobody knows whether it happened.
    on_indeterminate: OnIndeterminate => |contract, said| contract.on_indeterminate = Some(said);
    /// Sets what a delivery does where it failed before.
    on_failed: OnFailed => |contract, said| contract.on_failed = said;
    /// Says whether running it twice does no harm.
    repeatable: bool => |contract, said| contract.repeatable = said;
    /// Says whether the effect marks its point of no return.
    marked: bool => |contract, said| contract.marked = said;
    /// Sets how many attempts are made under one claim, 1 to 100.
    tries: u32 => |contract, count| contract.tries = Some(count);
    /// Bounds the whole delivery.
    deadline: Duration => |contract, time| contract.deadline = Some(time);
    /// Says within what the ids of the identity are unique.
    ids_unique_in: UniqueIn => |contract, within| contract.ids_unique_in = Some(within);
    /// Says whether one event is one action.
    one_per_event: bool => |contract, said| contract.one_per_event = said;
    /// Says what the target does with keys.
    downstream: Profile => |contract, profile| contract.downstream = Some(profile);
    /// Sets the period.
    period: Period => |contract, period| contract.period = Some(period);
    /// Adds a derivation that was in use before.
    previous: Previous => |contract, previous| contract.previous.push(previous);
}

/// Setters for texts.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl ContractBuilder {
            $($(#[$doc])* pub fn $name(self, $name: impl Into<String>) -> Self {
                self.edit(|contract| contract.$name = Some($name.into()))
            })*
        }
    };
}

texts! {
    /// There should be one …
    one;
    /// … for each …
    for_each;
    /// Says when something counts as that.
    definition;
    /// Names the key that sensitive members are hashed with.
    identity_key;
    /// Names the circuit.
    circuit;
    /// Sets the shell command that asks the target whether it happened.
    probe;
}

/// Setters for lists of paths.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl ContractBuilder {
            $($(#[$doc])* pub fn $name<I>(self, paths: I) -> Self where I: IntoIterator<Item: AsRef<str>> {
                self.and_then(|contract| { contract.$name = parse_paths(paths)?; Ok(()) })
            })*
        }
    };
}

lists! {
    /// Sets the members that tell one action from another.
    identity;
    /// Sets the members within which the identity is unique.
    scope;
    /// Sets the members that are compared when the key comes again.
    fingerprint;
    /// Sets the members that enter a key only as a keyed hash.
    sensitive;
}

/// Setters for one path.
macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl ContractBuilder {
            $($(#[$doc])* pub fn $name(self, path: &str) -> Self {
                self.and_then(|contract| { contract.$name = Some(MemberPath::parse(path)?); Ok(()) })
            })*
        }
    };
}

paths! {
    /// Sets the member of the result that names the object that came out, as in `result.invoice_id`.
    object_id;
    /// Sets the member that names the run.
    run_id;
    /// Sets the member that names who wants it.
    actor;
    /// Sets the member that says when the intent was first sent.
    first_sent;
    /// Sets the member that tells one delivery from another.
    delivery;
}

impl ContractBuilder {
    /// Sets what else the effect writes to.
    pub fn also_writes<I>(self, targets: I) -> Self
    where
        I: IntoIterator<Item: Into<String>>,
    {
        self.edit(|contract| contract.also_writes = targets.into_iter().map(Into::into).collect())
    }

    /// Names a target that is known.
    pub fn downstream_named(self, name: &str) -> Self {
        let unknown = || {
            let near =
                nearest(name, known_names()).map(|near| format!("; {near} may be meant")).unwrap_or_default();
            ContractError::new(format!(
                "no target of that name is known{near}: it is one of {}, or a table that describes yours",
                known_names().join(", ")
            ))
        };
        self.and_then(|contract| {
            contract.downstream = Some(Profile::known(name).ok_or_else(unknown)?);
            Ok(())
        })
    }

    fn edit(mut self, edit: impl FnOnce(&mut Contract)) -> Self {
        edit(&mut self.contract);
        self
    }

    /// Only the first problem is kept, since later ones may follow from it.
    fn and_then(mut self, step: impl FnOnce(&mut Contract) -> Result<(), ContractError>) -> Self {
        if self.problem.is_none() {
            self.problem = step(&mut self.contract).err();
        }
        self
    }

    /// What went wrong so far.
    pub(super) fn take_problem(&mut self) -> Option<ContractError> {
        self.problem.take()
    }

    /// Returns the contract.
    ///
    /// # Errors
    /// [`ContractError`] for a text that is no path, an effect without a usable name, an identity without members (unless
    /// there is a period), a member that is named twice, times out of range, and settings that need another one.
    pub fn build(self) -> Result<Contract, ContractError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let contract = self.contract;
        check_name(&contract.effect)?;
        check_members(&contract.identity, &contract.scope)?;
        if contract.identity.is_empty() && contract.period.is_none() {
            return Err(ContractError::new(
                "identity names no member: name those that tell one action from another, as in identity = [\"args.order_id\"]",
            ));
        }
        contract.previous.iter().try_for_each(|previous| check_previous(&contract, previous))?;
        check_times(&contract)?;
        check_ways_on(&contract)?;
        Ok(contract)
    }
}

fn parse_paths<I>(paths: I) -> Result<Vec<MemberPath>, ContractError>
where
    I: IntoIterator<Item: AsRef<str>>,
{
    paths.into_iter().map(|path| MemberPath::parse(path.as_ref())).collect()
}

fn check_name(name: &str) -> Result<(), ContractError> {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_plain) {
        return Err(ContractError::new(
            "the effect's name has 1 to 100 characters and no white space, as in create_invoice",
        ));
    }
    Ok(())
}

fn check_members(identity: &[MemberPath], scope: &[MemberPath]) -> Result<(), ContractError> {
    for (at, path) in identity.iter().enumerate() {
        if identity[..at].contains(path) || scope.contains(path) {
            return Err(ContractError::new(format!("{path} is named twice in identity and scope")));
        }
    }
    match scope.iter().enumerate().find(|(at, path)| scope[..*at].contains(path)) {
        Some((_, path)) => Err(ContractError::new(format!("{path} is named twice in scope"))),
        None => Ok(()),
    }
}

fn check_previous(contract: &Contract, previous: &Previous) -> Result<(), ContractError> {
    if contract.previous.len() > MOST_PREVIOUS {
        return Err(ContractError::new(
            "previous holds at most 8 derivations: take out those whose intents are forgotten",
        ));
    }
    previous.effect.as_deref().map_or(Ok(()), check_name)?;
    let identity = previous.identity.as_deref().unwrap_or(&contract.identity);
    let scope = previous.scope.as_deref().unwrap_or(&contract.scope);
    check_members(identity, scope)?;
    let says_nothing = previous.effect.is_none()
        && previous.identity.is_none()
        && previous.scope.is_none()
        && previous.identity_key.is_none();
    if says_nothing {
        return Err(ContractError::new(
            "an entry of previous says what was different: effect, identity, scope or identity_key",
        ));
    }
    Ok(())
}

fn check_times(contract: &Contract) -> Result<(), ContractError> {
    if !(retention::SHORTEST..=retention::LONGEST).contains(&contract.remember) {
        return Err(ContractError::new("remember is at least 1s and at most 100 years"));
    }
    if contract.tries.is_some_and(|tries| !(1..=100).contains(&tries)) {
        return Err(ContractError::new("tries is 1 to 100"));
    }
    Ok(())
}

/// What nobody knows is run again only where that does no harm, and asked about only where somebody says how.
fn check_ways_on(contract: &Contract) -> Result<(), ContractError> {
    let honours = contract.downstream.as_ref().is_some_and(|target| oldest_key(target, None).is_some());
    if contract.on_indeterminate == Some(OnIndeterminate::Reclaim) && !contract.repeatable && !honours {
        return Err(ContractError::new(
            "on_indeterminate = \"reclaim\" runs again what nobody knows, so it needs repeatable = true, or a downstream that is known to remember keys",
        ));
    }
    Ok(())
}
