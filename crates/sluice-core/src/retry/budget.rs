//! May a circuit have one more retry at the moment?

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

/// Thousandths of a token in a token.
const WHOLE: u64 = 1000;
const NS_PER_S: u128 = 1_000_000_000;
/// An entry that nobody used for this long is forgotten.
const IDLE: Duration = Duration::from_mins(5);
/// How many entries each use looks at, to find what is idle.
const LOOKS: usize = 2;
/// How many circuits have an entry of their own.
const MOST: usize = 4096;

/// How many retries a circuit may have in relation to its calls.
///
/// A retry takes a whole token. Each call, which is a first attempt, brings a part of one, so that an outage makes the
/// load on a busy target grow by that part and no more. A quiet circuit lives on the reserve, which comes back with
/// time: a second is no longer than the wait before a retry, so that a single caller never notices.
///
/// ```
/// use sluice_core::retry::Budget;
/// let budget = Budget::default();
/// assert_eq!((budget.per_call_milli, budget.per_second_milli, budget.reserve, budget.most), (100, 1000, 10, 100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Thousandths of a token that a call brings.
    pub per_call_milli: u32,
    /// Thousandths of a token that a second brings while there are fewer than the reserve.
    pub per_second_milli: u32,
    /// Tokens that a circuit begins with, and that time fills up to.
    pub reserve: u32,
    /// Tokens that are kept at most, whatever is called; where it is below the reserve, the reserve counts.
    pub most: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { per_call_milli: 100, per_second_milli: 1000, reserve: 10, most: 100 }
    }
}

impl Budget {
    fn reserve_milli(&self) -> u64 {
        u64::from(self.reserve) * WHOLE
    }

    fn most_milli(&self) -> u64 {
        u64::from(self.most.max(self.reserve)) * WHOLE
    }
}

/// The tokens of every circuit of a process.
///
/// Circuits are apart: what one spends no other lacks. Beyond 4096 circuits that are all short of tokens, further ones
/// share one entry, since a fresh reserve for each new name would be no budget at all.
///
/// Times are counted from any fixed moment. One that goes backwards brings no tokens and does no harm.
///
/// ```
/// use sluice_core::retry::{Budget, Budgets};
/// use std::time::Duration;
/// let (mut budgets, now) = (Budgets::default(), Duration::ZERO);
/// let budget = Budget { reserve: 1, ..Budget::default() };
/// assert!(budgets.take("psp", &budget, now));
/// assert!(!budgets.take("psp", &budget, now), "the reserve is spent");
/// assert!(budgets.take("mail", &budget, now), "another target has its own");
/// assert!(budgets.take("psp", &budget, Duration::from_secs(1)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    entries: BTreeMap<String, Entry>,
    shared: Option<Entry>,
    /// The last name that was looked at for idleness.
    looked_at: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    budget: Budget,
    milli: u64,
    /// Up to when time has brought its tokens.
    counted: Duration,
    used: Duration,
}

impl Budgets {
    /// Counts a call: a first attempt that is about to be sent. A replay, and a call that was refused, are none.
    pub fn call(&mut self, circuit: &str, budget: &Budget, now: Duration) {
        let entry = self.entry(circuit, budget, now);
        let filled = entry.milli.saturating_add(u64::from(budget.per_call_milli));
        entry.milli = filled.min(budget.most_milli());
    }

    /// Takes a token for a retry; false where there is none, and then nothing changes.
    #[must_use]
    pub fn take(&mut self, circuit: &str, budget: &Budget, now: Duration) -> bool {
        let entry = self.entry(circuit, budget, now);
        let left = entry.milli.checked_sub(WHOLE);
        entry.milli = left.unwrap_or(entry.milli);
        left.is_some()
    }

    /// Thousandths of a token that a circuit has at that moment; those of a new one where it is not known.
    pub fn balance_milli(&self, circuit: &str, budget: &Budget, now: Duration) -> u64 {
        let known = self.entries.get(circuit).map(|entry| entry.at(budget, now).milli);
        known.unwrap_or(budget.reserve_milli())
    }

