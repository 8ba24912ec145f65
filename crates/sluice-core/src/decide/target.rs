//! What the rules of the target allow: another execution under the same key, or a new key.

use super::delivery::Plan;
use crate::downstream::{KeyAge, LastAnswer, may_rotate, oldest_key};
use crate::outcome::Outcome;
use crate::record::{Body, Downstream, Snapshot};
use crate::state::{Status, Transition};

/// How old the record's key may be for the delivery to repeat, under the same key, what nobody knows; `None` where it may
/// not at all: its target is not known to recognise keys for long enough, or takes no key like the one that was used.
pub(super) fn repeats_by_key(found: &Snapshot, plan: &Plan) -> Option<KeyAge> {
    let profile = plan.target.as_deref()?;
    let at_most = oldest_key(profile, plan.terms.attempt_timeout)?;
    profile.header_value(&found.record.body.downstream.key).ok()?;
    Some(KeyAge { first_used: found.record.key_first_used(), at_most })
}

/// Whether an intent that runs again gets a new key for its target (DESIGN rule 9).
///
/// The new one becomes part of the record in the claim's own change, which is committed before anything is sent.
pub fn rotates(found: &Snapshot, plan: &Plan) -> bool {
    let body = &found.record.body;
    let (Some(profile), Outcome::Fault(last)) = (plan.target.as_deref(), &body.outcome) else {
        return false;
    };
    let is_unresolved = !body.unresolved.is_empty() || !body.landed.is_empty();
    let answer = LastAnswer { class: last.class, from_target: last.from_target, is_unresolved };
    matches!(body.status, Status::Released | Status::Failed) && may_rotate(profile, answer)
}

/// The key after a claim by this transition. Where it is replaced, it counts as used since the record last changed, which is
/// never later than its first use.
pub(super) fn next_key(found: &Snapshot, plan: &Plan, transition: Transition) -> Option<Downstream> {
    let Body { downstream, .. } = &found.record.body;
    let next = plan.replacement.as_ref()?;
    let is_next = Some(next.rotation) == downstream.rotation.checked_add(1);
    let begins_anew = matches!(transition, Transition::Claim | Transition::Rerun);
    (is_next && begins_anew && rotates(found, plan))
        .then(|| Downstream { first_used: Some(found.record.updated), ..next.clone() })
}
