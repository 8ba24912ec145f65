//! Which states exist, and which change leads where. The one table; everything else asks it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a ledger says of one intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Somebody holds the right to execute.
    InFlight,
    /// It happened, and that is recorded. Final.
    Succeeded,
    /// It provably did not happen, and repeating the same request would fail again. A person may reopen it.
    Failed,
    /// It provably did not happen; the next delivery may run it.
    Released,
    /// Nobody knows whether it happened.
    Indeterminate,
}

/// What happens to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transition {
    /// A delivery is granted the right to execute.
    Claim,
    /// The holder passes the point of no return.
    Mark,
    /// An execution is known to have landed: by its holder, at once or late, or by a verdict.
    Succeed,
    /// Every execution is known not to have landed, and another would fail too.
    Fail,
    /// Every execution is known not to have landed.
    Release,
    /// At least one execution may have landed, and its holder can no longer say.
    Doubt,
    /// One doubt less (or a better founded one), but not the last.
    Narrow,
    /// A later delivery may repeat what nobody knows, because the effect or its target allows it.
    Reclaim,
    /// A person gives a failed intent another chance.
    Reopen,
    /// A delivery whose own setting allows it runs a failed intent again.
    Rerun,
    /// Something was learned about an older execution that does not decide the record.
    Witness,
}

/// A transition that no rule allows from that state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{transition:?} is not possible from {}", from.map_or("no record", Status::as_str))]
pub struct InvalidTransition {
    /// The state it was tried from; `None` is "no record".
    pub from: Option<Status>,
    /// What was tried.
    pub transition: Transition,
}

/// Gives the state a transition leads to.
///
/// # Errors
/// [`InvalidTransition`] where no rule allows it.
///
/// ```
/// use sluice_core::state::{Status, Transition, next};
/// assert_eq!(next(None, Transition::Claim), Ok(Status::InFlight));
/// assert!(next(Some(Status::Succeeded), Transition::Claim).is_err(), "a success is never run again");
/// ```
pub fn next(from: Option<Status>, transition: Transition) -> Result<Status, InvalidTransition> {
    use Status::{Failed, InFlight, Indeterminate, Released, Succeeded};
    use Transition as T;
    match (from, transition) {
        (None | Some(Released), T::Claim)
        | (Some(InFlight), T::Mark | T::Witness)
        | (Some(Indeterminate), T::Reclaim)
        | (Some(Failed), T::Rerun) => Ok(InFlight),
        (Some(InFlight | Indeterminate | Released | Failed), T::Succeed) | (Some(Succeeded), T::Witness) => {
            Ok(Succeeded)
        }
        (Some(InFlight | Indeterminate), T::Fail) => Ok(Failed),
        (Some(InFlight | Indeterminate), T::Release) | (Some(Failed), T::Reopen) => Ok(Released),
        (Some(InFlight), T::Doubt) | (Some(Indeterminate), T::Narrow) => Ok(Indeterminate),
        _ => Err(InvalidTransition { from, transition }),
    }
}

impl Status {
    /// Every status, in the order people read them.
    pub const ALL: [Self; 5] =
        [Self::InFlight, Self::Succeeded, Self::Failed, Self::Released, Self::Indeterminate];

    /// The stored and printed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Released => "released",
            Self::Indeterminate => "indeterminate",
        }
    }

    /// Reads [`Status::as_str`] back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Transition {
    /// Every transition.
    pub const ALL: [Self; 11] = [
        Self::Claim,
        Self::Mark,
        Self::Succeed,
        Self::Fail,
        Self::Release,
        Self::Doubt,
        Self::Narrow,
        Self::Reclaim,
        Self::Reopen,
        Self::Rerun,
        Self::Witness,
    ];

    /// Whether the transition grants the right to execute, and so raises the epoch.
    pub fn grants(self) -> bool {
        matches!(self, Self::Claim | Self::Reclaim | Self::Rerun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leading_to(target: Status) -> Vec<(Option<Status>, Transition)> {
        let states = [None].into_iter().chain(Status::ALL.map(Some));
        states
            .flat_map(|from| Transition::ALL.map(|transition| (from, transition)))
            .filter(|&(from, transition)| next(from, transition) == Ok(target))
            .collect()
    }

    #[test]
    fn only_a_grant_leads_into_flight() {
        for (from, transition) in leading_to(Status::InFlight) {
            let stays = from == Some(Status::InFlight);
            assert!(stays || transition.grants(), "{from:?} {transition:?}");
        }
    }

    #[test]
    fn nothing_grants_but_a_claim_a_reclaim_and_a_rerun() {
        let grants: Vec<_> = Transition::ALL.into_iter().filter(|transition| transition.grants()).collect();
        assert_eq!(grants, [Transition::Claim, Transition::Reclaim, Transition::Rerun]);
    }

    #[test]
    fn a_success_is_final() {
        for transition in Transition::ALL {
            if let Ok(status) = next(Some(Status::Succeeded), transition) {
                assert_eq!(status, Status::Succeeded, "{transition:?}");
            }
        }
    }

    #[test]
    fn a_mere_claim_never_takes_what_nobody_knows() {
        assert!(next(Some(Status::Indeterminate), Transition::Claim).is_err());
        assert!(next(Some(Status::InFlight), Transition::Claim).is_err());
        assert!(next(Some(Status::Failed), Transition::Claim).is_err());
    }

    #[test]
    fn nothing_but_a_claim_makes_a_record() {
        for transition in Transition::ALL {
            assert_eq!(next(None, transition).is_ok(), transition == Transition::Claim, "{transition:?}");
        }
    }

    #[test]
    fn a_failed_record_leaves_only_by_a_person_a_declared_rerun_or_a_known_landing() {
        let ways: Vec<_> = Transition::ALL
            .into_iter()
            .filter(|&t| next(Some(Status::Failed), t).is_ok_and(|s| s != Status::Failed))
            .collect();
        assert_eq!(ways, [Transition::Succeed, Transition::Reopen, Transition::Rerun]);
    }

    #[test]
    fn every_status_is_reachable_and_none_but_success_is_a_dead_end() {
        for status in Status::ALL {
            assert!(!leading_to(status).is_empty(), "{status} is unreachable");
            let leaves = Transition::ALL
                .into_iter()
                .any(|t| next(Some(status), t).is_ok_and(|target| target != status));
            assert_eq!(leaves, status != Status::Succeeded, "{status}");
        }
    }

    #[test]
    fn names_are_frozen_and_read_back() {
        let names = Status::ALL.map(Status::as_str);
        assert_eq!(names, ["in_flight", "succeeded", "failed", "released", "indeterminate"]);
        for status in Status::ALL {
            assert_eq!(Status::parse(&status.to_string()), Some(status));
        }
        assert_eq!(Status::parse("done"), None);
    }
}
