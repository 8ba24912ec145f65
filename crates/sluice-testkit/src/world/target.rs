//! What effects act on: it has a ledger of its own, which nobody else can be wrong about.

use super::dice::Dice;
use super::plan::{TargetFate, TargetPlan};
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use std::collections::BTreeMap;
use std::time::Duration;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// For which intent.
    pub id: RecordId,
    /// Under which claim it is sent.
    pub claim: ClaimId,
    /// And epoch.
    pub epoch: Epoch,
    /// The key that goes with it.
    pub key: String,
    /// What is asked for: 0 for what the intent stands for, anything else for somebody else's request.
    pub asked: u32,
}

/// One landing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// When.
    pub at: Duration,
    /// By which request.
    pub request: Request,
}

/// What the target answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It took hold, now or before; this is its receipt.
    Receipt(String),
    /// It did not take hold, and never will.
    Declined,
    /// It did not take hold.
    Down,
}

/// The target's own books.
#[derive(Debug)]
pub struct Target {
    plan: TargetPlan,
    dice: Dice,
    landings: BTreeMap<RecordId, Vec<Landing>>,
    known: BTreeMap<String, (Duration, Reply)>,
    requests: u32,
}

/// How one request goes.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    /// What it meets.
    pub fate: TargetFate,
    /// How long it is on its way.
    pub there: Duration,
    /// How long the answer is.
    pub back: Duration,
}

impl Target {
    /// A target that nothing has reached yet.
    pub fn new(plan: TargetPlan, dice: Dice) -> Self {
        Self { plan, dice, landings: BTreeMap::new(), known: BTreeMap::new(), requests: 0 }
    }

    /// From now on everything goes well.
    pub fn calm(&mut self) {
        let TargetPlan { honours_keys, replays_failures, .. } = self.plan;
        self.plan = TargetPlan { honours_keys, replays_failures, ..TargetPlan::default() };
    }

    /// Draws how the next request goes, unless that is given.
    pub fn trip(&mut self, given: impl FnOnce(u32) -> Option<TargetFate>) -> Trip {
        self.requests += 1;
        let slow = self.plan.slow_ms;
        let (there, back) = (self.dice.ms(0, slow), self.dice.ms(0, slow));
        let drawn = self.drawn();
        Trip { fate: given(self.requests).unwrap_or(drawn), there, back }
    }

    fn drawn(&mut self) -> TargetFate {
        let [declines, down, silent] = [self.plan.declines, self.plan.down, self.plan.silent];
        let (roll, arrives) = (self.dice.below(100), self.dice.percent(60));
        if roll < declines {
            TargetFate::Declines
        } else if roll < declines + down {
            TargetFate::Down
        } else if roll < declines + down + silent {
            if arrives { TargetFate::LandsSilently } else { TargetFate::Lost }
        } else {
            TargetFate::Lands
        }
    }

    /// A request arrives.
    pub fn arrives(&mut self, request: Request, fate: TargetFate, now: Duration) -> Option<Reply> {
        if fate == TargetFate::Lost {
            return None;
        }
        if let Some(reply) = self.recognised(&request.key, now) {
            return Some(reply);
        }
        let reply = match fate {
            TargetFate::Declines => Reply::Declined,
            TargetFate::Down => Reply::Down,
            _ => self.land(request.clone(), now),
        };
        let remembers = matches!(reply, Reply::Receipt(_)) || self.plan.replays_failures;
        if self.plan.honours_keys.is_some() && remembers {
            self.known.insert(request.key, (now, reply.clone()));
        }
        Some(reply)
    }

    fn recognised(&self, key: &str, now: Duration) -> Option<Reply> {
        let window = self.plan.honours_keys?;
        let (at, reply) = self.known.get(key)?;
        (now.saturating_sub(*at) <= window).then(|| reply.clone())
    }

    fn land(&mut self, request: Request, now: Duration) -> Reply {
        let landings = self.landings.entry(request.id.clone()).or_default();
        let receipt = receipt(&request.id, landings.len(), request.asked);
        landings.push(Landing { at: now, request });
        Reply::Receipt(receipt)
    }

    /// The receipt of what took hold in that epoch.
    pub fn receipt(&self, id: &RecordId, epoch: Epoch) -> Option<String> {
        let landings = self.landings(id);
        let at = landings.iter().position(|landing| landing.request.epoch == epoch)?;
        Some(receipt(id, at, landings[at].request.asked))
    }

    /// Everything that took hold for an intent.
    pub fn landings(&self, id: &RecordId) -> &[Landing] {
        self.landings.get(id).map_or(&[], Vec::as_slice)
    }
}

fn receipt(id: &RecordId, at: usize, asked: u32) -> String {
    format!("{id} #{} of {asked}", at + 1)
}
