//! Faults that people reported of systems like this one; each is closed as a kind.

mod common;

use common::{Counter, Ledger, id, key, look, on_every_ledger, spec, status};
use serde::{Deserialize, Serialize};
use sluice::core::decide::{self, SettleStep};
use sluice::core::holder::Liveness;
use sluice::core::outcome::{Kept, Outcome};
use sluice::core::ports::Report;
use sluice::core::state::Status;
use sluice::core::store::Written;
use sluice::{Code, Done, EffectSpec, Failure, Reason, Sluice, Wait};
use std::time::Duration;
use tokio::sync::oneshot;

const LEASE: Duration = Duration::from_secs(1);

/// Claims as a holder would that then dies without a word.
fn abandoned_claim(ledger: &Ledger, text: &str) {
    let (started, running) = oneshot::channel();
    let sluice = Sluice::open_shared(ledger.handles[1].clone()).build();
    let mut spec = spec(text);
    spec.terms.lease = LEASE;
    let runtime = std::thread::spawn(move || {
        // The runtime is dropped in the middle of the effect, which is as close to a death as a thread gets.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut started = Some(started);
            let run = sluice.run(spec, move |_| {
                let _ = started.take().unwrap().send(());
                std::future::pending::<Result<u32, Failure>>()
            });
            tokio::select! { _ = run => unreachable!(), _ = running => {} }
        });
        runtime.shutdown_background();
    });
    runtime.join().unwrap();
}

async fn lease_ended(sluice: &Sluice, text: &str) {
    while look(sluice, text).await.unwrap().lease.is_live() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn b01_a_stale_takeover_changes_nothing_and_hears_the_owners_result() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        let sluice = ledger.sluice();
        lease_ended(&sluice, "k").await;
        // B reads the ended claim and is paused; A, still alive, commits its success; B goes on.
        let stale = look(&sluice, "k").await.unwrap();
        let takeover = decide::lapse(&stale, Liveness::Unknown).unwrap();
        let report = Report::Success { kept: Kept::within(b"7".to_vec(), 10), object_id: None };
        let body = &stale.record.body;
        let SettleStep::Write(success) = decide::settle(&stale, body.claim, body.epoch, &report) else {
            unreachable!()
        };
        let written = ledger.handles[1].apply(id("k"), success).await.unwrap();
        assert!(matches!(written, Written::Applied(_)));
        let refused = ledger.handles[2].apply(id("k"), takeover).await.unwrap();
        let Written::Found { snapshot: Some(found), .. } = refused else {
            panic!("the stale takeover applied")
        };
        assert_eq!(found.record.body.status, Status::Succeeded);
        let done = sluice
            .run(spec("k"), |_| async { Err::<u32, _>(Failure::permanent("ran again")) })
            .await
            .unwrap();
        assert_eq!(done.value(), Some(7));
    });
}

#[test]
fn b01_of_three_that_race_for_an_ended_claim_exactly_one_lapses_it() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        lease_ended(&ledger.sluice(), "k").await;
        let stale = look(&ledger.sluice(), "k").await.unwrap();
        let mut applied = 0;
        for store in &ledger.handles[..3] {
            let takeover = decide::lapse(&stale, Liveness::Unknown).unwrap();
            let written = store.apply(id("k"), takeover).await.unwrap();
            applied += usize::from(matches!(written, Written::Applied(_)));
        }
        assert_eq!(applied, 1);
        let effects = Counter::default();
        for sluice in ledger.all() {
            let effects = effects.clone();
            let error = sluice
                .run(spec("k"), move |_| {
                    effects.bump();
                    async { Ok::<_, Failure>(1) }
                })
                .await
                .unwrap_err();
            assert_eq!(error.code(), Code::Indeterminate);
        }
        assert_eq!(effects.get(), 0);
    });
}

