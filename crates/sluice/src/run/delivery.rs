//! One delivery: names, digests and ids, made before anything is asked of the ledger.

use super::How;
use crate::circuits::check_name;
use crate::done::Done;
use crate::effect::{EffectSpec, Wait};
use crate::probe::Prober;
use crate::sluice::Sluice;
use sluice_core::decide::{Answer, Arrival, Plan, rotates};
use sluice_core::deliveries::{DeliveryId, Heard};
use sluice_core::downstream::oldest_key;
use sluice_core::holder::Liveness;
use sluice_core::ids::{ClaimId, RecordId};
use sluice_core::key::{Match, Request, compare, downstream_key};
use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate, WhileRunning};
use sluice_core::record::{Downstream, Snapshot};
use sluice_core::state::Status;
use sluice_core::store::Ledger;
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::{Code, Error, lease, retention};
use std::sync::Arc;
use std::time::Duration;

/// The length of a key that is not cut.
const WHOLE_KEY: usize = 64;

/// What one delivery brings along.
pub(crate) struct Delivery {
    pub id: RecordId,
    pub plan: Plan,
    pub request: Option<Request>,
    pub on_duplicate: OnDuplicate,
    pub wait: Wait,
    pub since: Duration,
    pub on_indeterminate: OnIndeterminate,
    pub on_failed: OnFailed,
    pub told_apart: Option<DeliveryId>,
    pub how: How,
    pub circuit: Option<String>,
    pub prober: Option<Prober>,
}

impl Delivery {
    pub fn prepare(sluice: &Sluice, spec: EffectSpec) -> Result<Self, Error> {
        let namespace = sluice.namespace_of(&spec)?;
        if sluice.inner.store.is_at_work_here() {
            let said = "the work of a transaction asked for another effect, which would wait for that work; ask before or after it";
            return Err(Error::new(Code::Config, said));
        }
        if !(lease::SHORTEST..=lease::LONGEST).contains(&spec.terms.lease) {
            return Err(Error::new(Code::Config, "a lease is at least one second and at most a year"));
        }
        if !(retention::SHORTEST..=retention::LONGEST).contains(&spec.terms.remember) {
            return Err(Error::new(
                Code::Config,
                "a record is remembered for at least a second and at most a hundred years",
            ));
        }
        let on_indeterminate = on_indeterminate(&spec)?;
        let since = sluice.inner.ports.clock.elapsed();
        let target = spec.downstream.map(Arc::new);
        let how = How {
            retry: spec.retry,
            deadline: spec.deadline.map(|deadline| since.saturating_add(deadline)),
            grace: spec.deadline_grace,
            target: target.clone(),
            max_lease: spec.max_lease,
            budget: Arc::from(""),
        };
        let circuit = spec.circuit.or_else(|| target.as_ref().map(|target| target.name.clone()));
        circuit.as_deref().map(check_name).transpose()?;
        let budget = circuit.as_deref().or(spec.labels.tool.as_deref()).unwrap_or_default();
        let how = How { budget: Arc::from(budget), ..how };
        let id = RecordId::new(namespace, spec.key);
        let plan = Plan {
            // Drawn once the ledger is asked: most deliveries of a busy system are replays and need none.
            claim: ClaimId::from_bytes([0; 16]),
            terms: spec.terms,
            labels: spec.labels,
            fingerprint: None,
            downstream: Downstream::default(),
            first_sent: spec.first_sent,
            target,
            replacement: None,
        };
        Ok(Self {
            id,
            plan,
            request: spec.fingerprint,
            on_duplicate: spec.on_duplicate,
            wait: spec.wait,
            since,
            on_indeterminate,
            on_failed: spec.on_failed,
            told_apart: spec.delivery,
            how,
            circuit,
            prober: None,
        })
    }

    /// Makes what only the first claim of an intent writes. Most deliveries of a busy system are replays, which need
    /// neither hash.
    pub fn ready_first_claim(&mut self, sluice: &Sluice) -> Result<(), Error> {
        let ledger = sluice.inner.store.ledger();
        self.plan.fingerprint = match (&self.request, ledger.fingerprint_secrets.first()) {
            (Some(request), Some(secret)) => Some(request.fingerprint(secret)),
            (Some(_), None) => {
                return Err(Error::new(Code::Store, "the ledger has no secret to make fingerprints with"));
            }
            (None, _) => None,
        };
        self.plan.downstream = self.downstream(ledger, 0)?;
        Ok(())
    }

