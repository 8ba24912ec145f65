//! What the rules and the runtime need of the world, as traits. Only implementations touch a clock or chance.

use crate::error::Error;
use crate::holder::{Holder, Liveness};
use crate::ids::{ClaimId, Epoch, RecordId};
use crate::outcome::{Fault, Kept};
use crate::record::LedgerTime;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Tells the time.
pub trait Clock: Debug + Send + Sync + 'static {
    /// Time since any fixed moment, on a clock that never steps and runs while the host is suspended.
    fn elapsed(&self) -> Duration;

    /// What the clock on the wall says. It may step at any time: for people's eyes, never for a decision.
    fn wall(&self) -> LedgerTime;
}

/// Draws chance.
pub trait Chance: Debug + Send + Sync + 'static {
    /// 128 bits that nobody can foresee.
    fn bits(&self) -> [u8; 16];

    /// A number of [0, 1), for jitter.
    fn sample(&self) -> f64 {
        let [a, b, c, d, ..] = self.bits();
        f64::from(u32::from_le_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Starts work beside the caller.
pub trait Spawn: Debug + Send + Sync + 'static {
    /// Starts a task; it goes on when the caller goes away. False where nothing could be started.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> bool;

    /// Starts a task that no effect can starve, on a thread of its own where there are threads.
    fn spawn_dedicated(&self, name: &str, task: BoxFuture<'static, ()>) -> bool;
}

/// Waits.
pub trait Sleep: Debug + Send + Sync + 'static {
    /// Is ready once the duration has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// Tells whether a holder can still act, as far as can be proved from here.
pub trait Witness: Debug + Send + Sync + 'static {
    /// Describes the holder that is about to ask for this claim, and readies whatever will prove it alive.
    ///
    /// # Errors
    /// Any error ends the delivery before anything is claimed.
    fn describe(&self, claim: ClaimId) -> Result<Holder, Error>;

    /// Judges another holder.
    fn judge(&self, holder: &Holder) -> Liveness;
}

/// Takes in outcomes that could not be written to the ledger, so that a later run can (RULINGS 25).
pub trait Evidence: Debug + Send + Sync + 'static {
    /// Keeps one durably; false where it could not be kept.
    fn keep(&self, unrecorded: Unrecorded) -> BoxFuture<'_, bool>;
}

/// What an execution reported and the ledger does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrecorded {
    /// Of which intent.
    pub id: RecordId,
    /// Under which claim.
    pub claim: ClaimId,
    /// At which epoch.
    pub epoch: Epoch,
    /// What it reported.
    pub report: Report,
}

/// A holder's word on its execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// It happened.
    Success {
        /// Its result.
        kept: Kept,
        /// Which object came out.
        object_id: Option<String>,
    },
    /// It did not, or nobody knows.
    Fault(Fault),
}

/// All ports together.
#[derive(Clone, Debug)]
pub struct Ports {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub chance: Arc<dyn Chance>,
    /// Tasks.
    pub spawn: Arc<dyn Spawn>,
    /// Waiting.
    pub sleep: Arc<dyn Sleep>,
    /// Holders.
    pub witness: Arc<dyn Witness>,
    /// Unrecorded outcomes.
    pub evidence: Arc<dyn Evidence>,
}
