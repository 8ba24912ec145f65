//! The exact bounds of a circuit, and tickets that are not the probe's.

use sluice_core::breaker::{
    BreakerSettings, Circuit, CircuitChange, CircuitState, Generation, Heard, Permit, Shared, Ticket, Window,
    ask, change, reconsider, release,
};
use sluice_core::ids::{ClaimId, Version};
use sluice_core::record::LedgerTime;
use std::time::Duration;

const NOW: LedgerTime = LedgerTime(0);
const HOUR_MS: i64 = 60 * 60 * 1000;

fn claim(n: u8) -> ClaimId {
    ClaimId::from_bytes([n; 16])
}

fn open_until(until: i64) -> Circuit {
    Circuit { state: CircuitState::Open { until: LedgerTime(until) }, ..Circuit::default() }
}

fn probe(circuit: &Circuit, n: u8) -> (Ticket, CircuitChange) {
    match ask(circuit, NOW, claim(n), &BreakerSettings::default()) {
        Permit::Probe { ticket, change: Some(change) } => (ticket, change),
        permit => panic!("no probe: {permit:?}"),
    }
}

fn told(circuit: &Circuit, ticket: Ticket, said: Heard) -> Option<CircuitChange> {
    change(circuit, &Window::default(), ticket, said, NOW, 0.5, &BreakerSettings::default())
}

fn window(outcomes: &[bool]) -> Window {
    let mut window = Window::default();
    for failed in outcomes {
        window.note(Generation(0), *failed);
    }
    window
}

#[test]
fn only_a_closed_circuit_is_closed() {
    assert!(Circuit::default().is_closed());
    assert!(!open_until(1).is_closed());
    let (_, half_open) = probe(&open_until(0), 1);
    assert!(!half_open.next.is_closed());
}

#[test]
fn an_hour_is_the_longest_wait_and_a_moment_beyond_it_counts_as_over() {
    for (until, wait) in [
        (HOUR_MS, Duration::from_hours(1)),
        (HOUR_MS + 1, Duration::ZERO),
        (1, Duration::from_millis(1)),
        (0, Duration::ZERO),
        (-1, Duration::ZERO),
    ] {
        assert_eq!(open_until(until).wait(NOW), wait, "{until}");
    }
}

#[test]
fn what_is_known_already_stays_where_another_process_tells_of_the_same_version() {
    let (mine, other) = (open_until(1), open_until(2));
    assert_eq!(mine.clone().merged(other.clone()), mine);
    let later = Circuit { version: Version(1), ..other };
    assert_eq!(mine.clone().merged(later.clone()), later);
    assert_eq!(later.clone().merged(mine), later);
}

#[test]
fn whoever_lost_the_race_for_the_probe_has_no_say_in_its_outcome() {
    let open = open_until(0);
    let ((winner, change), (loser, lost)) = (probe(&open, 1), probe(&open, 2));
    let mut circuit = open;
    assert!(change.apply(&mut circuit) && !lost.apply(&mut circuit));
    assert_eq!(winner.generation(), loser.generation());
    for said in [Heard::Answered, Heard::Trouble, Heard::Nothing] {
        assert_eq!(told(&circuit, loser, said), None, "{said:?}");
        assert!(told(&circuit, winner, said).is_some(), "{said:?}");
    }
    assert_eq!(release(&circuit, loser, NOW), None);
    assert!(release(&circuit, winner, NOW).is_some());
}

#[test]
fn the_ticket_of_an_earlier_probe_does_not_free_the_slot_of_a_later_one() {
    let mut circuit = open_until(0);
    let (earlier, change) = probe(&circuit, 1);
    assert!(change.apply(&mut circuit));
    assert!(release(&circuit, earlier, NOW).unwrap().apply(&mut circuit));
    let (later, change) = probe(&circuit, 1);
    assert!(change.apply(&mut circuit));
    assert_eq!(release(&circuit, earlier, NOW), None);
    let freed = release(&circuit, later, NOW).unwrap();
    assert_eq!(freed.next.state, CircuitState::Open { until: NOW });
}

#[test]
fn what_ends_while_a_circuit_is_open_frees_nothing_and_changes_nothing() {
    let open = open_until(1);
    let Permit::Go(ticket) = ask(&Circuit::default(), NOW, claim(1), &BreakerSettings::default()) else {
        panic!("refused")
    };
    assert_eq!(release(&open, ticket, NOW), None);
    assert_eq!(told(&open, ticket, Heard::Trouble), None);
}

#[test]
fn without_a_single_failure_nothing_opens_it_whatever_its_settings() {
    let settings = BreakerSettings { failures_percent: 0, least_outcomes: 0, ..BreakerSettings::default() };
    let closed = Circuit::default();
    let Permit::Go(ticket) = ask(&closed, NOW, claim(1), &settings) else { panic!("refused") };
    let opens =
        |window: &Window| change(&closed, window, ticket, Heard::Trouble, NOW, 0.5, &settings).is_some();
    assert!(!opens(&window(&[])) && !opens(&window(&[false; 5])));
    assert!(opens(&window(&[false, false, false, false, true])));
}

#[test]
fn outcomes_that_came_together_open_only_what_is_closed_and_of_the_same_generation() {
    let settings = BreakerSettings::default();
    let due = Shared { circuit: Circuit::default(), window: window(&[true; 5]), ..Shared::default() };
    let asks = |shared: &Shared| reconsider(shared, NOW, || 0.5, &settings).is_some();
    assert!(asks(&due));
    assert!(!asks(&Shared { circuit: open_until(1), ..due.clone() }), "it is open");
    let newer = Circuit { generation: Generation(1), ..Circuit::default() };
    assert!(!asks(&Shared { circuit: newer, ..due.clone() }), "it has been closed again since");
    assert!(!asks(&Shared { window: window(&[true, true, true, true, true, false]), ..due.clone() }));
    assert!(!asks(&Shared { window: window(&[true; 4]), ..due }), "four are too few");
}

#[test]
fn it_opens_at_exactly_the_share_of_failures_that_is_set() {
    for (percent, failures, opens) in
        [(50, 5, true), (50, 4, false), (30, 3, true), (31, 3, false), (100, 9, false)]
    {
        let settings = BreakerSettings { failures_percent: percent, ..BreakerSettings::default() };
        let mut outcomes = [false; 10];
        outcomes[10 - failures..].fill(true);
        let shared = Shared { circuit: Circuit::default(), window: window(&outcomes), ..Shared::default() };
        assert_eq!(reconsider(&shared, NOW, || 0.5, &settings).is_some(), opens, "{failures} at {percent} %");
    }
}
