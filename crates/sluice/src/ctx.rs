//! What an effect can do while it runs.

use crate::held::Held;
use crate::sluice::Inner;
use sluice_core::decide::{self, SettleStep};
use sluice_core::ids::{ClaimId, Epoch};
use sluice_core::outcome::cut;
use sluice_core::store::Written;
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::{Code, Error, Key, Namespace};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Longest note, in bytes; the rest is cut.
const NOTE_LIMIT: usize = 1024;

/// A running effect's view of its claim. Cheap to clone.
#[derive(Clone)]
pub struct Ctx {
    inner: Arc<Inner>,
    held: Arc<Held>,
    attempt: u32,
}

impl fmt::Debug for Ctx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("id", &self.held.id)
            .field("epoch", &self.held.epoch)
            .finish_non_exhaustive()
    }
}

impl Ctx {
    pub(crate) fn new(inner: Arc<Inner>, held: Arc<Held>, attempt: u32) -> Self {
        Self { inner, held, attempt }
    }

    /// Time left until the delivery's deadline, where it has one.
    pub fn until_deadline(&self) -> Option<Duration> {
        Some(self.held.deadline?.saturating_sub(self.inner.ports.clock.elapsed()))
    }

    /// The key of the intent.
    pub fn key(&self) -> &Key {
        &self.held.id.key
    }

    /// The namespace of the intent.
    pub fn namespace(&self) -> &Namespace {
        &self.held.id.namespace
    }

    /// The fencing token: a target that remembers the highest one it saw can refuse a holder that was replaced.
    pub fn epoch(&self) -> Epoch {
        self.held.epoch
    }

    /// The claim this effect runs under.
    pub fn claim(&self) -> ClaimId {
        self.held.claim
    }

    /// Which attempt under this claim it is, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The key to send to the target: the same for every attempt of this intent, and stored before its first use.
    pub fn downstream_key(&self) -> &str {
        &self.held.grant.record.body.downstream.key
    }

    /// The key as the target takes it, and the header or the member of the body it goes into; none where the delivery does
    /// not say what its target is ([`EffectBuilder::downstream`](crate::EffectBuilder::downstream)).
    ///
    /// # Errors
    /// `E_CONFIG` where the record's key, made for another target, does not fit this one.
    pub fn downstream_place(&self) -> Result<Option<(&str, String)>, Error> {
        let Some(target) = self.held.target.as_deref() else { return Ok(None) };
        let value = target
            .header_value(self.downstream_key())
            .map_err(|error| Error::new(Code::Config, error.to_string()).with_source(error))?;
        Ok(target.header.as_deref().or(target.body.as_deref()).map(|place| (place, value)))
    }

    /// Time left in which something new may be started.
    ///
    /// # Errors
    /// `E_LEASE_LOST` once the lease, less its margin, is over, or another execution is known to have landed.
    pub fn may_send(&self) -> Result<Duration, Error> {
        let left = self.held.may_send(self.inner.ports.clock.elapsed());
        left.filter(|_| !self.held.is_over(self.attempt)).ok_or_else(lease_lost)
    }

    /// Makes the point of no return durable. Call it right before the side effect, and do nothing if it fails.
    ///
    /// # Errors
    /// `E_LEASE_LOST` where the claim is no longer the live one; `E_STORE` where the ledger could not be written.
    pub async fn mark(&self) -> Result<(), Error> {
        self.may_send()?;
        let mut found = self.held.snapshot();
        for _ in 0..8 {
            let change = match decide::mark(&found, self.held.claim, self.held.epoch) {
                SettleStep::Write(change) => change,
                SettleStep::Already => return self.may_send().map(drop),
                SettleStep::Refused(_) | SettleStep::Lost | SettleStep::Unheard => return Err(lease_lost()),
            };
            let written = self.inner.store.apply(self.held.id.clone(), change).await;
            found = match written {
                Ok(Written::Applied(now)) => {
                    self.held.saw(now.into());
                    return self.may_send().map(drop);
                }
                Ok(Written::Found { snapshot: Some(now), .. }) => now.into(),
                Ok(Written::Found { snapshot: None, .. }) => return Err(lease_lost()),
                Err(error) if !error.outcome_unknown => return Err(error.into()),
                Err(_) => match self.inner.store.read(&self.held.id).await? {
                    Some(now) => now.into(),
                    None => return Err(lease_lost()),
                },
            };
        }
        Err(Error::new(Code::Store, "the mark could not be written, since the record kept changing"))
    }

    /// Whether this execution has passed its mark, by whatever process, as far as the ledger knows now.
    ///
    /// # Errors
    /// `E_STORE` where the ledger could not be asked; `E_LEASE_LOST` where the record has another claim by now.
    pub async fn is_marked(&self) -> Result<bool, Error> {
        let found = self.inner.store.read(&self.held.id).await?;
        let own = found.map(|found| found.record.body);
        let own = own.filter(|body| body.claim == self.held.claim && body.epoch == self.held.epoch);
        own.map(|body| body.marked).ok_or_else(lease_lost)
    }

    /// Is ready once nothing more should be started: the claim is lost, the lease is over on this holder's own clock,
    /// or the effect took too long.
    pub async fn cancelled(&self) {
        self.held.over(self.attempt).await;
    }

    /// Whether nothing more should be started.
    pub fn is_cancelled(&self) -> bool {
        self.held.is_over(self.attempt)
    }

    /// Names the object that came out, for lists and `explain`.
    pub fn object_id(&self, object_id: impl Into<String>) {
        self.held.set_object_id(object_id.into());
    }

    /// Writes a note into the trail. It is stored in clear: no secrets. Up to 1 KiB; the rest is cut.
    ///
    /// # Errors
    /// `E_STORE` where the ledger could not be written.
    pub async fn note(&self, text: &str) -> Result<(), Error> {
        let event = EventDraft::new(EventKind::Note)
            .about(self.held.epoch, Some(self.held.claim))
            .because(cut(text, NOTE_LIMIT));
        Ok(self.inner.store.notice(self.held.id.clone(), event).await?)
    }
}

fn lease_lost() -> Error {
    Error::new(Code::LeaseLost, "the right to execute ended; start nothing more")
}