#[test]
fn b05_a_namespace_and_a_key_are_never_joined() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        let effects = Counter::default();
        for (namespace, text) in [
            ("a:b", "c"),
            ("a", "b:c"),
            ("a/b", "c"),
            ("a", "b/c"),
            ("a|b", "c"),
            ("a", "b|c"),
            ("a b", "c"),
            ("a", "b c"),
        ] {
            let mine = format!("{namespace}·{text}");
            let wanted = mine.clone();
            let effects = effects.clone();
            let done = sluice
                .effect(text)
                .no_fingerprint()
                .namespace(namespace)
                .run(move |_| {
                    effects.bump();
                    let mine = mine.clone();
                    async move { Ok::<_, Failure>(mine) }
                })
                .await
                .unwrap();
            assert_eq!(done, Done::Executed(wanted));
        }
        assert_eq!(effects.get(), 8);
        let refused =
            sluice.effect("c").no_fingerprint().namespace("").run(|_| async { Ok::<_, Failure>(1) }).await;
        assert_eq!(refused.unwrap_err().code(), Code::InvalidKey, "an empty scope is no scope");
        let nul = sluice.effect("a\0b").no_fingerprint().run(|_| async { Ok::<_, Failure>(1) }).await;
        assert_eq!(nul.unwrap_err().code(), Code::InvalidKey);
    });
}

async fn twice<T>(ledger: &Ledger, text: &str, value: T) -> (Done<T>, usize)
where
    T: Serialize + serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    let effects = Counter::default();
    let sluice = ledger.sluice();
    let mut last = None;
    for _ in 0..2 {
        let (effects, value) = (effects.clone(), value.clone());
        let done = sluice
            .run(spec(text), move |_| {
                effects.bump();
                let value = value.clone();
                async move { Ok(value) }
            })
            .await;
        last = Some(done.unwrap());
    }
    assert_eq!(status(&sluice, text).await, Status::Succeeded);
    (last.unwrap(), effects.get())
}

#[test]
fn b06_a_success_survives_a_result_that_is_too_large() {
    on_every_ledger(|ledger| async move {
        let text = "x".repeat(20 * 1024 * 1024);
        let (done, effects) = twice(&ledger, "large", text).await;
        assert_eq!(effects, 1);
        let Done::WithoutValue(meta) = done else { panic!("a stand-in") };
        let Some(Reason::NotKept { bytes: Some(bytes), sha256: Some(digest) }) = meta.reason else {
            panic!("no reason")
        };
        assert_eq!((bytes, digest.len()), (20 * 1024 * 1024 + 2, 64));
    });
}

#[test]
fn b06_odd_texts_come_back_as_they_were() {
    on_every_ledger(|ledger| async move {
        for (n, text) in ["a\0b", "\u{2028}\u{2029}", "\\ud800", "\u{10ffff}\u{fffe}", "\r\n\t\u{7f}", ""]
            .into_iter()
            .enumerate()
        {
            let (done, effects) = twice(&ledger, &format!("text {n}"), text.to_owned()).await;
            assert_eq!((done.value().as_deref(), effects), (Some(text), 1));
        }
        let digits = "9".repeat(400);
        assert_eq!(twice(&ledger, "digits", digits.clone()).await.0.value(), Some(digits));
        assert_eq!(twice(&ledger, "largest", u64::MAX).await.0.value(), Some(u64::MAX));
        assert_eq!(
            twice(&ledger, "edge", "y".repeat(64 * 1024 - 2)).await.0.value().map(|text| text.len()),
            Some(65_534)
        );
    });
}

#[test]
fn b06_what_cannot_be_written_down_is_never_replayed_as_something_else() {
    on_every_ledger(|ledger| async move {
        #[derive(Clone, Serialize, Deserialize)]
        struct Rate {
            rate: Option<f64>,
        }
        let (done, effects) = twice(&ledger, "nan", Rate { rate: Some(f64::NAN) }).await;
        assert_eq!(effects, 1);
        assert!(matches!(done, Done::WithoutValue(_)), "NaN must not come back as an absent rate");
        let message = "broke\0here";
        let sluice = ledger.sluice();
        for _ in 0..2 {
            let error = sluice
                .run(spec("nul error"), move |_| async move { Err::<u32, _>(Failure::permanent(message)) })
                .await
                .unwrap_err();
            assert_eq!(error.details().fault.as_ref().unwrap().message, message);
        }
    });
}

#[test]
fn b06_a_result_of_another_type_is_given_back_raw() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        let _ = sluice.run(spec("k"), |_| async { Ok::<_, Failure>(str::to_owned("text")) }).await.unwrap();
        let done = sluice.run(spec("k"), |_| async { Ok::<u32, Failure>(1) }).await.unwrap();
        let Done::WithoutValue(meta) = done else { panic!("a stand-in") };
        assert_eq!(meta.reason, Some(Reason::Unreadable { raw: "\"text\"".to_owned() }));
    });
}