    /// How many circuits are known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no circuit is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn entry(&mut self, circuit: &str, budget: &Budget, now: Duration) -> &mut Entry {
        let is_new = !self.entries.contains_key(circuit);
        let room = self.look_around(now, is_new);
        let entry = if is_new && !room {
            self.shared.get_or_insert_with(|| Entry::new(budget, now))
        } else {
            self.entries.entry(circuit.to_owned()).or_insert_with(|| Entry::new(budget, now))
        };
        *entry = entry.at(budget, now);
        entry.used = entry.used.max(now);
        entry
    }

    /// Looks at the next few entries and forgets what has become like new; says whether there is room for one more.
    /// Where room is needed and there is none, whatever is no worse than new goes, used or not.
    fn look_around(&mut self, now: Duration, needs_room: bool) -> bool {
        for _ in 0..LOOKS.min(self.entries.len()) {
            let is_full = needs_room && self.entries.len() >= MOST;
            let Some((name, entry)) = self.next_name() else { break };
            if entry.may_go(now, is_full) {
                self.entries.remove(&name);
            }
            self.looked_at = Some(name);
        }
        self.entries.len() < MOST
    }

    /// The name after the one that was looked at last; after the last one the first.
    fn next_name(&self) -> Option<(String, Entry)> {
        let after = match &self.looked_at {
            Some(name) => (Bound::Excluded(name.as_str()), Bound::Unbounded),
            None => (Bound::Unbounded, Bound::Unbounded),
        };
        let next = self.entries.range::<str, _>(after).next().or_else(|| self.entries.iter().next());
        next.map(|(name, entry)| (name.clone(), *entry))
    }
}

impl Entry {
    fn new(budget: &Budget, now: Duration) -> Self {
        Self { budget: *budget, milli: budget.reserve_milli(), counted: now, used: now }
    }

    /// The entry with what time has brought. Only the time of whole thousandths is taken as counted, so that many
    /// short looks bring as much as one long one, and no more.
    fn at(mut self, budget: &Budget, now: Duration) -> Self {
        self.budget = *budget;
        let missing = budget.reserve_milli().saturating_sub(self.milli);
        let rate = u128::from(budget.per_second_milli);
        let waited = now.saturating_sub(self.counted).as_nanos();
        let brought = u64::try_from(waited.saturating_mul(rate) / NS_PER_S).unwrap_or(u64::MAX);
        if brought >= missing {
            self.milli += missing;
            self.counted = self.counted.max(now);
        } else {
            self.milli += brought;
            let spent = (u128::from(brought) * NS_PER_S).div_ceil(rate.max(1));
            self.counted += Duration::from_nanos(u64::try_from(spent).unwrap_or(u64::MAX));
        }
        self.milli = self.milli.min(budget.most_milli());
        self
    }

    /// Whether nothing is lost by forgetting it: a new one would have as much.
    fn may_go(&self, now: Duration, is_full: bool) -> bool {
        let is_idle = now.saturating_sub(self.used) >= IDLE;
        (is_idle || is_full) && self.at(&self.budget, now).milli >= self.budget.reserve_milli()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    fn spend(budgets: &mut Budgets, circuit: &str, budget: &Budget, now: Duration) -> usize {
        std::iter::repeat_with(|| budgets.take(circuit, budget, now)).take_while(|taken| *taken).count()
    }

    #[test]
    fn idle_circuits_are_forgotten_by_those_that_are_used() {
        let (mut budgets, budget) = (Budgets::default(), Budget::default());
        for circuit in 0..1000 {
            budgets.call(&format!("c{circuit}"), &budget, S(0));
        }
        assert_eq!(budgets.len(), 1000);
        for second in 0..600 {
            budgets.call("busy", &budget, S(300 + second));
        }
        assert_eq!(budgets.len(), 1);
    }

    #[test]
    fn a_circuit_that_is_short_of_tokens_is_not_forgotten_into_a_fresh_reserve() {
        let (mut budgets, budget) = (Budgets::default(), Budget { per_second_milli: 0, ..Budget::default() });
        assert_eq!(spend(&mut budgets, "down", &budget, S(0)), 10);
        for second in 0..100 {
            budgets.call("busy", &budget, S(1000 + second));
        }
        assert_eq!(spend(&mut budgets, "down", &budget, S(2000)), 0);
    }

    #[test]
    fn however_many_names_there_are_they_never_get_more_than_their_number_allows() {
        let (mut budgets, budget) = (Budgets::default(), Budget { reserve: 1, ..Budget::default() });
        let taken =
            (0..3 * MOST).filter(|circuit| budgets.take(&format!("c{circuit}"), &budget, S(0))).count();
        assert_eq!((budgets.len(), taken), (MOST, MOST + 1));
    }

    #[test]
    fn a_full_table_has_room_for_a_new_circuit_where_another_is_as_good_as_new() {
        let (mut budgets, budget) = (Budgets::default(), Budget::default());
        for circuit in 0..=MOST {
            budgets.call(&format!("c{circuit}"), &budget, S(0));
        }
        assert_eq!(budgets.len(), MOST);
        assert!(budgets.entries.contains_key(&format!("c{MOST}")));
    }
}
