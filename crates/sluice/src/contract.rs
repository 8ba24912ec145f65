//! How a contract and an event say what to run.

use crate::effect::{EffectBuilder, EffectSpec};
use crate::sluice::Sluice;
use serde::Serialize;
use sluice_core::contract::{Contract, Derived, IdentityKeys};
use sluice_core::key::Json;
use sluice_core::{Code, Error};

/// A contract on a ledger, waiting for an event.
#[derive(Debug)]
#[must_use = "nothing happens until .event(…)?.run(…) is awaited"]
pub struct Contracted<'a> {
    sluice: &'a Sluice,
    contract: &'a Contract,
    keys: IdentityKeys,
}

impl Sluice {
    /// Begins an effect of which the contract says everything: key, fingerprint, lifetime, target.
    ///
    /// ```
    /// use sluice::core::contract::Contract;
    /// use sluice::{Done, Failure, MemoryStore, Sluice};
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let sluice = Sluice::open(MemoryStore::new()).build();
    /// let contract = Contract::builder("create_invoice").identity(["args.order_id"]).fingerprint(["args"]);
    /// let contract = contract.object_id("result.invoice_id").build().unwrap();
    /// let event = serde_json::json!({"args": {"order_id": "o-17"}, "delivery": 1});
    /// let again = serde_json::json!({"args": {"order_id": "o-17"}, "delivery": 2});
    /// let invoice = |_ctx| async { Ok::<_, Failure>(serde_json::json!({"invoice_id": "in-1"})) };
    /// let first = sluice.contract(&contract).event(&event)?.run(invoice).await?;
    /// let second = sluice.contract(&contract).event(&again)?.run(invoice).await?;
    /// assert!(first.ran_now() && !second.ran_now());
    /// assert_eq!(match second { Done::Replayed(_, meta) => meta.object_id, _ => None }, Some("in-1".to_owned()));
    /// # Ok::<(), sluice::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn contract<'a>(&'a self, contract: &'a Contract) -> Contracted<'a> {
        Contracted { sluice: self, contract, keys: IdentityKeys::default() }
    }
}

impl<'a> Contracted<'a> {
    /// Sets the keys that sensitive members are hashed with.
    pub fn identity_keys(mut self, keys: IdentityKeys) -> Self {
        self.keys = keys;
        self
    }

    /// Derives what there is to derive from an event: any plain data that is an object.
    ///
    /// # Errors
    /// `E_INVALID_INPUT` with the path for an event that lacks a member of identity, scope or period, and for what is no
    /// plain data; `E_CONFIG` for a sensitive member without a key to hash it with.
    pub fn event(self, event: &(impl Serialize + ?Sized)) -> Result<EffectBuilder<'a>, Error> {
        if let Some(name) = self.contract.lacks_key(&self.keys) {
            let said = format!(
                "the contract's sensitive members need an identity key {name:?}, and it is not there"
            );
            return Err(Error::new(Code::Config, said));
        }
        let event = Json::from_serialize(event)?;
        let now = self.sluice.inner.ports.clock.wall();
        let derived = self.contract.derive(&event, &self.keys, now)?;
        check_earlier(&derived)?;
        let spec = spec(self.contract, derived);
        Ok(EffectBuilder::of_contract(self.sluice, spec, self.contract.object_id.clone()))
    }
}

/// Refuses what would silently run again: the ledger does not look up earlier keys yet.
///
/// # Errors
/// `E_CONFIG` for an event that had another key under a derivation in `previous`.
pub fn check_earlier(derived: &Derived) -> Result<(), Error> {
    if derived.also_known_as.is_empty() {
        return Ok(());
    }
    let said = "the contract's earlier derivations are not looked up by this version, so what ran under an old key would run \
                again; nothing was run: keep the old contract";
    Err(Error::new(Code::Config, said))
}

fn spec(contract: &Contract, derived: Derived) -> EffectSpec {
    let mut spec = EffectSpec::new(derived.key);
    spec.fingerprint = derived.request;
    spec.labels = derived.labels;
    spec.first_sent = derived.first_sent;
    spec.delivery = derived.delivery;
    spec.terms.keep_result = contract.keep_result;
    spec.terms.remember = contract.remember;
    spec.terms.repeatable = contract.repeatable;
    spec.terms.declares_marks = contract.marked;
    spec.on_duplicate = contract.on_duplicate;
    // How a target is asked is code here, so what is to be asked without it is refused until .probe(…) says how.
    spec.on_indeterminate = contract.on_indeterminate;
    spec.on_failed = contract.on_failed;
    if let Some(tries) = contract.tries {
        spec.retry.backoff.tries = tries;
    }
    spec.deadline = contract.deadline;
    spec.circuit.clone_from(&contract.circuit);
    spec.downstream.clone_from(&contract.downstream);
    spec
}
