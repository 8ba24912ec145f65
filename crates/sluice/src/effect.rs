//! How a caller says what to run.

use crate::ctx::Ctx;
use crate::done::Done;
use crate::probe::Prober;
use crate::sluice::Sluice;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sluice_core::contract::MemberPath;
use sluice_core::deliveries::DeliveryId;
use sluice_core::downstream::Profile;
use sluice_core::key::{InputError, Json, Request};
use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate};
use sluice_core::record::{Labels, LedgerTime, Terms};
use sluice_core::retry::Retry;
use sluice_core::{Error, Failure, Intent, Key, Namespace};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// How long a delivery waits for the same intent running elsewhere when nothing else is said.
pub const DEFAULT_WAIT: Duration = Duration::from_mins(1);

/// Everything `run` needs to know of one delivery; plain data behind the builder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectSpec {
    /// The name of the intent.
    pub key: Key,
    /// Where it lives; the handle's own namespace where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Namespace>,
    /// What is compared on every reuse of the key. `None` compares nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Request>,
    /// Lease, attempt timeout, and whether the effect promises to mark.
    #[serde(default)]
    pub terms: Terms,
    /// Words for people.
    #[serde(default)]
    pub labels: Labels,
    /// What the delivery wants where its intent ended before.
    #[serde(default)]
    pub on_duplicate: OnDuplicate,
    /// What it does while its intent runs elsewhere, or may not run again yet.
    #[serde(default)]
    pub wait: Wait,
    /// What it wants where nobody knows whether its intent happened; `None` is to run it again where the terms say that
    /// the effect is repeatable, else to be told so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_indeterminate: Option<OnIndeterminate>,
    /// What it wants where its intent failed before.
    #[serde(default)]
    pub on_failed: OnFailed,
    /// When the intent was first sent, in milliseconds since 1970-01-01T00:00:00Z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sent: Option<LedgerTime>,
    /// What tells this delivery from others; it never enters the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryId>,
    /// How an attempt that failed is repeated under the same claim.
    #[serde(default)]
    pub retry: Retry,
    /// Time for the whole delivery, waiting and every attempt included, if bounded.
    #[serde(default, rename = "deadline_ms", with = "sluice_core::duration::option")]
    pub deadline: Option<Duration>,
    /// How long an attempt that runs when the deadline passes may take to end, after it was told to. None by default.
    #[serde(default, rename = "deadline_grace_ms", with = "sluice_core::duration")]
    pub deadline_grace: Duration,
    /// For how long the lease is renewed at most.
    #[serde(default = "max_lease", rename = "max_lease_ms", with = "sluice_core::duration")]
    pub max_lease: Duration,
    /// What the target does with the key that is sent to it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub downstream: Option<Profile>,
    /// The circuit that the effect belongs to; that of the downstream's name where none is said. Without either there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit: Option<String>,
}

/// For how long a lease is renewed when nothing else is said.
pub const MAX_LEASE: Duration = Duration::from_hours(24);

fn max_lease() -> Duration {
    MAX_LEASE
}

/// What a delivery does while its intent runs elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Waits so long, then answers `E_WAIT_TIMEOUT`.
    For(#[serde(with = "sluice_core::duration")] Duration),
    /// Waits until it ends.
    Forever,
    /// Answers `E_IN_FLIGHT` at once.
    No,
}

impl Default for Wait {
    fn default() -> Self {
        Self::For(DEFAULT_WAIT)
    }
}

impl EffectSpec {
    /// A delivery with this key and nothing else said.
    pub fn new(key: Key) -> Self {
        Self {
            key,
            namespace: None,
            fingerprint: None,
            terms: Terms::default(),
            labels: Labels::default(),
            on_duplicate: OnDuplicate::default(),
            wait: Wait::default(),
            on_indeterminate: None,
            on_failed: OnFailed::default(),
            first_sent: None,
            delivery: None,
            retry: Retry::default(),
            deadline: None,
            deadline_grace: Duration::ZERO,
            max_lease: MAX_LEASE,
            downstream: None,
            circuit: None,
        }
    }
}

