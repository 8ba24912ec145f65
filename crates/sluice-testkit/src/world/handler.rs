//! A user's own handler in the world: what it does with a delivery, and how it talks to a target.

use super::plan::Point;
use super::scheduler::Owner;
use super::stage::Stage;
use super::target::{Reply, Request};
use crate::invariants::Knowledge;
use sluice::{Ctx, Done, EffectSpec, Error, Sluice};
use sluice_core::ids::{ClaimId, RecordId};
use sluice_core::ports::BoxFuture;
use std::fmt;
use std::sync::{Arc, Mutex};

/// One delivery, for a handler to handle.
#[derive(Debug)]
pub struct Handled {
    /// The process's own handle to the ledger.
    pub sluice: Sluice,
    /// What the plan says of the delivery: key, lease, and so on.
    pub spec: EffectSpec,
    /// The line to the target.
    pub line: Line,
}

/// What a handler is.
pub type Handler = Arc<dyn Fn(Handled) -> BoxFuture<'static, Result<Done<String>, Error>> + Send + Sync>;

/// A line to the world's target. Whatever goes over it may be late, lost, or answered by nobody.
#[derive(Clone)]
pub struct Line {
    stage: Arc<Stage>,
    owner: Owner,
    id: RecordId,
    asked: u32,
    used: Arc<Mutex<Vec<ClaimId>>>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Line {
    pub(super) fn new(stage: &Arc<Stage>, owner: Owner, id: RecordId, asked: u32) -> Self {
        Self { stage: stage.clone(), owner, id, asked, used: Arc::default() }
    }

    /// Sends the request of this effect to the target. `None` is silence: nobody knows whether it took hold.
    pub async fn send(&self, ctx: &Ctx) -> Option<Reply> {
        self.stage.lives.runs(ctx.claim());
        super::lock(&self.used).push(ctx.claim());
        self.stage.reaches(self.owner, Point::Acts).await;
        let request = Request {
            id: self.id.clone(),
            claim: ctx.claim(),
            epoch: ctx.epoch(),
            key: ctx.downstream_key().to_owned(),
            asked: self.asked,
        };
        let reply = self.stage.act(request.clone());
        self.stage.reaches(self.owner, Point::Acted).await;
        let reply = reply.await.ok().flatten();
        let knowledge = match &reply {
            Some(Reply::Receipt(_)) => Knowledge::Landed,
            Some(Reply::Declined | Reply::Down) => Knowledge::DidNotLand,
            None => Knowledge::Unknown,
        };
        self.stage.learns(&request, knowledge);
        self.stage.reaches(self.owner, Point::Answered).await;
        reply
    }

    /// What ran for this delivery has come to its end.
    pub(super) fn hangs_up(&self) {
        for claim in super::lock(&self.used).drain(..) {
            self.stage.lives.ran(claim);
            self.stage.lives.settled(claim);
        }
    }
}
