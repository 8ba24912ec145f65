//! What would a ledger have done with each delivery, and what became of each action?

use super::record::{ByAction, ByKey, Fate, NO_TIME};
use super::report::{Findings, Report};
use super::sort::Sorter;
use super::why::example;
use sluice_core::contract::Contract;
use sluice_core::duration::as_ms;
use std::io;

/// So many groups of each kind are kept as examples, and looked into.
const EXAMPLES: usize = 20;

/// Goes through the deliveries by key, then by action.
pub(super) fn tally(
    by_key: Sorter<ByKey>,
    contract: &Contract,
    most: usize,
    report: &mut Report,
) -> io::Result<()> {
    let remember = i64::try_from(as_ms(contract.remember)).unwrap_or(i64::MAX);
    let mut by_action = Sorter::new(most);
    let mut group: Option<OfKey> = None;
    for delivery in by_key.sorted()? {
        let delivery = delivery?;
        let mut of_key = match group.take() {
            Some(of_key) if of_key.first.key == delivery.key => of_key,
            _ => OfKey { first: delivery, last_run: None, was_told: false },
        };
        let fate = of_key.arrive(&delivery, remember);
        of_key.compare(&delivery, report);
        group = Some(of_key);
        let ByKey { key, line, offset, at, action, is_guess, .. } = delivery;
        by_action.push(ByAction { action, line, offset, at, key, fate, is_guess })?;
    }
    let mut group: Option<OfAction> = None;
    for delivery in by_action.sorted()? {
        let delivery = delivery?;
        match &mut group {
            Some(of_action)
                if of_action.first.action == delivery.action
                    && of_action.first.is_guess == delivery.is_guess =>
            {
                of_action.add(&delivery);
            }
            _ => {
                if let Some(ended) = group.replace(OfAction::new(&delivery)) {
                    ended.count(report);
                }
            }
        }
    }
    if let Some(ended) = group {
        ended.count(report);
    }
    Ok(())
}

/// The deliveries of one key.
struct OfKey {
    first: ByKey,
    /// The delivery that ran last.
    last_run: Option<ByKey>,
    was_told: bool,
}

impl OfKey {
    /// What a ledger does: the first one runs, and later ones meet its record for as long as it is remembered.
    fn arrive(&mut self, delivery: &ByKey, remember: i64) -> Fate {
        let Some(ran) = &self.last_run else {
            self.last_run = Some(*delivery);
            return Fate::Ran;
        };
        let age =
            if ran.at == NO_TIME || delivery.at == NO_TIME { 0 } else { delivery.at.saturating_sub(ran.at) };
        if age > remember {
            self.last_run = Some(*delivery);
            return Fate::RanForgotten;
        }
        if ran.request == delivery.request { Fate::Replayed } else { Fate::Refused }
    }

    /// One key of two actions is a collision, or, where actions are guesses, a group whose members vary.
    fn compare(&mut self, delivery: &ByKey, report: &mut Report) {
        if self.was_told || self.first.action == delivery.action || self.first.is_guess != delivery.is_guess {
            return;
        }
        self.was_told = true;
        let findings = if delivery.is_guess { &mut report.varying } else { &mut report.collisions };
        add(findings, [self.first.line, delivery.line], [self.first.offset, delivery.offset]);
    }
}

fn add(findings: &mut Findings, lines: [u64; 2], offsets: [u64; 2]) {
    findings.count += 1;
    if findings.examples.len() < EXAMPLES {
        findings.examples.push(example(lines, offsets));
    }
}

/// The deliveries of one action.
struct OfAction {
    first: ByAction,
    /// The first one with another key.
    other: Option<ByAction>,
    runs: u64,
    forgotten: u64,
    refused: bool,
    earliest: Option<i64>,
    latest: Option<i64>,
}

impl OfAction {
    fn new(first: &ByAction) -> Self {
        let mut of_action = Self {
            first: *first,
            other: None,
            runs: 0,
            forgotten: 0,
            refused: false,
            earliest: None,
            latest: None,
        };
        of_action.add(first);
        of_action
    }

    fn add(&mut self, delivery: &ByAction) {
        if delivery.key != self.first.key {
            self.other.get_or_insert(*delivery);
        }
        self.runs += u64::from(delivery.fate.has_run());
        self.forgotten += u64::from(delivery.fate == Fate::RanForgotten);
        self.refused |= delivery.fate == Fate::Refused;
        if delivery.at != NO_TIME {
            self.earliest = Some(self.earliest.map_or(delivery.at, |at| at.min(delivery.at)));
            self.latest = Some(self.latest.map_or(delivery.at, |at| at.max(delivery.at)));
        }
    }

    fn count(self, report: &mut Report) {
        let pair = self.other.map(|other| ([self.first.line, other.line], [self.first.offset, other.offset]));
        if self.first.is_guess {
            if let Some((lines, offsets)) = pair {
                add(&mut report.retries, lines, offsets);
            }
            return;
        }
        report.actions += 1;
        report.ran_twice += self.runs.saturating_sub(1);
        report.actions_twice += u64::from(self.runs > 1);
        report.never_ran += u64::from(self.runs == 0);
        report.refused += u64::from(self.runs == 0 && self.refused);
        report.forgotten += if self.runs > 1 { self.forgotten } else { 0 };
        if let Some((lines, offsets)) = pair {
            add(&mut report.unstable, lines, offsets);
        }
        let spread = self.earliest.zip(self.latest).map(|(first, last)| last.saturating_sub(first));
        report.longest_ms = report.longest_ms.max(spread);
    }
}
