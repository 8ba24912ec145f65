//! Faults that people reported of retries, waits and stored errors; each is closed as a kind.

mod common;

use common::world::{World, in_virtual_time, s};
use common::{Counter, on_every_ledger, spec, status};
use sluice::core::http::{Answer, Table, classify};
use sluice::core::record::LedgerTime;
use sluice::core::retry::{Backoff, Budget, Retry};
use sluice::core::state::Status;
use sluice::{Code, EffectSpec, Failure, OnFailed};
use sluice_testkit::faults::Call;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What an answer of a target says, as an effect says it.
fn answered(status: u16, headers: &[(&str, &[u8])]) -> Result<u32, Failure> {
    let answer = Answer { status, headers, code: None };
    classify(&answer, &Table::default(), true, LedgerTime(NOON)).map_err(Failure::from).map(|()| 7)
}

/// 2026-12-01T12:00:00Z.
const NOON: i64 = 1_796_126_400_000;

#[test]
fn b02_an_error_is_never_replayed_as_a_success_and_a_passing_one_is_not_kept() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        for (http, is_kept) in
            [(503, None), (429, Some(false)), (400, Some(true)), (422, Some(true)), (403, Some(false))]
        {
            let key = format!("k {http}");
            let once = EffectSpec {
                retry: Retry { backoff: Backoff { tries: 1, ..Backoff::default() }, ..Retry::default() },
                ..spec(&key)
            };
            let error =
                sluice.run(once.clone(), move |_| async move { answered(http, &[]) }).await.unwrap_err();
            let second = sluice.run(once, |_| async { Ok(7_u32) }).await;
            match is_kept {
                // It may pass, and did not happen: the next delivery runs.
                Some(false) => assert!(error.did_not_happen() && second.unwrap().ran_now(), "{http}"),
                Some(true) => {
                    assert_eq!(error.code(), Code::EffectFailed);
                    assert_eq!(second.unwrap_err().code(), Code::EffectFailed, "{http}");
                    assert_eq!(status(&sluice, &key).await, Status::Failed);
                    let again = EffectSpec { on_failed: OnFailed::Rerun, ..spec(&key) };
                    assert!(sluice.run(again, |_| async { Ok(7_u32) }).await.unwrap().ran_now());
                }
                // Nobody knows whether a 503 came after the effect.
                None => {
                    assert_eq!(error.code(), Code::Indeterminate);
                    assert_eq!(second.unwrap_err().code(), Code::Indeterminate);
                }
            }
        }
        // An error whose text looks like a success is none.
        let error =
            sluice.run(spec("ok"), |_| async { Err::<u32, _>(Failure::permanent("{\"ok\":true}")) }).await;
        assert_eq!(error.unwrap_err().code(), Code::EffectFailed);
    });
}

#[test]
fn b04_every_form_of_a_retry_after_is_obeyed_ignored_or_ends_the_attempts() {
    /// What comes of one header, or several.
    #[derive(Clone, Copy, Debug)]
    enum Then {
        /// A second attempt after that long, and no more than the own back-off later.
        After(u64),
        /// No second attempt.
        Never,
    }
    let cases: [(&[&str], Then); 17] = [
        (&["0"], Then::After(0)),
        (&["2"], Then::After(2)),
        (&[" 2 "], Then::After(2)),
        (&["-5"], Then::After(0)),
        (&["+3"], Then::After(0)),
        (&["1.5"], Then::After(0)),
        (&["120junk"], Then::After(0)),
        (&[""], Then::After(0)),
        (&["99999999999999999999"], Then::Never),
        (&["61"], Then::Never),
        (&["Tue, 01 Dec 2026 12:00:03 GMT"], Then::After(3)),
        (&["Tue, 01 Dec 2026 11:59:00 GMT"], Then::After(0)),
        (&["Tuesday, 01-Dec-26 12:00:03 GMT"], Then::After(3)),
        (&["Tue Dec  1 12:00:03 2026"], Then::After(3)),
        (&["Fri, 31 Dec 9999 23:59:59 GMT"], Then::Never),
        (&["2", "2"], Then::After(2)),
        (&["2", "7"], Then::After(0)),
    ];
    in_virtual_time(async move {
        for (values, then) in cases {
            let world = World::new();
            let sluice = world.worker();
            let begun: Arc<Mutex<Vec<Duration>>> = Arc::default();
            let (times, clock) = (begun.clone(), world.ports.clock.clone());
            let spec = EffectSpec { deadline: Some(s(60)), ..spec("k") };
            let told = sluice.run(spec, move |_| {
                times.lock().unwrap().push(clock.elapsed());
                let first = times.lock().unwrap().len() == 1;
                let headers: Vec<_> = values.iter().map(|value| ("Retry-After", value.as_bytes())).collect();
                let end = if first { answered(429, &headers) } else { Ok(7) };
                async move { end }
            });
            let told = told.await;
            let begun = begun.lock().unwrap();
            match then {
                Then::Never => {
                    assert_eq!(begun.len(), 1, "{values:?}");
                    assert!(told.unwrap_err().did_not_happen(), "{values:?}");
                }
                Then::After(seconds) => {
                    assert!(told.unwrap().ran_now(), "{values:?}");
                    let waited = begun[1].saturating_sub(begun[0]);
                    let own = Duration::from_millis(200);
                    assert!(waited >= s(seconds) && waited <= s(seconds) + own, "{values:?}: {waited:?}");
                }
            }
        }
    });
}

