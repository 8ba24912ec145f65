//! Can the last holder still act? The guard of *did not land* and of a reclaim (RULINGS 10).

use crate::change::LeaseGuard;
use crate::holder::Liveness;
use crate::lease::quiet_after;
use crate::record::{Body, Snapshot};
use crate::unresolved::Doubt;
use std::time::Duration;

/// Why the last holder may still act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotYet {
    /// Something of it still runs; the pid where it could be found.
    Alive(Option<u32>),
    /// It may still send something; ask again after this long.
    Quiet(Duration),
}

/// What must be true of the lease for the last holder to be taken for gone.
///
/// # Errors
/// Why it cannot be yet.
pub(super) fn last_holder(found: &Snapshot, holder: Liveness) -> Result<LeaseGuard, NotYet> {
    let body = &found.record.body;
    if holder.is_gone() || is_gone_by_its_word(body, holder) {
        return Ok(LeaseGuard::Any);
    }
    if let Liveness::Alive(pid) = holder {
        return Err(NotYet::Alive(pid));
    }
    let quiet = quiet_after(body.terms.attempt_timeout);
    match found.lease.until_quiet(quiet) {
        Some(left) => Err(NotYet::Quiet(left)),
        None => Ok(LeaseGuard::EndedFor(quiet)),
    }
}

/// The last holder said itself that its execution is over, or its epoch left no doubt at all: it gave a definite word, or
/// never passed the mark without which it may not act. Older epochs were quiet before it was granted. Nothing that can be
/// seen may contradict it.
fn is_gone_by_its_word(body: &Body, holder: Liveness) -> bool {
    matches!(body.unresolved.why(body.epoch), None | Some(Doubt::Ended))
        && !matches!(holder, Liveness::Alive(_))
}
