//! What follows a failed attempt.

use proptest::prelude::*;
use sluice_core::FailureClass::{self, NotStarted, Overdue, Permanent, Transient, Unclassified, Unknown};
use sluice_core::retry::{Backoff, Failed, Next, Retry, Stop, next, within_window};
use std::cell::Cell;
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;
const CLASSES: [FailureClass; 6] = [Permanent, Transient, NotStarted, Unknown, Unclassified, Overdue];

type Mend = fn(&mut Failed);

/// A first attempt that failed where nothing stands in the way of another one.
fn failed(class: FailureClass) -> Failed {
    Failed {
        attempt: 1,
        class,
        retry_after: None,
        in_doubt: false,
        until_deadline: None,
        may_send: true,
        attempt_timeout: Some(S(30)),
        window: Some(Duration::from_hours(20)),
        circuit_allows: true,
        is_cancelled: false,
    }
}

fn decide(failed: &Failed) -> Next {
    next(failed, &Retry::default(), 0.5, || true)
}

fn stop(failed: &Failed) -> Option<Stop> {
    match decide(failed) {
        Next::Again { .. } => None,
        Next::Stop(stop) => Some(stop),
    }
}

#[test]
fn what_did_not_happen_is_tried_again_and_what_is_permanent_or_still_runs_is_not() {
    let stops = CLASSES.map(|class| stop(&failed(class)));
    assert_eq!(stops, [Some(Stop::Definite), None, None, None, None, Some(Stop::StillRunning)]);
}

#[test]
fn what_may_have_happened_is_tried_again_only_where_the_target_recognises_the_key() {
    let stops = CLASSES.map(|class| stop(&Failed { window: None, ..failed(class) }));
    let refused = Some(Stop::NotHonoured);
    assert_eq!(stops, [Some(Stop::Definite), None, None, refused, refused, Some(Stop::StillRunning)]);
}

#[test]
fn after_an_unknown_attempt_every_later_try_is_bound_to_the_window_too() {
    for class in [Transient, NotStarted, Unknown, Unclassified] {
        let doubted = Failed { in_doubt: true, ..failed(class) };
        assert_eq!(stop(&doubted), None);
        assert_eq!(stop(&Failed { window: None, ..doubted }), Some(Stop::NotHonoured));
        assert_eq!(stop(&Failed { window: Some(S(30)), ..doubted }), Some(Stop::Window));
    }
}

#[test]
fn a_window_has_to_outlast_the_wait_and_the_whole_attempt() {
    // Half of the first ceiling is 100 ms.
    let with = |ms| Failed { window: Some(Duration::from_millis(ms)), ..failed(Unknown) };
    assert_eq!(stop(&with(30_100)), None);
    assert_eq!(stop(&with(30_099)), Some(Stop::Window));
    let unbounded = |ms| Failed { attempt_timeout: None, ..with(ms) };
    assert_eq!(stop(&unbounded(60_100)), None);
    assert_eq!(stop(&unbounded(60_099)), Some(Stop::Window));
    assert_eq!(within_window(Some(S(0)), S(0), Some(S(0))), Err(Stop::Window));
}

#[test]
fn tries_count_all_attempts() {
    let attempt = |attempt| stop(&Failed { attempt, ..failed(Transient) });
    assert_eq!([1, 2, 3, 4].map(attempt), [None, None, Some(Stop::TriesOver), Some(Stop::TriesOver)]);
}

#[test]
fn a_retry_after_is_waited_for_in_full_with_the_own_back_off_on_top() {
    let asked = |s| decide(&Failed { retry_after: Some(S(s)), ..failed(Transient) });
    assert_eq!(asked(0), Next::Again { after: Duration::from_millis(100) });
    assert_eq!(asked(2), Next::Again { after: Duration::from_millis(2100) });
    assert_eq!(asked(60), Next::Again { after: Duration::from_millis(60_100) });
}

#[test]
fn a_retry_after_beyond_cap_or_deadline_stops_at_once_with_that_reason() {
    let asked = |asked, until_deadline| {
        stop(&Failed { retry_after: Some(asked), until_deadline, ..failed(Transient) })
    };
    let too_long = |asked| Some(Stop::RetryAfterTooLong { asked });
    assert_eq!(asked(S(61), None), too_long(S(61)));
    assert_eq!(asked(Duration::MAX, None), too_long(Duration::MAX));
    assert_eq!(asked(S(5), Some(S(5))), too_long(S(5)));
    assert_eq!(asked(S(5), Some(S(6))), None);
    assert_eq!(asked(S(0), Some(S(0))), Some(Stop::Deadline));
}

