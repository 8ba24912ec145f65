//! The one natural line: claim → decide → commit → perform → settle → answer.

mod claim;
mod delivery;
mod hold;
mod perform;
mod race;
mod settle;
mod transaction;
mod tries;
mod wait;

pub(crate) use race::{Caught, Either, caught, race};
pub(crate) use settle::{Settled, offer};
pub(crate) use tries::How;

use crate::answer;
use crate::circuits::Pass;
use crate::ctx::Ctx;
use crate::done::Done;
use crate::effect::EffectSpec;
use crate::probe::{Probed, Prober};
use crate::sluice::Sluice;
use claim::{Claimed, claim_and_perform};
use delivery::Delivery;
use hold::Hold;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_core::change::Change;
use sluice_core::decide::{Answer, Step, arrive};
use sluice_core::ids::ClaimId;
use sluice_core::policy::OnIndeterminate;
use sluice_core::record::Snapshot;
use sluice_core::{Error, Failure};
use std::future::Future;
use std::time::Duration;

impl Sluice {
    /// Runs an effect once per intent and answers what is known of it.
    ///
    /// The effect runs on a task of its own: a caller that goes away cuts nothing in half, and finds the outcome
    /// when it asks again. The closure is called at most once per claim at present; it is `FnMut` because an
    /// effect may be tried more than once under one lease.
    ///
    /// # Errors
    /// Everything that is not a success. `E_RELEASED` and `E_EFFECT_FAILED`: it provably did not happen.
    /// `E_INDETERMINATE`: nobody knows. `E_KEY_CONFLICT`: the key belongs to a different request. `E_IN_FLIGHT`,
    /// `E_WAIT_TIMEOUT`: it runs elsewhere. `E_TOO_LATE`: it would have run, and was first sent too long ago. `E_STORE`: the ledger is in trouble and nothing was run.
    ///
    /// ```
    /// use sluice::{Done, EffectSpec, Failure, Key, MemoryStore, Sluice};
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let sluice = Sluice::open(MemoryStore::new()).build();
    /// let spec = EffectSpec::new(Key::new("invoice 7").unwrap());
    /// let first = sluice.run(spec.clone(), |_ctx| async { Ok::<_, Failure>(7) }).await.unwrap();
    /// let second = sluice.run(spec, |_ctx| async { Ok::<_, Failure>(8) }).await.unwrap();
    /// assert_eq!(first, Done::Executed(7));
    /// assert_eq!(second.value(), Some(7));
    /// # });
    /// ```
    pub async fn run<T, F, Fut>(&self, spec: EffectSpec, effect: F) -> Result<Done<T>, Error>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        self.run_probing(spec, None, effect).await
    }

    /// The same for a delivery that brings along how its target is asked.
    ///
    /// # Errors
    /// Those of [`Sluice::run`].
    pub async fn run_probing<T, F, Fut>(
        &self,
        spec: EffectSpec,
        prober: Option<Prober>,
        effect: F,
    ) -> Result<Done<T>, Error>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let mut delivery = Delivery::prepare(self, spec)?;
        delivery.prober = prober;
        let delivered = self.deliver(&mut delivery, effect).await;
        let (result, ran) = match delivered {
            Ok(Delivered::Ran(result)) => (result, true),
            Ok(Delivered::Heard(result)) => (result, false),
            Err(error) => (Err(error), false),
        };
        self.note(&delivery, &result, ran);
        result
    }

    async fn deliver<T, F, Fut>(&self, delivery: &mut Delivery, effect: F) -> Result<Delivered<T>, Error>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        if let Some(told) = self.told_lately(delivery) {
            return Ok(Delivered::Heard(told));
        }
        let (change, pass) = match self.arrive(delivery).await? {
            Arrived::Claims(change, pass) => (change, pass),
            Arrived::Hears(told) => return Ok(Delivered::Heard(told)),
        };
        Ok(match claim_and_perform(self, delivery, change, pass, effect).await? {
            Claimed::Ran(result) => Delivered::Ran(result),
            Claimed::Forgotten(seen) => Delivered::Heard(Err(answer::key_forgotten(&seen))),
            Claimed::LostTo(epoch, seen) => {
                Delivered::Heard(Box::pin(wait::wait(self, delivery, epoch, *seen)).await)
            }
        })
    }

    /// Arrives at the record: writes what has ended, waits for what runs, asks whom it may ask; then the delivery either
    /// hears an answer or may claim.
    async fn arrive<T: DeserializeOwned>(&self, delivery: &mut Delivery) -> Result<Arrived<T>, Error> {
        delivery.plan.claim = ClaimId::from_bytes(self.inner.ports.chance.bits());
        let mut hold = Hold::new();
        loop {
            let asked_at = self.inner.ports.clock.elapsed();
            let found = self.inner.store.read(&delivery.id).await?;
            match &found {
                None => delivery.ready_first_claim(self)?,
                Some(found) => delivery.ready_rotation(self, found)?,
            }
            let arrival = delivery.arrival(self, found.as_ref());
            let answer = match arrive(found.as_ref(), arrival, &delivery.plan) {
                Step::Lapse(change) => {
                    self.lapse(&delivery.id, change).await?;
                    continue;
                }
                Step::Claim(_) if delivery.is_too_late(self) => return Err(answer::deadline(&delivery.id)),
                Step::Claim(change) => {
                    let pass = self.pass(delivery, found.as_ref()).await?;
                    let change = change.held_by(self.inner.ports.witness.describe(delivery.plan.claim)?);
                    return Ok(Arrived::Claims(Box::new(change), pass));
                }
                Step::Wait(epoch) => match found {
                    Some(seen) => {
                        // Boxed, so that deliveries that need not wait have no room for it.
                        return Ok(Arrived::Hears(Box::pin(wait::wait(self, delivery, epoch, seen)).await));
                    }
                    None => continue,
                },
                Step::Hold(not_yet) if hold.pass(self, delivery, not_yet).await => continue,
                Step::Hold(_) => Answer::Indeterminate,
                Step::Answer(Answer::Indeterminate) => match self.may_ask(delivery, found.as_ref()).await? {
                    Probed::Settled => continue,
                    Probed::NotYet(not_yet) if hold.pass(self, delivery, not_yet).await => continue,
                    Probed::NotYet(_) | Probed::StillUnknown => Answer::Indeterminate,
                },
                Step::Answer(answer) => answer,
            };
            self.remark(delivery, answer).await;
            let told = answer::tell(answer, &delivery.id, found.as_ref(), None, arrival.holder);
            if let Some(found) = found.filter(|_| answer.is_done()) {
                self.inner.recall.keep(found, asked_at);
            }
            return Ok(Arrived::Hears(told));
        }
    }

    /// Asks the delivery's circuit, before anything is claimed: what is refused leaves no record.
    async fn pass(&self, delivery: &Delivery, found: Option<&Snapshot>) -> Result<Pass, Error> {
        let Some(name) = &delivery.circuit else { return Ok(Pass::free()) };
        let asked = Box::pin(self.inner.circuits.ask(name, delivery.plan.claim)).await;
        asked.map_err(|refused| answer::circuit_open(&delivery.id, found, refused.0))
    }

    /// Asks the target, where the delivery wants that and says how.
    async fn may_ask(&self, delivery: &Delivery, found: Option<&Snapshot>) -> Result<Probed, Error> {
        match (found, &delivery.prober) {
            (Some(found), Some(prober)) if delivery.on_indeterminate == OnIndeterminate::Probe => {
                let left = delivery.how.left(self.inner.ports.clock.elapsed());
                Box::pin(self.ask_target(found, prober, left.unwrap_or(Duration::MAX))).await
            }
            _ => Ok(Probed::StillUnknown),
        }
    }

    /// The answer to a delivery whose intent this handle saw succeed a moment ago. Whatever is not a plain answer about
    /// a success, a conflict say, is looked up.
    fn told_lately<T: DeserializeOwned>(&self, delivery: &Delivery) -> Option<Result<Done<T>, Error>> {
        let found = self.inner.recall.find(&delivery.id, delivery.since)?;
        let arrival = delivery.arrival(self, Some(&found));
        match arrive(Some(&found), arrival, &delivery.plan) {
            Step::Answer(answer) if answer.is_done() => {
                Some(answer::tell(answer, &delivery.id, Some(&found), None, arrival.holder))
            }
            _ => None,
        }
    }
}

/// What became of a delivery's arrival.
enum Arrived<T> {
    /// It may run, once this is written.
    Claims(Box<Change>, Pass),
    /// It hears this.
    Hears(Result<Done<T>, Error>),
}

/// How a delivery came to its answer.
enum Delivered<T> {
    /// It performed the effect itself.
    Ran(Result<Done<T>, Error>),
    /// Another delivery had, or nothing was performed.
    Heard(Result<Done<T>, Error>),
}
