//! Writes an outcome down: again and again while the ledger is away, then as evidence for a later run.

use super::Either;
use crate::held::Held;
use crate::sluice::Sluice;
use sluice_core::change::Unmet;
use sluice_core::decide::{self, SettleStep};
use sluice_core::outcome::{Kept, NotKept};
use sluice_core::ports::{Report, Unrecorded};
use sluice_core::record::Snapshot;
use sluice_core::store::{StoreError, StoreErrorKind, Written};
use std::sync::Arc;
use std::time::Duration;

/// First pause between two tries.
const PAUSE_FIRST: Duration = Duration::from_millis(25);
/// Longest pause between two tries.
const PAUSE_LONGEST: Duration = Duration::from_secs(1);

/// What became of an outcome.
pub(crate) enum Settled {
    /// It is in the ledger, and this is the record now.
    Recorded(Arc<Snapshot>),
    /// It contradicts what is in the ledger, which stands.
    Refused(Arc<Snapshot>),
    /// The ledger does not know it; it was given to the evidence port.
    Unrecorded {
        /// Whether the port could keep it.
        is_spooled: bool,
    },
}

/// Settles one claim's outcome, as patiently as the handle was told to; what cannot be settled goes to the evidence port.
pub(crate) async fn settle(sluice: &Sluice, held: &Held, report: &Report) -> Settled {
    match offer(sluice, held, report, sluice.inner.settings.settle_patience).await {
        Settled::Unrecorded { .. } => Box::pin(spool(sluice, held, report)).await,
        settled => settled,
    }
}

/// Offers an outcome to the ledger for so long.
pub(crate) async fn offer(sluice: &Sluice, held: &Held, report: &Report, patience: Duration) -> Settled {
    let started = sluice.inner.ports.clock.elapsed();
    let mut pause = PAUSE_FIRST;
    let mut found = Some(held.snapshot());
    let mut smaller: Option<Box<Report>> = None;
    loop {
        let offered = smaller.as_deref().unwrap_or(report);
        let tried = match found.take() {
            Some(found) => step(sluice, held, found, offered).await,
            None => look(sluice, held).await,
        };
        match tried {
            Ok(Tried::Settled(settled)) => return settled,
            Ok(Tried::Found(now)) => found = Some(now),
            Ok(Tried::Vanished) => return Settled::Unrecorded { is_spooled: false },
            Err(error) => {
                let waited = sluice.inner.ports.clock.elapsed().saturating_sub(started);
                if !(error.is_retryable() || error.outcome_unknown) || waited >= patience {
                    // A success survives its result: where there is no room for both, there may be for the one.
                    let finds_no_room = !may_take_it_later(error.kind);
                    match without_result(report).filter(|_| smaller.is_none() && finds_no_room) {
                        Some(report) => smaller = Some(Box::new(report)),
                        None => return Settled::Unrecorded { is_spooled: false },
                    }
                    continue;
                }
                sluice.inner.ports.sleep.sleep(pause).await;
                pause = (pause * 2).min(PAUSE_LONGEST);
            }
        }
    }
}

/// Whether what is kept aside may well find its room in the ledger later, the result with it.
fn may_take_it_later(kind: StoreErrorKind) -> bool {
    matches!(kind, StoreErrorKind::Busy | StoreErrorKind::Unavailable)
}

fn without_result(report: &Report) -> Option<Report> {
    let Report::Success { kept: Kept { bytes, sha256, value: Ok(_) }, object_id } = report else {
        return None;
    };
    let kept = Kept { bytes: *bytes, sha256: *sha256, value: Err(NotKept::TooLarge) };
    Some(Report::Success { kept, object_id: object_id.clone() })
}

enum Tried {
    Settled(Settled),
    Found(Arc<Snapshot>),
    Vanished,
}

async fn look(sluice: &Sluice, held: &Held) -> Result<Tried, StoreError> {
    let found = sluice.inner.store.read(&held.id).await?;
    Ok(found.map_or(Tried::Vanished, |found| Tried::Found(found.into())))
}

async fn step(
    sluice: &Sluice,
    held: &Held,
    found: Arc<Snapshot>,
    report: &Report,
) -> Result<Tried, StoreError> {
    // A change is large: it is handed on before anything is awaited, so that no task has to keep room for it.
    let asked = match decide::settle(&found, held.claim, held.epoch, report) {
        SettleStep::Write(change) => Either::First(sluice.inner.store.apply(held.id.clone(), change)),
        SettleStep::Refused(event) => Either::Second(sluice.inner.store.notice(held.id.clone(), event)),
        SettleStep::Already => return Ok(Tried::Settled(Settled::Recorded(found))),
        SettleStep::Unheard => return Ok(Tried::Vanished),
        SettleStep::Lost => return Ok(Tried::Settled(Settled::Refused(found))),
    };
    let written = match asked {
        Either::First(written) => written.await?,
        Either::Second(noticed) => {
            // A notice that cannot be written changes nothing about the answer.
            let _ = noticed.await;
            return Ok(Tried::Settled(Settled::Refused(found)));
        }
    };
    match written {
        Written::Applied(now) => {
            let now = Arc::from(now);
            held.saw(Arc::clone(&now));
            sluice.inner.waiters.publish(&now);
            Ok(Tried::Settled(Settled::Recorded(now)))
        }
        // Without the record, or with one that does not know this grant, the ledger lost what it acknowledged.
        Written::Found { unmet: Unmet::Grant, .. } | Written::Found { snapshot: None, .. } => {
            Ok(Tried::Vanished)
        }
        Written::Found { snapshot: Some(now), .. } => Ok(Tried::Found(now.into())),
    }
}

async fn spool(sluice: &Sluice, held: &Held, report: &Report) -> Settled {
    let unrecorded =
        Unrecorded { id: held.id.clone(), claim: held.claim, epoch: held.epoch, report: report.clone() };
    // Where it cannot be kept either, the error that carries it is the last copy.
    let is_spooled = sluice.inner.ports.evidence.keep(unrecorded).await;
    Settled::Unrecorded { is_spooled }
}
