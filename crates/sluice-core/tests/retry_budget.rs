//! How many retries a circuit gets.

use proptest::prelude::*;
use sluice_core::retry::{Budget, Budgets};
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;

fn spend(budgets: &mut Budgets, circuit: &str, budget: &Budget, now: Duration) -> usize {
    std::iter::repeat_with(|| budgets.take(circuit, budget, now)).take_while(|taken| *taken).count()
}

#[test]
fn a_quiet_circuit_has_its_reserve_and_a_token_a_second_comes_back() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 10);
    assert!(!budgets.take("psp", &budget, Duration::from_millis(999)));
    assert!(budgets.take("psp", &budget, S(1)));
    assert_eq!(spend(&mut budgets, "psp", &budget, S(4)), 3);
    assert_eq!(spend(&mut budgets, "psp", &budget, S(10_000)), 10, "no more than the reserve");
}

#[test]
fn ten_calls_bring_one_retry_and_what_is_saved_is_bounded() {
    let budget = Budget { reserve: 0, per_second_milli: 0, ..Budget::default() };
    let mut budgets = Budgets::default();
    for _ in 0..9 {
        budgets.call("psp", &budget, S(0));
    }
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 0);
    budgets.call("psp", &budget, S(0));
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 1);
    for _ in 0..100_000 {
        budgets.call("psp", &budget, S(0));
    }
    assert_eq!(budgets.balance_milli("psp", &budget, S(0)), 100_000);
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 100);
}

#[test]
fn a_failing_target_takes_nothing_from_another() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    for second in 0..100 {
        spend(&mut budgets, "down", &budget, S(second));
    }
    assert_eq!(spend(&mut budgets, "up", &budget, S(100)), 10);
}

#[test]
fn a_circuit_is_known_from_its_first_use_and_a_look_at_its_balance_is_none() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    assert_eq!(budgets.balance_milli("psp", &budget, S(0)), 10_000);
    assert!(budgets.is_empty());
    assert_eq!(budgets.len(), 0);
    budgets.call("psp", &budget, S(0));
    budgets.call("mail", &budget, S(0));
    assert!(!budgets.is_empty());
    assert_eq!(budgets.len(), 2);
}

#[test]
fn where_less_is_kept_at_most_than_the_reserve_the_reserve_counts() {
    let (mut budgets, budget) = (Budgets::default(), Budget { most: 3, ..Budget::default() });
    for _ in 0..100 {
        budgets.call("psp", &budget, S(0));
    }
    assert_eq!(budgets.balance_milli("psp", &budget, S(0)), 10_000);
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 10);
}

#[test]
fn time_brings_thousandths_and_a_setting_that_changes_counts_from_then_on() {
    let slow = Budget { reserve: 2, per_second_milli: 300, ..Budget::default() };
    let mut budgets = Budgets::default();
    assert_eq!(spend(&mut budgets, "psp", &slow, S(0)), 2);
    for (ms, milli) in
        [(0, 0), (3, 0), (4, 1), (1000, 300), (2500, 750), (6666, 1999), (6667, 2000), (9000, 2000)]
    {
        assert_eq!(budgets.balance_milli("psp", &slow, Duration::from_millis(ms)), milli, "{ms} ms");
    }
    let smaller = Budget { reserve: 1, most: 1, ..slow };
    assert_eq!(budgets.balance_milli("psp", &smaller, S(9)), 1000);
}

#[test]
fn a_circuit_above_its_reserve_gains_nothing_by_waiting_and_loses_nothing() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    for _ in 0..50 {
        budgets.call("psp", &budget, S(0));
    }
    assert_eq!(budgets.balance_milli("psp", &budget, S(0)), 15_000);
    assert_eq!(budgets.balance_milli("psp", &budget, S(1000)), 15_000);
}

#[test]
fn a_refused_retry_costs_nothing() {
    let budget = Budget { reserve: 1, per_second_milli: 500, ..Budget::default() };
    let mut budgets = Budgets::default();
    assert!(budgets.take("psp", &budget, S(0)));
    for _ in 0..1000 {
        assert!(!budgets.take("psp", &budget, Duration::from_millis(1900)));
    }
    assert!(budgets.take("psp", &budget, S(2)));
}

#[test]
fn many_short_looks_bring_as_much_as_one_long_one() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 10);
    let looks = (1..=20_000).map(|step| Duration::from_micros(step * 700));
    let taken = looks.filter(|now| budgets.take("psp", &budget, *now)).count();
    assert_eq!(taken, 14, "in 14 seconds");
}

#[test]
fn a_clock_that_goes_back_brings_nothing_and_does_no_harm() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    assert_eq!(spend(&mut budgets, "psp", &budget, S(100)), 10);
    assert_eq!(spend(&mut budgets, "psp", &budget, S(0)), 0);
    assert_eq!(spend(&mut budgets, "psp", &budget, S(101)), 1, "the second is not counted twice");
    assert_eq!(spend(&mut budgets, "psp", &budget, Duration::MAX), 10);
    assert_eq!(spend(&mut budgets, "psp", &budget, Duration::ZERO), 0);
}

#[test]
fn in_an_outage_there_are_at_most_a_tenth_more_sends_and_the_floor() {
    let (mut budgets, budget) = (Budgets::default(), Budget::default());
    let (mut calls, mut retries) = (0, 0);
    for ms in (0..60_000).step_by(2) {
        let now = Duration::from_millis(ms);
        budgets.call("down", &budget, now);
        calls += 1;
        retries += usize::from(budgets.take("down", &budget, now));
    }
    // The reserve, a tenth of the calls, a token a second.
    assert!(retries <= 10 + calls / 10 + 60, "{retries} retries of {calls} calls");
    assert!(retries >= calls / 10, "{retries} retries of {calls} calls");
}

proptest! {
    #[test]
    fn retries_never_exceed_what_calls_and_time_have_brought(
        budget in (0_u32..2000, 0_u32..3000, 0_u32..20, 0_u32..50),
        steps in prop::collection::vec((0_u64..3_000, any::<bool>()), 0..400),
    ) {
        let budget = Budget {
            per_call_milli: budget.0, per_second_milli: budget.1, reserve: budget.2, most: budget.3,
        };
        let (mut budgets, mut now, mut brought) = (Budgets::default(), 0, u64::from(budget.reserve) * 1000);
        for (ms, is_call) in steps {
            now += ms;
            brought += u64::from(budget.per_second_milli) * ms / 1000 + 1;
            let at = Duration::from_millis(now);
            if is_call {
                budgets.call("c", &budget, at);
                brought += u64::from(budget.per_call_milli);
            } else if budgets.take("c", &budget, at) {
                prop_assert!(brought >= 1000);
                brought -= 1000;
            }
            let most = u64::from(budget.most.max(budget.reserve)) * 1000;
            prop_assert!(budgets.balance_milli("c", &budget, at) <= brought.min(most));
        }
    }

    #[test]
    fn no_time_and_no_setting_makes_it_panic(
        times in prop::collection::vec(any::<(u64, u32)>(), 0..20), a: u32, b: u32, reserve: u32, most: u32,
    ) {
        let budget = Budget { per_call_milli: a, per_second_milli: b, reserve, most };
        let mut budgets = Budgets::default();
        for (s, ns) in times {
            let now = Duration::new(s, ns % 1_000_000_000);
            budgets.call("c", &budget, now);
            let _ = budgets.take("c", &budget, now);
        }
    }
}
