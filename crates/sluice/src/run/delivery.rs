//! One delivery: names, digests and ids, made before anything is asked of the ledger.

use crate::effect::{EffectSpec, Wait};
use crate::sluice::Sluice;
use sluice_core::decide::{Answer, Arrival, Plan};
use sluice_core::holder::Liveness;
use sluice_core::ids::{ClaimId, RecordId};
use sluice_core::key::{Match, Request, compare, downstream_key};
use sluice_core::policy::{OnDuplicate, WhileRunning};
use sluice_core::record::{Downstream, Snapshot};
use sluice_core::state::Status;
use sluice_core::trail::{EventDraft, EventKind};
use sluice_core::{Code, Error, lease};

/// What one delivery brings along.
pub(crate) struct Delivery {
    pub id: RecordId,
    pub plan: Plan,
    pub request: Option<Request>,
    pub on_duplicate: OnDuplicate,
    pub wait: Wait,
}

impl Delivery {
    pub fn prepare(sluice: &Sluice, spec: EffectSpec) -> Result<Self, Error> {
        let namespace = sluice.namespace_of(&spec)?;
        if !(lease::SHORTEST..=lease::LONGEST).contains(&spec.terms.lease) {
            return Err(Error::new(Code::Config, "a lease is at least one second and at most a year"));
        }
        let id = RecordId::new(namespace, spec.key);
        let plan = Plan {
            claim: ClaimId::from_bytes(sluice.inner.ports.chance.bits()),
            terms: spec.terms,
            labels: spec.labels,
            fingerprint: None,
            downstream: Downstream::default(),
        };
        Ok(Self { id, plan, request: spec.fingerprint, on_duplicate: spec.on_duplicate, wait: spec.wait })
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
        let key = downstream_key(&ledger.downstream_secret, &self.id.namespace, &self.id.key, 0, 64)?;
        self.plan.downstream = Downstream { key, rotation: 0 };
        Ok(())
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
        }
    }
}

impl Sluice {
    /// Writes down that a key was used for a different request. A notice is not worth failing the answer for.
    pub(crate) async fn remark(&self, delivery: &Delivery, answer: Answer) {
        if matches!(answer, Answer::Conflict(request) if request != Match::SecretMissing) {
            let event = EventDraft::new(EventKind::KeyConflict);
            let _ = self.inner.store.notice(delivery.id.clone(), event).await;
        }
    }
}
