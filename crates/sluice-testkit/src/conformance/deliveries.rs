//! Deliveries are counted beside the record, and go with it.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::id;
use sluice_core::deliveries::{DeliveryId, Heard, Note, RECENT, Seen, Tally};
use sluice_core::record::LedgerTime;
use sluice_core::retention::REMEMBER;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("counted deliveries add up, and tell when the first and the last came", add_up),
    rule("the latest twenty deliveries stay, with what tells them apart", latest),
    rule("a count is no change of its record", no_change),
    rule("deliveries of a record that is not there are dropped, and go with one that goes", gone),
];

const TEXT: &str = "m\0sg \u{10ffff} \"'\\";

fn note(ago_ms: u64) -> Note {
    Note { ago: Duration::from_millis(ago_ms), delivery: DeliveryId::new(TEXT).ok(), heard: Heard::Replayed }
}

fn tally(count: u64) -> Tally {
    Tally { count, first_ago: Duration::from_millis(900), notes: vec![note(20), note(10)] }
}

fn add_up(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    same("a record without any", &bench.deliveries(&id("k"))?, &None)?;
    let at = bench.released(&id("k"))?.record.updated.0;
    bench.advance(1_000);
    bench.count(&id("k"), tally(3))?;
    bench.advance(1_000);
    bench.count(&id("k"), tally(4))?;
    let found = bench.deliveries(&id("k"))?.ok_or("nothing was counted")?;
    same("the count", &found.count, &7)?;
    same("first and last", &(found.first.0 - at, found.last.0 - at), &(100, 1_990))
}

fn latest(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let at = bench.claim(&id("k"))?.record.updated.0;
    for _ in 0..15 {
        bench.advance(1_000);
        bench.count(&id("k"), tally(2))?;
    }
    let recent = bench.deliveries(&id("k"))?.ok_or("nothing was counted")?.recent;
    same("how many stay", &recent.len(), &RECENT)?;
    let newest =
        Seen { at: LedgerTime(at + 14_990), delivery: DeliveryId::new(TEXT).ok(), heard: Heard::Replayed };
    same("the newest", &recent.last(), &Some(&newest))
}

fn no_change(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.claim(&id("k"))?;
    let before = bench.seen(&id("k"))?;
    bench.count(&id("k"), tally(3))?;
    same("the record and its events", &bench.seen(&id("k"))?, &before)
}

fn gone(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    bench.count(&id("none"), tally(3))?;
    same("deliveries of no record", &bench.deliveries(&id("none"))?, &None)?;
    bench.released(&id("k"))?;
    bench.count(&id("k"), tally(3))?;
    subject.advance(REMEMBER);
    bench.sweep(10)?;
    bench.claim(&id("k"))?;
    same("deliveries of a record that is new again", &bench.deliveries(&id("k"))?, &None)
}