#[test]
fn b07_of_a_hundred_concurrent_callers_one_runs_and_all_hear_its_result() {
    on_every_ledger(|ledger| async move {
        let effects = Counter::default();
        let handles = ledger.all();
        let tasks: Vec<_> = (0..100)
            .map(|n| {
                let (sluice, effects) = (handles[n % handles.len()].clone(), effects.clone());
                tokio::spawn(async move {
                    let effect = move |_| {
                        let effects = effects.clone();
                        async move {
                            effects.bump();
                            tokio::time::sleep(Duration::from_millis(300)).await;
                            Ok::<_, Failure>("the answer".to_owned())
                        }
                    };
                    sluice.effect("k").fingerprint(&"same").run(effect).await
                })
            })
            .collect();
        let mut ran = 0;
        for task in tasks {
            let done = task.await.unwrap().unwrap();
            ran += usize::from(done.ran_now());
            assert_eq!(done.value().as_deref(), Some("the answer"));
        }
        assert_eq!((ran, effects.get()), (1, 1));
    });
}

#[test]
fn b07_a_loser_that_does_not_wait_gets_an_answer_of_its_own_kind() {
    on_every_ledger(|ledger| async move {
        let (go, gate) = oneshot::channel::<()>();
        let (started, running) = oneshot::channel();
        let first = ledger.sluice();
        let task = tokio::spawn(async move {
            let mut once = Some((started, gate));
            first
                .run(spec("k"), move |_| {
                    let (started, gate) = once.take().unwrap();
                    async move {
                        let _ = started.send(());
                        let _ = gate.await;
                        Ok::<_, Failure>(1)
                    }
                })
                .await
        });
        running.await.unwrap();
        for sluice in ledger.all() {
            let refused = sluice
                .run(EffectSpec { wait: Wait::No, ..spec("k") }, |_| async { Ok::<_, Failure>(2) })
                .await
                .unwrap_err();
            assert_eq!(refused.code(), Code::InFlight);
            assert!(refused.is_retryable() && !refused.did_not_happen());
            let patience = Wait::For(Duration::from_millis(30));
            let late = sluice
                .run(EffectSpec { wait: patience, ..spec("k") }, |_| async { Ok::<_, Failure>(2) })
                .await
                .unwrap_err();
            assert_eq!(late.code(), Code::WaitTimeout);
        }
        go.send(()).unwrap();
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
    });
}

async fn conflicts(ledger: &Ledger, text: &str) {
    let sluice = ledger.sluice();
    let before = look(&sluice, text).await.unwrap();
    let other = Counter::default();
    let bump = other.clone();
    let refused = sluice
        .effect(text)
        .fingerprint(&"other")
        .run(move |_| {
            bump.bump();
            async { Ok::<_, Failure>(2) }
        })
        .await
        .unwrap_err();
    assert_eq!((refused.code(), other.get()), (Code::KeyConflict, 0));
    assert!(!format!("{refused} {:?}", refused.details()).contains("secret"), "the first record leaks");
    let none = sluice.effect(text).no_fingerprint().run(|_| async { Ok::<_, Failure>(2) }).await.unwrap_err();
    assert_eq!(none.code(), Code::KeyConflict);
    let after = look(&sluice, text).await.unwrap();
    assert_eq!(after.record, before.record);
}

#[test]
fn b08_a_key_used_for_something_else_touches_nothing_in_any_state() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        for (text, outcome) in [
            ("done", Ok("secret".to_owned())),
            ("failed", Err(Failure::permanent("secret"))),
            ("released", Err(Failure::transient("secret"))),
            ("unknown", Err(Failure::unknown("secret"))),
        ] {
            let mut outcome = Some(outcome);
            let _ = sluice
                .effect(text)
                .fingerprint(&"first")
                .run(move |_| std::future::ready(outcome.take().unwrap()))
                .await;
            conflicts(&ledger, text).await;
        }
        let (go, gate) = oneshot::channel::<()>();
        let (started, running) = oneshot::channel();
        let slow = ledger.sluice();
        let task = tokio::spawn(async move {
            let mut once = Some((started, gate));
            slow.effect("slow")
                .fingerprint(&"first")
                .run(move |_| {
                    let (started, gate) = once.take().unwrap();
                    async move {
                        let _ = started.send(());
                        let _ = gate.await;
                        Ok::<_, Failure>(1)
                    }
                })
                .await
        });
        running.await.unwrap();
        conflicts(&ledger, "slow").await;
        go.send(()).unwrap();
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(1));
    });
}

