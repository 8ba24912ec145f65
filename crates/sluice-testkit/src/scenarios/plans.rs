//! The worlds themselves.

use super::parts::{SECOND, deliver, delivered, dies, each_intent, honest, quiet};
use crate::world::{Care, Dice, Fate, Mishap, Op, Operator, Plan, Point, TargetFate};
use sluice_core::policy::OnDuplicate;
use std::time::Duration;

pub(super) fn duplicate_delivery(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 4);
    for _ in 0..dice.between(2, 6) {
        plan.deliveries.push(delivered(SECOND, 0, 0));
        plan.deliveries.push(delivered(SECOND, 1, 0));
    }
    deliver(&mut plan, &mut dice, 4);
    plan
}

pub(super) fn timeout_then_success(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    each_intent(&mut plan, |intent| intent.timeout = Some(2 * SECOND));
    for nth in 1..=2 {
        plan.mishaps.push(Mishap::Target(nth, TargetFate::LandsLate(dice.between(2_000, 20_000))));
    }
    deliver(&mut plan, &mut dice, 3);
    plan.operators.push(honest(dice.between(5, 50)));
    plan
}

pub(super) fn crash_before_effect(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    let marks = dice.percent(50);
    each_intent(&mut plan, |intent| intent.marks = marks);
    let points =
        [Point::Asks(Op::Claim), Point::Done(Op::Claim), Point::Heard(Op::Claim), Point::Begins, Point::Acts];
    for worker in 0..2 {
        let away = dice.ms(0, 15_000);
        plan.mishaps.push(Mishap::DiesAt(worker, *dice.pick(&points), 1, away));
    }
    locks(&mut plan, &mut dice);
    deliver(&mut plan, &mut dice, 4);
    plan.operators.push(honest(50));
    plan
}

pub(super) fn crash_mid_effect(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    let marks = dice.percent(50);
    each_intent(&mut plan, |intent| intent.marks = marks);
    let points = [
        Point::Acted,
        Point::Answered,
        Point::Asks(Op::Settle),
        Point::Done(Op::Settle),
        Point::Heard(Op::Settle),
    ];
    for worker in 0..2 {
        let away = dice.ms(0, 15_000);
        plan.mishaps.push(Mishap::DiesAt(worker, *dice.pick(&points), 1, away));
    }
    locks(&mut plan, &mut dice);
    deliver(&mut plan, &mut dice, 4);
    plan.operators.push(honest(dice.between(20, 55)));
    plan
}

pub(super) fn clock_skew(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 3);
    for worker in &mut plan.workers {
        // A lease's margin covers up to a tenth; real clocks stay far below.
        worker.drift_ppm = i64::try_from(dice.below(100_000)).unwrap_or_default() - 50_000;
        worker.has_locks = false;
    }
    for _ in 0..4 {
        let jump = i64::try_from(dice.below(20 * 365 * 24 * 3_600_000)).unwrap_or_default();
        plan.mishaps.push(Mishap::LedgerWall(dice.ms(0, 50_000), jump - 10 * 365 * 24 * 3_600_000));
        plan.mishaps.push(Mishap::Sweep(dice.ms(0, 50_000)));
    }
    each_intent(&mut plan, |intent| intent.think_ms = (1, 15_000));
    plan.mishaps.push(dies(&mut dice, 3));
    deliver(&mut plan, &mut dice, 4);
    plan
}

pub(super) fn slow_downstream(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 3);
    plan.target.slow_ms = 25_000;
    plan.weather.late = 20;
    plan.weather.late_ms = 1_500;
    deliver(&mut plan, &mut dice, 4);
    plan
}

pub(super) fn zombie_holder(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 2);
    let points = [
        Point::Heard(Op::Claim),
        Point::Begins,
        Point::Acts,
        Point::Acted,
        Point::Answered,
        Point::Asks(Op::Settle),
    ];
    for worker in 0..2 {
        plan.mishaps.push(Mishap::StopsAt(worker, *dice.pick(&points), 1, dice.ms(5_000, 40_000)));
    }
    locks(&mut plan, &mut dice);
    let marks = dice.percent(50);
    each_intent(&mut plan, |intent| {
        intent.marks = marks;
        intent.think_ms = (1, 8_000);
    });
    deliver(&mut plan, &mut dice, 4);
    if dice.percent(40) {
        overtaken(&mut plan, &mut dice);
    } else {
        plan.operators.push(honest(dice.between(10, 59)));
    }
    plan
}