#[test]
fn b19_retries_stay_within_the_budget_and_leave_what_may_be_delivered_again() {
    in_virtual_time(async {
        let world = World::new();
        let budget = Budget { per_call_milli: 0, per_second_milli: 10_000, reserve: 10, most: 10 };
        let sluice = world.builder().breaker(None).retry_budget(budget).build();
        let calls: Arc<Mutex<Vec<Duration>>> = Arc::default();
        let began = world.ports.clock.elapsed();
        let callers: Vec<_> = (0..200)
            .map(|number| {
                let (sluice, calls, clock) = (sluice.clone(), calls.clone(), world.ports.clock.clone());
                tokio::spawn(async move {
                    let mut spec = spec(&format!("k {number}"));
                    spec.retry.backoff.tries = 4;
                    let effect = move |_| {
                        calls.lock().unwrap().push(clock.elapsed());
                        async { answered(429, &[]) }
                    };
                    sluice.run(spec, effect).await.unwrap_err()
                })
            })
            .collect();
        for caller in callers {
            let error = caller.await.unwrap();
            assert!(error.did_not_happen() && error.is_retryable());
            assert!(matches!(error.code(), Code::RetryBudget | Code::Released), "{error}");
        }
        let seconds = world.ports.clock.elapsed().saturating_sub(began).as_secs() + 1;
        let calls = calls.lock().unwrap();
        assert!(calls.len() <= 200 + 10 + 10 * usize::try_from(seconds).unwrap(), "{} calls", calls.len());
        // No moment holds more than a small share of the retries.
        let mut moments = BTreeMap::<u128, usize>::new();
        for call in calls.iter().skip(200) {
            *moments.entry(call.as_millis() / 50).or_default() += 1;
        }
        assert!(moments.values().all(|retries| *retries <= 10), "{moments:?}");
    });
}

#[test]
fn b19_attempts_of_runs_inside_of_runs_do_not_multiply() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        for (inner_end, code) in [
            (Failure::transient as fn(&'static str) -> Failure, Code::Released),
            (Failure::permanent, Code::EffectFailed),
            (Failure::unknown, Code::Indeterminate),
        ] {
            let (requests, inside) = (Counter::default(), sluice.clone());
            let count = requests.clone();
            let name = format!("{code}");
            let outer = sluice.run(spec(&format!("outer {name}")), move |_| {
                let (inside, count, name) = (inside.clone(), count.clone(), name.clone());
                async move {
                    let request = move |_| {
                        count.bump();
                        async move { Err::<u32, _>(inner_end("no")) }
                    };
                    Ok(inside.run(spec(&format!("inner {name}")), request).await?.value())
                }
            });
            assert_eq!(outer.await.unwrap_err().code(), code);
            assert!(requests.get() <= 3, "{} requests", requests.get());
        }
    });
}

#[test]
fn b19_many_waiters_read_little_and_not_all_at_once() {
    in_virtual_time(async {
        let world = World::new();
        let (holder, waits) = (world.worker(), world.worker());
        let holding = tokio::spawn(async move {
            holder
                .run(spec("k"), |_| async {
                    tokio::time::sleep(s(10)).await;
                    Ok(7_u32)
                })
                .await
        });
        tokio::task::yield_now().await;
        let before = world.store.calls(Call::Read);
        let waiters: Vec<_> = (0..200)
            .map(|_| {
                let waits = waits.clone();
                tokio::spawn(
                    async move { waits.run(spec("k"), |_| async { Ok(8_u32) }).await.unwrap().value() },
                )
            })
            .collect();
        for waiter in waiters {
            assert_eq!(waiter.await.unwrap(), Some(7));
        }
        assert!(holding.await.unwrap().unwrap().ran_now());
        // One look for each on arrival; from then on one looker serves all.
        let reads = world.store.calls(Call::Read) - before;
        assert!(reads <= 200 + 200, "{reads} reads");
    });
}