#[test]
fn b08_a_conflict_does_not_even_lapse_a_claim_whose_lease_ended() {
    on_every_ledger(|ledger| async move {
        abandoned_claim(&ledger, "k");
        lease_ended(&ledger.sluice(), "k").await;
        let before = look(&ledger.sluice(), "k").await.unwrap().record;
        let refused =
            ledger.sluice().effect("k").fingerprint(&1).run(|_| async { Ok::<_, Failure>(2) }).await;
        assert_eq!(refused.unwrap_err().code(), Code::KeyConflict);
        assert_eq!(look(&ledger.sluice(), "k").await.unwrap().record, before);
    });
}

#[derive(Clone, Copy, Debug)]
enum After {
    Error,
    Panic,
    Timeout,
}

#[test]
fn b14_a_failure_after_the_side_effect_never_opens_the_key_again() {
    on_every_ledger(|ledger| async move {
        for after in [After::Error, After::Panic, After::Timeout] {
            let sluice = ledger.sluice();
            let effects = Counter::default();
            let text = format!("{after:?}");
            for _ in 0..3 {
                let bump = effects.clone();
                let spec = EffectSpec::new(key(&text));
                let mut spec = EffectSpec { wait: Wait::No, ..spec };
                spec.terms.attempt_timeout =
                    matches!(after, After::Timeout).then_some(Duration::from_millis(50));
                let effect = move |_| {
                    let bump = bump.clone();
                    async move {
                        bump.bump();
                        match after {
                            After::Error => Err(std::io::Error::other("the receipt mail failed"))?,
                            After::Panic => panic!("after the charge"),
                            After::Timeout => std::future::pending::<()>().await,
                        }
                        Ok::<u32, Failure>(1)
                    }
                };
                let error = sluice.run(spec, effect).await.unwrap_err();
                assert_eq!(error.code(), Code::Indeterminate, "{after:?}");
                assert!(
                    !error.to_string().contains("receipt mail"),
                    "an error nobody classified is not repeated"
                );
            }
            assert_eq!(
                (effects.get(), status(&sluice, &text).await),
                (1, Status::Indeterminate),
                "{after:?}"
            );
        }
    });
}

#[test]
fn b14_only_an_error_that_says_so_opens_the_key_again() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        let effects = Counter::default();
        for _ in 0..3 {
            let bump = effects.clone();
            let effect = move |_| {
                bump.bump();
                async { Err::<u32, _>(Failure::transient("not applied")) }
            };
            let error = sluice.run(spec("k"), effect).await.unwrap_err();
            assert!(error.code() == Code::Released && error.did_not_happen() && error.is_retryable());
        }
        assert_eq!(effects.get(), 3);
        let effect = |_| async { Err::<u32, _>(Failure::permanent("declined").with_code("card_declined")) };
        for _ in 0..2 {
            let error = sluice.run(spec("declined"), effect).await.unwrap_err();
            assert_eq!(error.details().fault.as_ref().unwrap().code.as_deref(), Some("card_declined"));
            assert!(error.did_not_happen() && !error.is_retryable());
        }
        let found = look(&sluice, "declined").await.unwrap();
        assert!(matches!(found.record.body.outcome, Outcome::Fault(_)));
    });
}

#[test]
fn b20_a_caller_that_goes_away_cuts_nothing_in_half() {
    on_every_ledger(|ledger| async move {
        for (text, patience) in [("before", 20), ("after", 150)] {
            let sluice = ledger.sluice();
            let effects = Counter::default();
            let bump = effects.clone();
            let effect = move |_| {
                let bump = bump.clone();
                async move {
                    tokio::time::sleep(Duration::from_millis(80)).await;
                    bump.bump();
                    tokio::time::sleep(Duration::from_millis(120)).await;
                    Ok::<_, Failure>("stored".to_owned())
                }
            };
            let gone =
                tokio::time::timeout(Duration::from_millis(patience), sluice.run(spec(text), effect.clone()))
                    .await;
            assert!(gone.is_err(), "the caller was to go away first");
            let done = ledger.all()[1].run(spec(text), effect).await.unwrap();
            assert!(matches!(done, Done::Replayed(ref value, _) if value == "stored"));
            assert_eq!(effects.get(), 1);
            assert_eq!(sluice.drain(Duration::from_secs(5)).await, 0);
        }
    });
}
