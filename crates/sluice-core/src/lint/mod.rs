//! What can be said of a key before the first run?
//!
//! A contract answers four questions: is the key the same for every delivery of one action (stability), does it differ
//! between actions (uniqueness), within which boundary does it hold (scope), and for how long (lifetime). Beside them stand
//! what it tells about people (privacy) and what the target does with keys (downstream). Names and looks prove nothing, so
//! a finding says why, and what to write instead.

mod change;
mod lifetime;
mod member;
mod names;
mod parts;
mod report;
mod scope;
mod stability;
mod uniqueness;

pub use change::changed;
pub use parts::parts;
pub use report::{Finding, Lint, Question, Severity, Verdict};

use crate::contract::{Contract, Contracts, MemberPath};
use crate::key::Json;

/// Looks through one contract; a sample event lets it judge by what stands in the members too.
///
/// ```
/// use sluice_core::contract::Contract;
/// use sluice_core::lint::{Question, Verdict, contract};
///
/// let built = |identity: &[&str]| Contract::builder("charge").identity(identity).build().unwrap();
/// let found = contract(&built(&["customerId", "amountCents"]), None);
/// assert_eq!(found.findings[0].id, "only-shared-values");
/// assert_eq!(found.verdict(Question::Uniqueness), Verdict::Problem);
/// assert!(!contract(&built(&["order_id"]), None).has_errors());
/// ```
pub fn contract(contract: &Contract, sample: Option<&Json>) -> Lint {
    let members = member::all(contract, sample);
    let mut findings = Vec::new();
    stability::look(contract, &members, &mut findings);
    uniqueness::look(contract, &members, &mut findings);
    scope::look(contract, &members, &mut findings);
    lifetime::look(contract, &mut findings);
    Lint::new(&contract.effect, Some(contract), findings)
}

/// Returns whether a redelivery brings another value to the member at these names: an id of a delivery, a counter of
/// attempts, a clock.
///
/// ```
/// use sluice_core::key::Json;
/// use sluice_core::lint::is_of_delivery;
/// assert!(is_of_delivery(&["message_id".to_owned()], &Json::from("m-1")));
/// assert!(!is_of_delivery(&["order_id".to_owned()], &Json::from("o-1")));
/// ```
pub fn is_of_delivery(names: &[String], value: &Json) -> bool {
    names::is_of_delivery(names, value)
}

/// Returns whether the member names a boundary within which ids are unique: a tenant, an account, a shop.
pub fn is_boundary(path: &MemberPath) -> bool {
    names::is_boundary(path.names())
}

/// Returns the members of the identity that many actions have in common: amounts, states, addresses, and who it is about.
pub fn shared_values(contract: &Contract, sample: &Json) -> Vec<MemberPath> {
    let members = member::all(contract, Some(sample));
    let shared = contract.identity.iter().zip(&members).filter(|(_, member)| uniqueness::is_shared(member));
    shared.map(|(path, _)| path.clone()).collect()
}

/// Looks through the contracts of a file, and for two effects that can produce one key.
pub fn contracts(all: &Contracts) -> Vec<Lint> {
    let one = |one: &Contract| {
        let mut lint = contract(one, None);
        lint.findings.extend(change::shared(one, all));
        lint
    };
    all.iter().map(one).collect()
}