#[test]
fn no_attempt_begins_at_or_after_the_deadline() {
    let left = |ms| stop(&Failed { until_deadline: Some(Duration::from_millis(ms)), ..failed(Transient) });
    assert_eq!([0, 100, 101].map(left), [Some(Stop::Deadline), Some(Stop::Deadline), None]);
}

#[test]
fn each_check_comes_before_the_ones_after_it() {
    let everything = Failed {
        attempt: 9,
        class: Permanent,
        retry_after: Some(S(99)),
        in_doubt: true,
        until_deadline: Some(S(0)),
        may_send: false,
        window: None,
        circuit_allows: false,
        is_cancelled: true,
        ..failed(Permanent)
    };
    let mends: [(Stop, Mend); 10] = [
        (Stop::Definite, |f| f.class = Overdue),
        (Stop::StillRunning, |f| f.class = Transient),
        (Stop::Cancelled, |f| f.is_cancelled = false),
        (Stop::Lease, |f| f.may_send = true),
        (Stop::TriesOver, |f| f.attempt = 1),
        (Stop::NotHonoured, |f| f.window = Some(S(1))),
        (Stop::Deadline, |f| f.until_deadline = Some(S(50))),
        (Stop::RetryAfterTooLong { asked: S(99) }, |f| f.retry_after = None),
        (Stop::Window, |f| f.window = Some(Duration::from_hours(1))),
        (Stop::Circuit, |f| f.circuit_allows = true),
    ];
    let mut now = everything;
    for (reason, mend) in mends {
        let asked = next(&now, &Retry::default(), 0.5, || panic!("{reason} costs a token"));
        assert_eq!(asked, Next::Stop(reason));
        mend(&mut now);
    }
    assert_eq!(next(&now, &Retry::default(), 0.5, || false), Next::Stop(Stop::Budget));
    assert_eq!(stop(&now), None);
}

#[test]
fn every_reason_has_its_own_name_and_a_fragment_without_a_full_stop() {
    let reasons = [
        Stop::Definite,
        Stop::StillRunning,
        Stop::Cancelled,
        Stop::Lease,
        Stop::TriesOver,
        Stop::NotHonoured,
        Stop::Window,
        Stop::Deadline,
        Stop::RetryAfterTooLong { asked: S(99) },
        Stop::Circuit,
        Stop::Budget,
    ];
    let mut names = reasons.map(Stop::as_str).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), reasons.len());
    for reason in reasons {
        let said = reason.to_string();
        assert!(said.starts_with(char::is_lowercase) && !said.ends_with('.'), "{said}");
    }
}

fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![Just(Duration::ZERO), Just(Duration::MAX), (0_u64..200_000).prop_map(Duration::from_millis),]
}

fn maybe() -> impl Strategy<Value = Option<Duration>> {
    prop_oneof![Just(None), durations().prop_map(Some)]
}

prop_compose! {
    fn anything()(
        attempt in 0_u32..6,
        class in prop::sample::select(&CLASSES[..]),
        (retry_after, until_deadline, attempt_timeout, window) in (maybe(), maybe(), maybe(), maybe()),
        (in_doubt, may_send, circuit_allows, is_cancelled) in any::<(bool, bool, bool, bool)>(),
    ) -> Failed {
        Failed {
            attempt, class, retry_after, in_doubt, until_deadline, may_send, attempt_timeout, window,
            circuit_allows, is_cancelled,
        }
    }
}

proptest! {
    #[test]
    fn another_attempt_breaks_no_rule(
        failed in anything(), base in durations(), cap in durations(), sample: f64, token: bool,
    ) {
        let retry = Retry { backoff: Backoff { base, cap, tries: 4 }, ..Retry::default() };
        let drawn = Cell::new(false);
        let decided = next(&failed, &retry, sample, || { drawn.set(true); token });
        let Next::Again { after } = decided else {
            prop_assert_eq!(drawn.get(), decided == Next::Stop(Stop::Budget), "a token for nothing");
            return Ok(());
        };
        prop_assert!(token && drawn.get() && failed.may_send && failed.circuit_allows && !failed.is_cancelled);
        prop_assert!(failed.attempt < 4);
        prop_assert!(!matches!(failed.class, Permanent | Overdue));
        prop_assert!(failed.until_deadline.is_none_or(|left| after < left));
        let asked = failed.retry_after.unwrap_or_default();
        prop_assert!(asked <= retry.retry_after_cap && after >= asked, "never early");
        if failed.in_doubt || failed.class.is_unknown() {
            let window = failed.window.unwrap();
            prop_assert!(after + failed.attempt_timeout.unwrap_or_default() <= window);
        }
    }
}
