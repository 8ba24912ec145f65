//! How is a target asked whether an execution took hold, of which nobody knows?

use crate::run::{Either, caught, race};
use crate::sluice::Sluice;
use crate::verdicts::Resolved;
use serde::Serialize;
use sluice_core::decide::{Judgement, NotYet, Ruling, VerdictStep};
use sluice_core::ids::{Epoch, RecordId};
use sluice_core::key::check_plain;
use sluice_core::outcome::{Kept, NotKept};
use sluice_core::ports::BoxFuture;
use sluice_core::record::{Labels, LedgerTime, Snapshot};
use sluice_core::{Error, Failure};
use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a probe may take where the effect's own attempts have no bound.
const PATIENCE: Duration = Duration::from_secs(30);
/// Whose word a probe's answer is.
pub(crate) const BY: &str = "probe";

/// What a target says of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe<T> {
    /// It took hold, with this result.
    Landed(T),
    /// It did not, and never will.
    DidNotLand,
    /// The target cannot tell.
    StillUnknown,
}

/// What a probe is asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// Which intent.
    pub id: RecordId,
    /// Which execution of it.
    pub epoch: Epoch,
    /// The key that was sent to the target.
    pub downstream_key: String,
    /// When the intent was first claimed, in ledger time.
    pub created: LedgerTime,
    /// Tool, actor and run, as far as they were said.
    pub labels: Labels,
}

/// A way to ask a target. It must change nothing there.
///
/// ```
/// use sluice::{Prober, Probe, Failure};
/// let prober = Prober::new(|asked: sluice::Asked| async move {
///     // A look-up of the target's own would stand here, by `asked.downstream_key`.
///     Ok::<_, Failure>(if asked.epoch.0 == 1 { Probe::Landed("ch_1") } else { Probe::StillUnknown })
/// });
/// assert_eq!(format!("{prober:?}"), "Prober");
/// ```
#[derive(Clone)]
pub struct Prober(Arc<dyn Fn(Asked) -> BoxFuture<'static, Option<Judgement>> + Send + Sync>);

impl fmt::Debug for Prober {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prober")
    }
}

impl Prober {
    /// Asks by this function. An error and a panic are no answer.
    pub fn new<T, F, Fut>(ask: F) -> Self
    where
        T: Serialize,
        F: Fn(Asked) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Probe<T>, Failure>> + Send + 'static,
    {
        let ask = Arc::new(ask);
        Self(Arc::new(move |asked| {
            let ask = ask.clone();
            Box::pin(async move {
                match caught(|| ask(asked)).await {
                    Ok(Ok(Probe::Landed(value))) => Some(Judgement::Landed(kept(&value))),
                    Ok(Ok(Probe::DidNotLand)) => Some(Judgement::DidNotLand),
                    Ok(Ok(Probe::StillUnknown) | Err(_)) | Err(_) => None,
                }
            })
        }))
    }
}

fn kept(value: &impl Serialize) -> Kept {
    let text = check_plain(value).ok().and_then(|()| serde_json::to_vec(value).ok());
    text.map_or(Kept::absent(NotKept::NotStorable), |text| Kept::within(text, usize::MAX))
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probed {
    /// Something is known now that was not: look again.
    Settled,
    /// It did not take hold so far, but the last holder may still send something; or another caller asks already.
    NotYet(NotYet),
    /// Nobody knows.
    StillUnknown,
}

/// The records that are asked about just now, so that no two callers of a process ask about one.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<BTreeSet<RecordId>>);

struct Flight<'f>(&'f Flights, RecordId);

impl Flights {
    fn begin(&self, id: &RecordId) -> Option<Flight<'_>> {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        flights.insert(id.clone()).then(|| Flight(self, id.clone()))
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Sluice {
    /// Asks the target about each execution of a record of which nobody knows, and settles what it says. The answer is a
    /// verdict on that epoch: it never begins a new one, and *did not land* waits for the last holder to be quiet. No answer
    /// is waited for longer than that.
    pub(crate) async fn ask_target(
        &self,
        found: &Snapshot,
        prober: &Prober,
        within: Duration,
    ) -> Result<Probed, Error> {
        let id = &found.record.id;
        let Some(_flight) = self.inner.flights.begin(id) else {
            return Ok(Probed::NotYet(NotYet::Alive(None)));
        };
        let mut learned = Probed::StillUnknown;
        for epoch in found.record.body.unresolved.epochs() {
            let Some(judgement) = self.one_answer(found, epoch, prober, within).await else { continue };
            let judgement = self.bounded(judgement);
            let landed = matches!(judgement, Judgement::Landed(_));
            let ruling = Ruling {
                epoch: Some(epoch),
                judgement,
                by: BY.to_owned(),
                reason: "the target was asked".to_owned(),
                force: false,
            };
            match self.resolve(id, &ruling).await? {
                Resolved::Refused(step, _) => match *step {
                    VerdictStep::NotQuiet(left) => return Ok(Probed::NotYet(NotYet::Quiet(left))),
                    VerdictStep::HolderLives(pid) => return Ok(Probed::NotYet(NotYet::Alive(pid))),
                    // Somebody else found out meanwhile.
                    _ => return Ok(Probed::Settled),
                },
                Resolved::Taken(..) | Resolved::Already(..) if !landed => learned = Probed::Settled,
                Resolved::Taken(..) | Resolved::Already(..) | Resolved::NoRecord => {
                    return Ok(Probed::Settled);
                }
            }
        }
        Ok(learned)
    }

    async fn one_answer(
        &self,
        found: &Snapshot,
        epoch: Epoch,
        prober: &Prober,
        within: Duration,
    ) -> Option<Judgement> {
        let record = &found.record;
        let asked = Asked {
            id: record.id.clone(),
            epoch,
            downstream_key: record.body.downstream.key.clone(),
            created: record.created,
            labels: record.body.labels.clone(),
        };
        let patience = record.body.terms.attempt_timeout.unwrap_or(PATIENCE).min(within);
        match race((prober.0)(asked), self.inner.ports.sleep.sleep(patience)).await {
            Either::First(answer) => answer,
            Either::Second(()) => None,
        }
    }

    /// A success survives its result: one that is too large to keep is not kept.
    fn bounded(&self, judgement: Judgement) -> Judgement {
        match judgement {
            Judgement::Landed(Kept { bytes, sha256, value: Ok(text) })
                if text.len() > self.inner.settings.result_limit =>
            {
                Judgement::Landed(Kept { bytes, sha256, value: Err(NotKept::TooLarge) })
            }
            judgement => judgement,
        }
    }
}
