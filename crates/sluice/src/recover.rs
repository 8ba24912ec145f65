//! How ended leases and spooled outcomes settle records. Recovery never performs an effect.

use crate::held::Held;
use crate::probe::{Probed, Prober};
use crate::run::{Settled, offer};
use crate::sluice::Sluice;
use sluice_core::Error;
use sluice_core::change::Change;
use sluice_core::decide;
use sluice_core::ids::RecordId;
use sluice_core::ports::Unrecorded;
use sluice_core::state::Status;
use sluice_core::store::{Query, Written};
use std::time::Duration;

/// What a recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Records that were in flight and whose lease had ended or whose holder was gone.
    pub lapsed: usize,
    /// Records that are in flight and rightly so.
    pub running: usize,
}

/// What became of an outcome that was taken in late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenIn {
    /// The ledger has it, now or already.
    Recorded,
    /// It contradicts what the ledger has, which stands; the trail has a notice of it.
    Refused,
    /// The ledger does not know that claim, or could not be written just now.
    Unheard,
}

impl Sluice {
    /// Lapses every record whose lease ended or whose holder is provably gone.
    ///
    /// Deliveries do the same for their own record; this is for records that nobody asks for again.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn recover(&self) -> Result<Recovered, Error> {
        let mut recovered = Recovered::default();
        let mut after = None;
        loop {
            let query = Query { statuses: vec![Status::InFlight], limit: 500, after, ..Query::default() };
            let page = self.inner.store.list(query).await?;
            for found in page.items {
                let holder = self.inner.ports.witness.judge(&found.record.body.holder);
                match decide::lapse(&found, holder) {
                    Some(change) => {
                        self.lapse(&found.record.id, change).await?;
                        recovered.lapsed += 1;
                    }
                    None => recovered.running += 1,
                }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(recovered),
            }
        }
    }

    /// Asks the targets of all records of which nobody knows, and settles what they say; answers of how many something is
    /// known now. What did not land runs at its next delivery, never here.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble.
    pub async fn probe_all(&self, prober: &Prober) -> Result<usize, Error> {
        let (mut settled, mut after) = (0, None);
        loop {
            let query =
                Query { statuses: vec![Status::Indeterminate], limit: 100, after, ..Query::default() };
            let page = self.inner.store.list(query).await?;
            for found in page.items {
                settled +=
                    usize::from(self.ask_target(&found, prober, Duration::MAX).await? == Probed::Settled);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(settled),
            }
        }
    }

    /// Takes in an outcome that an earlier run could not write. It is offered once.
    ///
    /// # Errors
    /// `E_STORE` where the ledger is in trouble; the outcome should be kept for another try.
    pub async fn take_in(&self, unrecorded: Unrecorded) -> Result<TakenIn, Error> {
        let Some(found) = self.inner.store.read(&unrecorded.id).await? else { return Ok(TakenIn::Unheard) };
        let held = Held::late(found.into(), unrecorded.claim, unrecorded.epoch);
        Ok(match offer(self, &held, &unrecorded.report, Duration::ZERO).await {
            Settled::Recorded(_) => TakenIn::Recorded,
            Settled::Refused(_) => TakenIn::Refused,
            // The ledger was there a moment ago, so it is the claim that it does not know.
            Settled::Unrecorded { .. } => TakenIn::Unheard,
        })
    }

    /// Writes a lapse. Where somebody else was faster, the caller looks again and sees it.
    pub(crate) async fn lapse(&self, id: &RecordId, change: Change) -> Result<(), Error> {
        if let Written::Applied(now) = self.inner.store.apply(id.clone(), change).await? {
            self.inner.waiters.publish(&now);
        }
        Ok(())
    }
}