/// The zombie wakes up when a later delivery has run its repeatable effect again, and only then says its word.
fn overtaken(plan: &mut Plan, dice: &mut Dice) {
    plan.target.honours_keys = Some(Duration::from_hours(24));
    plan.storm = Duration::from_mins(5);
    let timeout = dice.percent(50).then(|| dice.ms(500, 9_000));
    each_intent(plan, |intent| {
        intent.repeatable = true;
        intent.timeout = timeout;
    });
    for mishap in &mut plan.mishaps {
        if let Mishap::StopsAt(.., length) = mishap {
            *length = dice.ms(20_000, 200_000);
        }
    }
    let fates = [
        TargetFate::LandsSilently,
        TargetFate::Lost,
        TargetFate::Declines,
        TargetFate::Down,
        TargetFate::Lands,
    ];
    for nth in 1..=6 {
        plan.mishaps.push(Mishap::Target(nth, *dice.pick(&fates)));
    }
    for intent in 0..plan.intents.len() {
        for _ in 0..4 {
            plan.deliveries.push(delivered(dice.ms(80_000, 250_000), 2, intent));
        }
    }
}

pub(super) fn orphan(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    plan.mishaps.push(Mishap::DiesAt(0, Point::Acted, 1, dice.ms(0, 5_000)));
    plan.mishaps.push(Mishap::DiesAt(1, Point::Acted, 1, dice.ms(0, 5_000)));
    for nth in 1..=3 {
        plan.mishaps.push(Mishap::Target(nth, TargetFate::LandsLate(dice.between(100, 30_000))));
    }
    let repeatable = dice.percent(30);
    plan.target.honours_keys = repeatable.then_some(Duration::from_hours(24));
    each_intent(&mut plan, |intent| intent.repeatable = repeatable);
    locks(&mut plan, &mut dice);
    deliver(&mut plan, &mut dice, 5);
    plan.operators.push(honest(dice.between(5, 40)));
    plan
}

pub(super) fn suspended_host(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 3);
    for worker in 0..3 {
        plan.mishaps.push(Mishap::Stops(worker, dice.ms(500, 30_000), dice.ms(3_000, 120_000)));
    }
    locks(&mut plan, &mut dice);
    each_intent(&mut plan, |intent| intent.think_ms = (1, 12_000));
    deliver(&mut plan, &mut dice, 4);
    plan.operators.push(honest(dice.between(20, 59)));
    plan
}

pub(super) fn lost_claim_answer(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    for nth in 1..=dice.between(1, 8) {
        let fate = if dice.percent(50) { Fate::AnswerLost } else { Fate::RequestLost };
        plan.mishaps.push(Mishap::Message(Op::Claim, u32::try_from(nth).unwrap_or(1), fate));
    }
    deliver(&mut plan, &mut dice, 4);
    plan
}

pub(super) fn doubled_claim(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    for op in [Op::Claim, Op::Settle, Op::Mark, Op::Renew] {
        for nth in 1..=3 {
            plan.mishaps.push(Mishap::Message(
                op,
                nth,
                if dice.percent(70) { Fate::Doubled } else { Fate::Late(4_000) },
            ));
        }
    }
    each_intent(&mut plan, |intent| intent.marks = true);
    deliver(&mut plan, &mut dice, 4);
    plan
}

pub(super) fn store_outage(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 3);
    for _ in 0..dice.between(1, 3) {
        plan.mishaps.push(Mishap::LedgerAway(dice.ms(0, 30_000), dice.ms(100, 80_000)));
    }
    plan.storm = Duration::from_mins(2);
    each_intent(&mut plan, |intent| intent.think_ms = (1, 6_000));
    deliver(&mut plan, &mut dice, 5);
    plan.mishaps.push(dies(&mut dice, 3));
    plan
}

pub(super) fn wrong_verdict(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    plan.mishaps.push(Mishap::StopsAt(0, Point::Answered, 1, dice.ms(20_000, 40_000)));
    plan.mishaps.push(Mishap::StopsAt(1, Point::Acted, 1, dice.ms(20_000, 40_000)));
    plan.workers.iter_mut().for_each(|worker| worker.has_locks = false);
    deliver(&mut plan, &mut dice, 5);
    plan.operators.push(Operator { at: Duration::from_secs(dice.between(10, 30)), care: Care::Wrong });
    // Their words can be on their way while the holder says its own.
    for nth in 1..=6 {
        plan.mishaps.push(Mishap::Message(Op::Other, nth, Fate::Late(dice.between(0, 15_000))));
    }
    plan
}

pub(super) fn laundering(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 2);
    let first = [TargetFate::LandsSilently, TargetFate::Lost, TargetFate::LandsLate(9_000)];
    let then = [TargetFate::Declines, TargetFate::Down];
    for nth in 1..=6 {
        plan.mishaps.push(Mishap::Target(nth, if nth <= 2 { *dice.pick(&first) } else { *dice.pick(&then) }));
    }
    each_intent(&mut plan, |intent| {
        intent.repeatable = true;
        intent.timeout = Some(3 * SECOND);
    });
    plan.target.honours_keys = Some(Duration::from_hours(24));
    deliver(&mut plan, &mut dice, 5);
    plan.deliveries.iter_mut().for_each(|one| one.reruns = true);
    plan.storm = Duration::from_secs(200);
    plan
}

