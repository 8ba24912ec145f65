//! How often a target is asked, and whether it is spared.

use crate::world::{Mishap, Plan};
use sluice_core::Code;
use std::collections::BTreeSet;
use std::time::Duration;

/// The fewest failures that open a circuit: half of the fewest outcomes, which are five.
const FEWEST: usize = 3;
/// What one process sends at most to a target that never gives a good answer: what it takes to open a circuit, and what is
/// on its way by then.
const BEFORE_OPEN: usize = 12;
/// How many probes fit into that time at most.
const PROBES: usize = 12;
/// After so long a target that nobody asked gets a new budget: what is counted is counted up to then.
const IDLE: Duration = Duration::from_mins(5);

/// Counts what is sent.
#[derive(Debug)]
pub(super) struct Thrift {
    reserve: Option<u32>,
    budgets: usize,
    is_spared: bool,
    deliveries: usize,
    processes: usize,
    firsts: usize,
    retries: usize,
    begun: usize,
    answered: usize,
    doubts: usize,
    was_told: bool,
}

fn stops(mishap: &Mishap) -> bool {
    matches!(mishap, Mishap::Stops(..) | Mishap::StopsAt(..))
}

/// Whatever names its target shares one budget, and anything else another.
fn budgets(plan: &Plan) -> usize {
    plan.intents.iter().map(|intended| intended.by_key).collect::<BTreeSet<_>>().len()
}

impl Thrift {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            reserve: plan.reserve,
            budgets: budgets(plan),
            // Only what names its target has a circuit; whoever stands still for a while has everything to do at once then.
            is_spared: plan.intents.iter().all(|intended| intended.by_key) && !plan.mishaps.iter().any(stops),
            deliveries: plan.deliveries.len(),
            processes: 0,
            firsts: 0,
            retries: 0,
            begun: 0,
            answered: 0,
            doubts: 0,
            was_told: false,
        }
    }

    pub(super) fn started(&mut self) {
        self.processes += 1;
    }

    /// An attempt is sent; says what is too much about it, once.
    pub(super) fn sent(&mut self, again: bool, now: Duration) -> Option<String> {
        if again {
            self.retries += 1;
        } else {
            self.firsts += 1;
        }
        if self.was_told || now >= IDLE {
            return None;
        }
        let seen = self.too_much();
        self.was_told = seen.is_some();
        seen
    }

    /// An attempt begins; it may take too long without ever being sent.
    pub(super) fn begun(&mut self) {
        self.begun += 1;
    }

    pub(super) fn answered(&mut self) {
        self.answered += 1;
    }

    /// Somebody was refused.
    pub(super) fn refused(&mut self, code: &str) -> Option<String> {
        if code != Code::CircuitOpen.as_str() {
            self.doubts += 1;
            return None;
        }
        // What took too long is trouble, also where a good answer comes in the end.
        let troubles = self.begun.saturating_sub(self.answered) + self.doubts;
        let for_nothing = troubles < FEWEST;
        for_nothing.then(|| format!("a target was spared after {troubles} attempts without a good answer"))
    }

    fn too_much(&self) -> Option<String> {
        let most = self.reserve.map_or(usize::MAX, |reserve| {
            let reserve = usize::try_from(reserve).unwrap_or(usize::MAX);
            (reserve * self.processes * self.budgets).saturating_add(self.deliveries.div_ceil(10))
        });
        if self.retries > most {
            return Some(format!("{} attempts were further ones, and {most} may be", self.retries));
        }
        let (sent, most) = (self.firsts + self.retries, BEFORE_OPEN * self.processes + PROBES);
        let is_wasted = self.is_spared && self.answered == 0 && sent > most;
        is_wasted.then(|| {
            format!("{sent} attempts reached a target that never gave a good answer, and {most} may")
        })
    }
}