/// The name of an intent, with the words its parts give for people, or why it has none.
#[derive(Debug)]
pub struct Named(Result<(Key, Labels), Error>);

impl From<Key> for Named {
    fn from(key: Key) -> Self {
        Self(Ok((key, Labels::default())))
    }
}

impl From<&Key> for Named {
    fn from(key: &Key) -> Self {
        key.clone().into()
    }
}

impl From<&str> for Named {
    fn from(key: &str) -> Self {
        Self(Key::new(key).map(|key| (key, Labels::default())).map_err(Error::from))
    }
}

impl From<Intent> for Named {
    fn from(intent: Intent) -> Self {
        Self::from(&intent)
    }
}

impl From<&Intent> for Named {
    fn from(intent: &Intent) -> Self {
        let labels = Labels {
            tool: intent.get_tool().map(str::to_owned),
            actor: intent.get_actor().map(str::to_owned),
            run_id: intent.get_run_id().map(str::to_owned),
            object_id: None,
        };
        Self(intent.key().map(|key| (key, labels)).map_err(Error::from))
    }
}

/// An effect of which it has not been said yet what is compared when its key comes again.
///
/// There is no default: a fingerprint is what turns a key used for something else into an error instead of into
/// somebody else's result.
#[derive(Debug)]
#[must_use = "say .fingerprint(&args) or .no_fingerprint(), then .run(…)"]
pub struct Unguarded<'a> {
    sluice: &'a Sluice,
    named: Named,
}

impl<'a> Unguarded<'a> {
    pub(crate) fn new(sluice: &'a Sluice, named: Named) -> Self {
        Self { sluice, named }
    }

    /// Compares these arguments on every reuse of the key.
    pub fn fingerprint(self, args: &(impl Serialize + ?Sized)) -> EffectBuilder<'a> {
        let request = Request::json(args);
        self.guarded(request.map(Some))
    }

    /// Compares what was made of the request elsewhere.
    pub fn request(self, request: Request) -> EffectBuilder<'a> {
        self.guarded(Ok(Some(request)))
    }

    /// Compares nothing: a copied key then gets the first request's result.
    pub fn no_fingerprint(self) -> EffectBuilder<'a> {
        self.guarded(Ok(None))
    }

    fn guarded(self, fingerprint: Result<Option<Request>, InputError>) -> EffectBuilder<'a> {
        let spec = self.named.0.and_then(|(key, labels)| {
            let fingerprint = fingerprint?;
            Ok(EffectSpec { fingerprint, labels, ..EffectSpec::new(key) })
        });
        EffectBuilder { sluice: self.sluice, spec, prober: None, object_id: None }
    }
}

/// An effect that is ready to run; everything else is optional.
#[derive(Debug)]
#[must_use = "nothing happens until .run(…) is awaited"]
pub struct EffectBuilder<'a> {
    sluice: &'a Sluice,
    spec: Result<EffectSpec, Error>,
    prober: Option<Prober>,
    object_id: Option<MemberPath>,
}

impl<'a> EffectBuilder<'a> {
    /// What a contract says of one event, and which member of its result names the object that came out.
    pub(crate) fn of_contract(sluice: &'a Sluice, spec: EffectSpec, object_id: Option<MemberPath>) -> Self {
        Self { sluice, spec: Ok(spec), prober: None, object_id }
    }

    /// The handle, and what was said of the effect.
    pub(crate) fn into_parts(self) -> (&'a Sluice, Result<EffectSpec, Error>) {
        (self.sluice, self.spec)
    }
}