pub(super) fn key_reuse(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 4);
    deliver(&mut plan, &mut dice, 3);
    for intent in 0..4 {
        for request in 1..=2 {
            // Never the first one: whoever comes first owns the key.
            let mut other = delivered(dice.ms(40_000, 55_000), 0, intent);
            other.request = request;
            plan.deliveries.push(other);
        }
    }
    plan.target.silent = 20;
    plan
}

pub(super) fn retention_boundary(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 3);
    each_intent(&mut plan, |intent| intent.remember = Duration::from_mins(2));
    plan.target.silent = 30;
    if dice.percent(30) {
        // Longer than anything is remembered, and in flight all the time.
        plan.intents[0].think_ms = (130_000, 200_000);
    }
    plan.mishaps.push(dies(&mut dice, 2));
    for _ in 0..6 {
        let at = dice.ms(20_000, 400_000);
        plan.mishaps.push(Mishap::Sweep(at));
        let intent = usize::try_from(dice.below(3)).unwrap_or_default();
        plan.deliveries.push(delivered(at + dice.ms(0, 50), 0, intent));
    }
    if dice.percent(50) {
        plan.mishaps.push(Mishap::LedgerWall(dice.ms(0, 300_000), 2 * 3_600_000));
    }
    deliver(&mut plan, &mut dice, 3);
    plan.storm = Duration::from_mins(7);
    plan
}

/// Whatever comes to mind, all at once.
pub(super) fn mixed(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let workers = usize::try_from(dice.between(1, 4)).unwrap_or(1);
    let intents = usize::try_from(dice.between(1, 5)).unwrap_or(1);
    let mut plan = quiet(seed, workers, intents);
    weather(&mut plan, &mut dice);
    people(&mut plan, &mut dice);
    for _ in 0..dice.between(0, 5) {
        let mishap = any_mishap(&mut dice, workers);
        plan.mishaps.push(mishap);
    }
    let each = dice.between(1, 5);
    deliver(&mut plan, &mut dice, each);
    for delivered in &mut plan.deliveries {
        delivered.reruns = dice.percent(10);
        delivered.patience = if dice.percent(15) { Duration::ZERO } else { dice.ms(0, 60_000) };
        let wants =
            [OnDuplicate::Replay, OnDuplicate::Replay, OnDuplicate::AlreadyProcessed, OnDuplicate::Conflict];
        delivered.on_duplicate = *dice.pick(&wants);
    }
    plan
}

/// Any weather, any target, and effects of any kind.
pub(crate) fn weather(plan: &mut Plan, dice: &mut Dice) {
    plan.weather.loss = *dice.pick(&[0, 0, 2, 10]);
    plan.weather.doubled = *dice.pick(&[0, 0, 5, 20]);
    plan.weather.late = *dice.pick(&[0, 10, 40]);
    plan.weather.late_ms = *dice.pick(&[10, 500, 5_000]);
    plan.target.declines = *dice.pick(&[0, 0, 15]);
    plan.target.down = *dice.pick(&[0, 0, 15]);
    plan.target.silent = *dice.pick(&[0, 10, 30]);
    plan.target.slow_ms = *dice.pick(&[10, 500, 10_000]);
    locks(plan, dice);
    let honours = dice.percent(40);
    plan.target.honours_keys = honours.then_some(Duration::from_hours(24));
    plan.target.replays_failures = honours && dice.percent(30);
    for worker in &mut plan.workers {
        worker.drift_ppm = i64::try_from(dice.below(4_000)).unwrap_or_default() - 2_000;
    }
    for intent in &mut plan.intents {
        intent.marks = dice.percent(40);
        intent.repeatable = honours && dice.percent(50);
        intent.tries = u32::try_from(dice.between(1, 4)).unwrap_or(1);
        intent.by_key = dice.percent(40);
        intent.probes = dice.percent(30);
        intent.lease = dice.ms(1_000, 12_000);
        intent.timeout = dice.percent(30).then(|| dice.ms(200, 8_000));
        intent.think_ms = (1, *dice.pick(&[10, 1_000, 9_000]));
    }
}

/// A day of the target's memory goes by in twenty minutes, so that a world need not take days.
const WINDOW: Duration = Duration::from_mins(20);

pub(super) fn retry_storm(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 3, 24);
    plan.target.down = 15;
    plan.target.silent = 15;
    let honours = dice.percent(50);
    plan.target.honours_keys = honours.then_some(Duration::from_hours(24));
    each_intent(&mut plan, |intent| intent.by_key = honours);
    deliver(&mut plan, &mut dice, 1);
    // Without keys it is the mark that tells, of whoever makes it.
    each_intent(&mut plan, |intent| {
        intent.marks = !honours;
        intent.marks_outside = dice.percent(50);
    });
    plan.reserve = dice.percent(50).then_some(1);
    plan.operators.push(honest(55));
    plan
}

