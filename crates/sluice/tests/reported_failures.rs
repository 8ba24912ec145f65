//! Faults that people reported of failures and cancellation; each is closed as a kind.

mod common;

use common::{Counter, key, look, on_every_ledger, spec, status};
use sluice::core::outcome::Outcome;
use sluice::core::state::Status;
use sluice::{Code, Done, EffectSpec, Failure, Wait};
use std::sync::Arc;
use std::time::Duration;

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
        assert_eq!(effects.get(), 9, "three deliveries of three attempts each");
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
        for text in ["before", "after"] {
            let sluice = ledger.sluice();
            let effects = Counter::default();
            // The effect waits, before it acts or after, until its caller has gone away for certain.
            let is_gone = Arc::new(tokio::sync::Notify::new());
            let (bump, gone) = (effects.clone(), is_gone.clone());
            let effect = move |_| {
                let (bump, gone) = (bump.clone(), gone.clone());
                async move {
                    if text == "before" {
                        gone.notified().await;
                        bump.bump();
                    } else {
                        bump.bump();
                        gone.notified().await;
                    }
                    Ok::<_, Failure>("stored".to_owned())
                }
            };
            let patience = Duration::from_millis(50);
            let heard = tokio::time::timeout(patience, sluice.run(spec(text), effect.clone())).await;
            assert!(heard.is_err(), "the caller was to go away first");
            is_gone.notify_one();
            let done = ledger.all()[1].run(spec(text), effect).await.unwrap();
            assert!(matches!(done, Done::Replayed(ref value, _) if value == "stored"));
            assert_eq!(effects.get(), 1);
            assert_eq!(sluice.drain(Duration::from_secs(5)).await, 0);
        }
    });
}