    /// Makes the key that replaces the record's, where the target would only repeat its failure under that one.
    pub fn ready_rotation(&mut self, sluice: &Sluice, found: &Snapshot) -> Result<(), Error> {
        if rotates(found, &self.plan) {
            let rotation = found.record.body.downstream.rotation.saturating_add(1);
            self.plan.replacement = Some(self.downstream(sluice.inner.store.ledger(), rotation)?);
        }
        Ok(())
    }

    fn downstream(&self, ledger: &Ledger, rotation: u32) -> Result<Downstream, Error> {
        let RecordId { namespace, key } = &self.id;
        let most = self.plan.target.as_ref().map_or(WHOLE_KEY, |target| target.key_len().min(WHOLE_KEY));
        let key = downstream_key(&ledger.downstream_secret, namespace, key, rotation, most)?;
        Ok(Downstream { key, rotation, first_used: None })
    }

    /// How much of the delivery's patience is left, and of its deadline.
    pub fn patience(&self, sluice: &Sluice) -> Duration {
        let now = sluice.inner.ports.clock.elapsed();
        let waited = now.saturating_sub(self.since);
        let patience = match self.wait {
            Wait::For(patience) => patience.saturating_sub(waited),
            Wait::Forever => Duration::MAX,
            Wait::No => Duration::ZERO,
        };
        patience.min(self.how.left(now).unwrap_or(Duration::MAX))
    }

    /// Whether the time for the whole delivery is over.
    pub fn is_too_late(&self, sluice: &Sluice) -> bool {
        self.how.left(sluice.inner.ports.clock.elapsed()).is_some_and(|left| left.is_zero())
    }

    /// What is known when the delivery looks at a record.
    pub fn arrival(&self, sluice: &Sluice, found: Option<&Snapshot>) -> Arrival {
        let recorded = found.and_then(|found| found.record.body.fingerprint.as_ref());
        let secrets = &sluice.inner.store.ledger().fingerprint_secrets;
        let running = found.filter(|found| found.record.body.status != Status::Succeeded);
        let holder = running
            .map_or(Liveness::Unknown, |found| sluice.inner.ports.witness.judge(&found.record.body.holder));
        Arrival {
            request: compare(self.request.as_ref(), recorded, secrets),
            holder,
            on_duplicate: self.on_duplicate,
            while_running: if self.wait == Wait::No { WhileRunning::Refuse } else { WhileRunning::Wait },
            on_indeterminate: self.on_indeterminate,
            on_failed: self.on_failed,
        }
    }
}

/// Running again what nobody knows is for effects that declare that it does no harm, or whose target recognises the key
/// (RULINGS 14).
fn on_indeterminate(spec: &EffectSpec) -> Result<OnIndeterminate, Error> {
    match (spec.on_indeterminate, spec.terms.repeatable) {
        (None, true) => Ok(OnIndeterminate::Reclaim),
        (None, false) => Ok(OnIndeterminate::Refuse),
        (Some(OnIndeterminate::Reclaim), false) if !honours_keys(spec) => Err(Error::new(
            Code::Config,
            "an effect is run again where nobody knows whether it happened only if it is declared repeatable, or its \
             downstream is known to remember keys for longer than an attempt takes",
        )),
        (Some(said), _) => Ok(said),
    }
}

fn honours_keys(spec: &EffectSpec) -> bool {
    spec.downstream.as_ref().is_some_and(|target| oldest_key(target, spec.terms.attempt_timeout).is_some())
}

impl Sluice {
    /// Counts a delivery. One that ran is told by the trail; it counts where it says what tells it apart.
    pub(crate) fn note<T>(&self, delivery: &Delivery, result: &Result<Done<T>, Error>, ran: bool) {
        if ran && delivery.told_apart.is_none() {
            return;
        }
        let heard = match result {
            Ok(Done::Executed(_)) => Some(Heard::Executed),
            Ok(Done::Replayed(..)) => Some(Heard::Replayed),
            Ok(Done::WithoutValue(_)) => Some(Heard::AlreadyDone),
            Err(error) => Heard::of(error),
        };
        if let Some(heard) = heard {
            self.inner.notes.take(&delivery.id, delivery.told_apart.clone(), heard);
        }
    }

    /// Writes down that a key was used for a different request. A notice is not worth failing the answer for.
    pub(crate) async fn remark(&self, delivery: &Delivery, answer: Answer) {
        if matches!(answer, Answer::Conflict(request) if request != Match::SecretMissing) {
            let event = EventDraft::new(EventKind::KeyConflict);
            let _ = self.inner.store.notice(delivery.id.clone(), event).await;
        }
    }
}