pub(super) fn outage(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 100);
    plan.target.down = 100;
    plan.target.honours_keys = Some(Duration::from_hours(24));
    plan.reserve = Some(2);
    each_intent(&mut plan, |intent| intent.by_key = true);
    deliver(&mut plan, &mut dice, 1);
    if dice.percent(50) {
        plan.mishaps.push(dies(&mut dice, 2));
    }
    plan
}

pub(super) fn target_forgets(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 4);
    plan.target.honours_keys = Some(WINDOW);
    plan.target.silent = 60;
    each_intent(&mut plan, |intent| {
        intent.by_key = true;
        intent.timeout = Some(5 * SECOND);
    });
    deliver(&mut plan, &mut dice, 2);
    // The weekend may end inside of the window, at its edge, or long after.
    let weekend = dice.between(0, 2 * WINDOW.as_secs());
    plan.mishaps.push(Mishap::Skip(31 * SECOND, Duration::from_secs(weekend)));
    for intent in 0..plan.intents.len() {
        let worker = usize::from(dice.percent(50));
        plan.deliveries.push(delivered(32 * SECOND + dice.ms(0, 8_000), worker, intent));
    }
    plan.mishaps.push(dies(&mut dice, 2));
    plan.operators.push(honest(58));
    plan
}

pub(super) fn target_replays_failures(seed: u64) -> Plan {
    let mut dice = Dice::new(seed);
    let mut plan = quiet(seed, 2, 3);
    plan.target.honours_keys = Some(Duration::from_hours(24));
    plan.target.replays_failures = true;
    plan.target.declines = 40;
    plan.target.silent = *dice.pick(&[0, 20]);
    each_intent(&mut plan, |intent| intent.by_key = true);
    deliver(&mut plan, &mut dice, 5);
    for delivered in &mut plan.deliveries {
        delivered.reruns = dice.percent(70);
    }
    if dice.percent(50) {
        plan.mishaps.push(dies(&mut dice, 2));
    }
    plan.operators.push(honest(50));
    plan
}

fn people(plan: &mut Plan, dice: &mut Dice) {
    for _ in 0..dice.between(0, 3) {
        let care = *dice.pick(&[Care::Honest, Care::Honest, Care::Twice, Care::Reopens]);
        plan.operators.push(Operator { at: dice.ms(1_000, 59_000), care });
    }
}

/// Any mishap but a false word.
pub(crate) fn any_mishap(dice: &mut Dice, workers: usize) -> Mishap {
    const OPS: [Op; 6] = [Op::Read, Op::Claim, Op::Mark, Op::Renew, Op::Settle, Op::Other];
    let worker = usize::try_from(dice.below(workers as u64)).unwrap_or_default();
    let op = *dice.pick(&OPS);
    let points = [
        Point::Asks(op),
        Point::Done(op),
        Point::Heard(op),
        Point::Begins,
        Point::Acts,
        Point::Acted,
        Point::Answered,
    ];
    let (point, nth) = (*dice.pick(&points), u32::try_from(dice.between(1, 3)).unwrap_or(1));
    match dice.below(8) {
        0 => Mishap::DiesAt(worker, point, nth, dice.ms(0, 20_000)),
        1 => dies(dice, workers),
        2 => Mishap::StopsAt(worker, point, nth, dice.ms(100, 50_000)),
        3 => Mishap::Stops(worker, dice.ms(0, 40_000), dice.ms(100, 50_000)),
        4 => Mishap::LedgerAway(dice.ms(0, 40_000), dice.ms(50, 70_000)),
        5 => Mishap::LedgerWall(dice.ms(0, 50_000), 7 * 3_600_000),
        6 => {
            let fates = [Fate::RequestLost, Fate::AnswerLost, Fate::Doubled, Fate::Late(3_000)];
            Mishap::Message(op, nth, *dice.pick(&fates))
        }
        _ => {
            let late = dice.between(100, 45_000);
            let fates = [
                TargetFate::LandsSilently,
                TargetFate::Lost,
                TargetFate::Declines,
                TargetFate::Down,
                TargetFate::LandsLate(late),
            ];
            Mishap::Target(nth, *dice.pick(&fates))
        }
    }
}

fn locks(plan: &mut Plan, dice: &mut Dice) {
    let has_locks = dice.percent(50);
    for worker in &mut plan.workers {
        worker.has_locks = has_locks;
        if has_locks {
            // Locks prove something on one host only.
            worker.host = 0;
        }
    }
}
