//! How long a retry waits.

use proptest::prelude::*;
use sluice_core::retry::Backoff;
use std::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn the_ceiling_doubles_with_every_retry_up_to_the_cap() {
    let backoff = Backoff::default();
    let ceilings: Vec<_> = (0..8).map(|retry| backoff.ceiling(retry)).collect();
    assert_eq!(ceilings, [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map(MS));
}

#[test]
fn the_wait_is_exactly_that_share_of_the_ceiling() {
    let backoff = Backoff { base: MS(8), cap: Duration::from_secs(1), tries: 9 };
    let cases = [(0, 0.0, MS(0)), (0, 0.25, MS(2)), (1, 0.5, MS(8)), (3, 0.75, MS(48)), (31, 0.5, MS(500))];
    for (retry, sample, wait) in cases {
        assert_eq!(backoff.delay(retry, sample), wait, "retry {retry}, sample {sample}");
    }
}

#[test]
fn a_sample_out_of_range_is_the_nearest_one_in_it_and_no_number_the_longest_wait() {
    let backoff = Backoff::default();
    let longest = backoff.delay(0, 1.0_f64.next_down());
    assert_eq!(longest, Duration::from_nanos(199_999_999));
    for sample in [1.0, 7.5, f64::MAX, f64::INFINITY, f64::NAN, -f64::NAN] {
        assert_eq!(backoff.delay(0, sample), longest, "{sample}");
    }
    for sample in [-0.0, -1.0, f64::MIN, f64::NEG_INFINITY, f64::MIN_POSITIVE] {
        assert_eq!(backoff.delay(0, sample), Duration::ZERO, "{sample}");
    }
}

#[test]
fn no_setting_and_no_number_of_retries_is_too_large() {
    let widest = Backoff { base: Duration::MAX, cap: Duration::MAX, tries: u32::MAX };
    assert!(widest.delay(u32::MAX, 1.0) < Duration::MAX);
    let none = Backoff { base: Duration::ZERO, ..Backoff::default() };
    assert_eq!(none.delay(u32::MAX, 0.9), Duration::ZERO);
    let least = Backoff { base: Duration::from_nanos(1), ..Backoff::default() };
    assert_eq!(least.ceiling(33), Duration::from_nanos(1 << 33));
}

#[test]
fn a_share_of_the_longest_ceilings_is_exact_to_the_nanosecond() {
    for nanos in [1 << 53, (3 << 53) + (1 << 52) + 8, (5 << 53) - 4, (1 << 54) + 4] {
        let ceiling = Duration::from_nanos(nanos);
        let backoff = Backoff { base: ceiling, cap: Duration::MAX, tries: 1 };
        for (sample, share) in [(0.25, nanos / 4), (0.5, nanos / 2), (0.75, nanos / 4 * 3)] {
            assert_eq!(backoff.delay(0, sample), Duration::from_nanos(share), "{sample} of {ceiling:?}");
        }
    }
}

#[test]
fn the_first_attempt_is_one_of_the_tries() {
    let backoff = Backoff::default();
    assert_eq!([1, 2, 3, 4].map(|attempt| backoff.is_last(attempt)), [false, false, true, true]);
    assert!(Backoff { tries: 0, ..backoff }.is_last(1));
}

#[test]
fn settings_are_read_in_milliseconds_and_unknown_ones_are_refused() {
    let text = r#"{"base_ms":50,"cap_ms":2000,"tries":5}"#;
    let backoff: Backoff = serde_json::from_str(text).unwrap();
    assert_eq!(backoff, Backoff { base: MS(50), cap: MS(2000), tries: 5 });
    assert_eq!(serde_json::to_string(&backoff).unwrap(), text);
    assert!(serde_json::from_str::<Backoff>(r#"{"bass_ms":50}"#).is_err());
    let none = serde_json::from_str::<Backoff>(r#"{"tries":0}"#).unwrap_err().to_string();
    assert!(none.starts_with("tries counts the first attempt and is at least 1"), "{none}");
    assert_eq!(serde_json::from_str::<Backoff>(r#"{"tries":1}"#).unwrap().tries, 1);
}

fn backoffs() -> impl Strategy<Value = Backoff> {
    let duration = || any::<(u64, u32)>().prop_map(|(s, ns)| Duration::new(s, ns % 1_000_000_000));
    (duration(), duration(), any::<u32>()).prop_map(|(base, cap, tries)| Backoff { base, cap, tries })
}

proptest! {
    #[test]
    fn a_wait_is_always_below_its_ceiling_and_grows_with_the_sample(
        backoff in backoffs(), retry: u32, bits: u64, other: u64,
    ) {
        let (a, b) = (f64::from_bits(bits), f64::from_bits(other));
        let ceiling = backoff.ceiling(retry);
        prop_assert!(ceiling <= backoff.cap);
        prop_assert!(backoff.delay(retry, a) < ceiling || ceiling.is_zero());
        if a <= b {
            prop_assert!(backoff.delay(retry, a) <= backoff.delay(retry, b));
        }
    }

    #[test]
    fn a_ceiling_never_shrinks_with_further_retries(backoff in backoffs(), retry: u32) {
        prop_assert!(backoff.ceiling(retry) <= backoff.ceiling(retry.saturating_add(1)));
    }

    #[test]
    fn waits_are_spread_evenly(steps in 1_u32..1000) {
        let backoff = Backoff::default();
        let wait = backoff.delay(0, f64::from(steps) / 1024.0);
        prop_assert_eq!(wait, MS(200) * steps / 1024);
    }
}