impl EffectBuilder<'_> {
    fn edit(mut self, edit: impl FnOnce(&mut EffectSpec)) -> Self {
        if let Ok(spec) = &mut self.spec {
            edit(spec);
        }
        self
    }

    /// Promises that the effect calls [`Ctx::mark`] before its point of no return.
    ///
    /// Then a holder that dies without a mark provably did nothing, and the next delivery runs it.
    pub fn marked(self) -> Self {
        self.edit(|spec| spec.terms.declares_marks = true)
    }

    /// Sets the lease. It is renewed for as long as the effect runs; less than one second is `E_CONFIG`.
    pub fn lease(self, lease: Duration) -> Self {
        self.edit(|spec| spec.terms.lease = lease)
    }

    /// Bounds one attempt. An attempt that takes longer is unknown: it runs on, and reports late.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.edit(|spec| spec.terms.attempt_timeout = Some(timeout))
    }

    /// Sets how long to wait where the intent runs elsewhere.
    pub fn wait(self, wait: Wait) -> Self {
        self.edit(|spec| spec.wait = wait)
    }

    /// Sets what to answer where the intent ended before.
    pub fn on_duplicate(self, on_duplicate: OnDuplicate) -> Self {
        self.edit(|spec| spec.on_duplicate = on_duplicate)
    }

    /// Declares that the effect may take hold more than once: where nobody knows whether it happened, the next such
    /// delivery runs it again, once the last holder can no longer act.
    pub fn repeatable(self) -> Self {
        self.edit(|spec| spec.terms.repeatable = true)
    }

    /// Sets what to do where nobody knows whether the intent happened.
    pub fn on_indeterminate(self, on_indeterminate: OnIndeterminate) -> Self {
        self.edit(|spec| spec.on_indeterminate = Some(on_indeterminate))
    }

    /// Says how the target is asked where nobody knows whether the intent happened. Its answer is a verdict: what landed is
    /// replayed, and what did not is run by this delivery, once the last holder can no longer act.
    pub fn probe(mut self, prober: Prober) -> Self {
        self.prober = Some(prober);
        self.edit(|spec| spec.on_indeterminate = Some(OnIndeterminate::Probe))
    }

    /// Sets what to do where the intent failed before.
    pub fn on_failed(self, on_failed: OnFailed) -> Self {
        self.edit(|spec| spec.on_failed = on_failed)
    }

    /// Sets how long the result is kept, counted from the record's last change. The default is 7 days.
    pub fn keep_result(self, keep_result: Duration) -> Self {
        self.edit(|spec| spec.terms.keep_result = keep_result)
    }

    /// Sets how long the record is kept, counted from its last change: for so long a duplicate runs nothing. The default
    /// is 90 days; less than a second or more than a hundred years is `E_CONFIG`.
    pub fn remember(self, remember: Duration) -> Self {
        self.edit(|spec| spec.terms.remember = remember)
    }

    /// Says when the intent was first sent. A record that is there answers all the same; what would run is refused
    /// (`E_TOO_LATE`) where it is older than the ledger remembers, less a margin, or more than 5 minutes in the future.
    pub fn first_sent(self, first_sent: LedgerTime) -> Self {
        self.edit(|spec| spec.first_sent = Some(first_sent))
    }

    /// Sets how many attempts are made under one claim. The default is 3; 1 is none but the first.
    ///
    /// A further one follows a transient failure, and an unknown one only where the target recognises the key
    /// ([`EffectBuilder::downstream`]).
    pub fn tries(self, tries: u32) -> Self {
        self.edit(|spec| spec.retry.backoff.tries = tries)
    }

    /// Sets how attempts are repeated: how often, with which waits, and the longest wait an answer may ask for.
    pub fn retry(self, retry: Retry) -> Self {
        self.edit(|spec| spec.retry = retry)
    }

    /// Bounds the whole delivery, from now: waiting, every attempt, and the waits between them.
    ///
    /// Where it ends before anything was begun, or between attempts that did not happen, that is `E_DEADLINE`. An attempt
    /// that runs then is told to stop ([`Ctx::cancelled`]), is unknown, and reports late.
    pub fn deadline(self, deadline: Duration) -> Self {
        self.edit(|spec| spec.deadline = Some(deadline))
    }

    /// Sets how long an attempt that runs when the deadline passes may take to end, after it was told to: what it says in
    /// that time is its outcome. The default is none.
    pub fn deadline_grace(self, grace: Duration) -> Self {
        self.edit(|spec| spec.deadline_grace = grace)
    }

    /// Sets for how long the lease is renewed at most. The default is 24 hours: an effect that never ends would hold its
    /// intent for ever.
    pub fn max_lease(self, max_lease: Duration) -> Self {
        self.edit(|spec| spec.max_lease = max_lease)
    }

    /// Says what the target does with idempotency keys. The key to send ([`Ctx::downstream_key`]) is made to fit it; an
    /// unknown outcome may be tried again while the target surely remembers the key; and where nothing is in doubt and
    /// the target would only repeat its failure, a new one is used.
    pub fn downstream(self, downstream: Profile) -> Self {
        self.edit(|spec| spec.downstream = Some(downstream))
    }

    /// Names the circuit that the effect belongs to: what fails there counts for all that name it.
    pub fn circuit(self, circuit: impl Into<String>) -> Self {
        let circuit = circuit.into();
        self.edit(|spec| spec.circuit = Some(circuit))
    }

    /// Says what tells this delivery from others, such as its message id: for `explain`, never for the key. A JSON
    /// object or any other text, up to 1 KiB.
    pub fn delivery(mut self, delivery: &str) -> Self {
        match (DeliveryId::new(delivery), &mut self.spec) {
            (Ok(delivery), Ok(spec)) => spec.delivery = Some(delivery),
            (Err(error), spec @ Ok(_)) => *spec = Err(error.into()),
            (_, Err(_)) => {}
        }
        self
    }

    /// Sets the namespace of this effect alone.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        match (Namespace::new(namespace), &mut self.spec) {
            (Ok(namespace), Ok(spec)) => spec.namespace = Some(namespace),
            (Err(error), spec @ Ok(_)) => *spec = Err(error.into()),
            (_, Err(_)) => {}
        }
        self
    }

    /// Runs the effect once per intent; see [`Sluice::run`].
    ///
    /// # Errors
    /// Everything that is not a success; see [`Sluice::run`].
    pub async fn run<T, F, Fut>(self, effect: F) -> Result<Done<T>, Error>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let (spec, prober) = (self.spec?, self.prober);
        match self.object_id {
            None => self.sluice.run_probing(spec, prober, effect).await,
            // Boxed, so that effects without a contract have no room for it.
            Some(path) => Box::pin(self.sluice.run_probing(spec, prober, name_object(path, effect))).await,
        }
    }
}

/// The effect, which names the object that came out as its contract says.
fn name_object<T, F, Fut>(
    path: MemberPath,
    mut effect: F,
) -> impl FnMut(Ctx) -> Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>> + Send + 'static
where
    T: Serialize + Send + 'static,
    F: FnMut(Ctx) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, Failure>> + Send + 'static,
{
    move |ctx| {
        let (path, running) = (path.clone(), effect(ctx.clone()));
        Box::pin(async move {
            let value = running.await?;
            if let Some(object_id) = object_of(&path, &value) {
                ctx.object_id(object_id);
            }
            Ok(value)
        })
    }
}

/// A result that is no plain data, or does not have the member, names no object; it is a success all the same.
fn object_of(path: &MemberPath, value: &impl Serialize) -> Option<String> {
    let whole = Json::object(vec![("result".to_owned(), Json::from_serialize(value).ok()?)]).ok()?;
    match path.find(&whole).or_else(|| path.find(whole.get("result")?))? {
        Json::String(text) => Some(text.clone()),
        number @ Json::Number(_) => Some(number.canonical()),
        _ => None,
    }
}
