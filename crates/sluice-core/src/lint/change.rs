//! What happens to intents of the time before, and can two effects meet in one key?

use super::member::finding;
use super::report::{Finding, Lint, Question, Severity};
use crate::contract::{Contract, Contracts, MemberPath, Previous};

/// Says what a change of contracts does to intents that may be delivered again: one list of findings for each effect that was there before.
///
/// ```
/// use sluice_core::contract::Contracts;
/// use sluice_core::lint::changed;
///
/// let file = |text: &str| Contracts::parse(&format!("version = 1\n{text}")).unwrap();
/// let old = file("[effect.pay]\nidentity = [\"cart\"]\n");
/// let silent = changed(&old, &file("[effect.pay]\nidentity = [\"order\"]\n"));
/// assert_eq!(silent[0].findings[0].id, "derivation-changed");
/// let told = "[effect.pay]\nidentity = [\"order\"]\n[[effect.pay.previous]]\nidentity = [\"cart\"]\n";
/// assert!(!changed(&old, &file(told))[0].has_warnings());
/// ```
pub fn changed(old: &Contracts, new: &Contracts) -> Vec<Lint> {
    old.iter().map(|before| Lint::new(&before.effect, None, one(before, new))).collect()
}

fn one(before: &Contract, new: &Contracts) -> Vec<Finding> {
    let same = new.get(&before.effect);
    let knows = |now: &Contract| now.previous.iter().any(|previous| is_that(now, previous, before));
    if same.is_some_and(|now| derives_alike(now, before) || knows(now)) || new.iter().any(knows) {
        return Vec::new();
    }
    let Some(now) = same else {
        return vec![finding(
            "effect-gone",
            Question::Stability,
            Severity::Error,
            &[],
            format!(
                "no contract derives the keys of {} any more: under another name, what is delivered again runs again",
                before.effect
            ),
            format!(
                "where it was renamed, [[effect.NEW.previous]] with effect = \"{}\"; where it ended, nothing",
                before.effect
            ),
        )];
    };
    vec![finding(
        "derivation-changed",
        Question::Stability,
        Severity::Error,
        &[],
        format!(
            "{} of {} changed, so an intent that ran under its old key gets a new one, and runs again when it is delivered again",
            what(now, before),
            before.effect
        ),
        format!(
            "[[effect.{}.previous]] with {}, and replaced_at once no process derives so any more",
            now.effect,
            instead(before)
        ),
    )]
}

fn derives_alike(now: &Contract, before: &Contract) -> bool {
    same(&now.identity, &before.identity)
        && same(&now.scope, &before.scope)
        && now.period == before.period
        && hashed(now) == hashed(before)
}

fn is_that(now: &Contract, previous: &Previous, before: &Contract) -> bool {
    let effect = previous.effect.as_ref().unwrap_or(&now.effect);
    let identity = previous.identity.as_ref().unwrap_or(&now.identity);
    let scope = previous.scope.as_ref().unwrap_or(&now.scope);
    let key = previous.identity_key.as_ref().or(now.identity_key.as_ref());
    *effect == before.effect
        && same(identity, &before.identity)
        && same(scope, &before.scope)
        && now.period == before.period
        && (key == before.identity_key.as_ref() || before.sensitive.is_empty())
}

/// The order of members is no part of a key.
fn same(a: &[MemberPath], b: &[MemberPath]) -> bool {
    a.len() == b.len() && a.iter().all(|path| b.contains(path))
}

/// Which members of the key are hashed, and with what.
fn hashed(contract: &Contract) -> (Vec<&MemberPath>, Option<&String>) {
    let members = contract.identity.iter().chain(&contract.scope);
    let touched = |path: &&MemberPath| contract.sensitive.iter().any(|s| s.covers(path) || path.covers(s));
    let mut touched: Vec<_> = members.filter(touched).collect();
    touched.sort();
    let key = if touched.is_empty() { None } else { contract.identity_key.as_ref() };
    (touched, key)
}

fn what(now: &Contract, before: &Contract) -> &'static str {
    match () {
        () if !same(&now.identity, &before.identity) => "the identity",
        () if !same(&now.scope, &before.scope) => "the scope",
        () if now.period != before.period => "the period",
        () => "the hashing of sensitive members",
    }
}

fn instead(before: &Contract) -> String {
    let list = |paths: &[MemberPath]| {
        paths.iter().map(|path| format!("{:?}", path.as_str())).collect::<Vec<_>>().join(", ")
    };
    format!("identity = [{}] and scope = [{}]", list(&before.identity), list(&before.scope))
}

/// Two effects whose keys can be equal: one that was called what another is called now, with the same members.
pub(super) fn shared(one: &Contract, all: &Contracts) -> Vec<Finding> {
    let meets = |other: &&Contract| {
        other.effect != one.effect && one.previous.iter().any(|previous| is_that(one, previous, other))
    };
    let met = all.iter().filter(meets);
    met.map(|other| finding(
        "two-effects-one-key", Question::Uniqueness, Severity::Error, &[],
        format!("an earlier derivation of {} gives the key that {} gives now: one would be answered with the other's result", one.effect, other.effect),
        "another name for one of them, or previous without it once its intents are forgotten",
    )).collect()
}
