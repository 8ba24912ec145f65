//! Mistakes in renewals.

use super::Fault;
use crate::block_on;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::record::Snapshot;
use sluice_core::state::Status;
use sluice_core::store::{Renewed, Store, StoreError};
use std::time::Duration;

/// A renewal as such a store does it.
pub(super) fn renew(
    fault: Fault,
    inner: &dyn Store,
    id: &RecordId,
    (claim, epoch): (ClaimId, Epoch),
    lease: Duration,
) -> Result<Renewed, StoreError> {
    let found = block_on(inner.read(id))?;
    let body = found.as_ref().map(|found| &found.record.body);
    let (mut claim, mut epoch) = (claim, epoch);
    match (fault, body) {
        (Fault::RenewIgnoresClaim, Some(body)) => claim = body.claim,
        (Fault::RenewIgnoresEpoch, Some(body)) => epoch = body.epoch,
        (Fault::RenewMovesNothing, Some(body)) if body.claim == claim && body.epoch == epoch => {
            return Ok(extended(lease, false));
        }
        _ => {}
    }
    if fault == Fault::LostRenewMoves {
        return lost_but_moved(inner, id, found.as_ref(), lease);
    }
    let renewed = block_on(inner.renew(id.clone(), claim, epoch, lease))?;
    Ok(match renewed {
        Renewed::Lost if revives(fault, found.as_ref(), claim, epoch) => extended(lease, false),
        Renewed::Lost => Renewed::Lost,
        Renewed::Extended { remaining, landed_elsewhere } => match fault {
            Fault::LandedNever => extended(remaining, false),
            Fault::LandedByOwnEpoch => extended(remaining, body.is_some_and(|body| !body.landed.is_empty())),
            _ => extended(remaining, landed_elsewhere),
        },
    })
}

fn extended(remaining: Duration, landed_elsewhere: bool) -> Renewed {
    Renewed::Extended { remaining, landed_elsewhere }
}

fn revives(fault: Fault, found: Option<&Snapshot>, claim: ClaimId, epoch: Epoch) -> bool {
    let Some(found) = found else {
        return fault == Fault::RenewsAbsent;
    };
    let body = &found.record.body;
    let own = body.claim == claim && body.epoch == epoch;
    match fault {
        Fault::RenewRevives => own && body.status == Status::InFlight,
        Fault::RenewIgnoresStatus => own && found.lease.is_live(),
        _ => false,
    }
}

/// Renews for whoever holds it, and tells whoever asked that the claim is lost where it was not theirs.
fn lost_but_moved(
    inner: &dyn Store,
    id: &RecordId,
    found: Option<&Snapshot>,
    lease: Duration,
) -> Result<Renewed, StoreError> {
    if let Some(found) = found {
        let body = &found.record.body;
        block_on(inner.renew(id.clone(), body.claim, body.epoch, lease))?;
    }
    Ok(Renewed::Lost)
}
