//! The check passes handlers that run their effect once, and names what is wrong with those that do not.

use serde_json::{Value, json};
use sluice::{Intent, MemoryStore, OnDuplicate, Sluice, Wait};
use sluice_testkit::block_on;
use sluice_testkit::redeliver::{Cause, Delivery, NotOnce, Redeliver, Redelivered, redeliver};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::{poll_fn, ready};
use std::task::Poll;

/// Runs on a runtime with tasks and a timer, which sluice needs and the check does not.
fn on_tokio<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn event() -> Value {
    json!({
        "message": {"messageId": "m-1", "publishTime": "2026-11-30T10:00:00Z", "attempt": 1},
        "order": {"id": "o-17", "cents": 1999},
    })
}

fn check() -> Redeliver<Value> {
    Redeliver::json(event())
        .id_at("/message/messageId")
        .time_at("/message/publishTime")
        .attempt_at("/message/attempt")
}

/// A handler that charges once for whatever `args` makes of a delivery.
fn charging(args: fn(&Delivery<Value>) -> Value) -> Result<Redelivered, NotOnce> {
    let sluice = Sluice::open(MemoryStore::new()).build();
    on_tokio(check().check(|delivery| {
        let (sluice, args) = (sluice.clone(), args(&delivery));
        async move {
            let effect = delivery.effect;
            let intent = Intent::new().tool("charge").args(&args);
            let charged = sluice.effect(intent).fingerprint(&args).run(move |_ctx| {
                let effect = effect.clone();
                async move {
                    pause().await;
                    effect.landed();
                    Ok("ch_1".to_owned())
                }
            });
            charged.await
        }
    }))
}

/// Lets the other deliveries have their turn.
async fn pause() {
    let mut waited = false;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[test]
fn a_key_from_the_business_runs_once_for_every_delivery() {
    let redelivered = charging(|delivery| delivery.event["order"].clone()).unwrap();
    assert_eq!((redelivered.deliveries(), redelivered.errors()), (13, 0));
}

#[test]
fn what_is_in_the_key_and_belongs_to_the_delivery_is_named() {
    let causes = |args| charging(args).unwrap_err().causes().to_vec();
    assert_eq!(causes(|delivery| json!([delivery.event["order"], delivery.id])), [Cause::DeliveryId]);
    assert_eq!(causes(|delivery| json!([delivery.event["order"], delivery.sent_at])), [Cause::Time]);
    assert_eq!(causes(|delivery| json!([delivery.event["order"], delivery.sent_at[..10]])), [Cause::Time]);
    assert_eq!(causes(|delivery| json!([delivery.event["order"], delivery.attempt])), [Cause::Attempt]);
    let all = [Cause::DeliveryId, Cause::Time, Cause::Attempt];
    assert_eq!(causes(|delivery| delivery.event.clone()), all, "the whole body is no key");
}

#[test]
fn the_message_says_how_often_it_ran_and_why() {
    let error = charging(|delivery| json!([delivery.event["order"], delivery.id])).unwrap_err();
    let said = "one event, 13 deliveries: the effect ran 10 times\n  the effect ran again when only the delivery id was new: the key contains it, or something made from it";
    assert_eq!(error.to_string(), said);
    assert_eq!(format!("{error:?}"), said, "unwrap shows the same");
    assert_eq!((error.landings(), error.deliveries(), error.errors()), (10, 13, 0));
}

#[test]
fn a_handler_that_remembers_nothing_is_told_so_and_nothing_else() {
    let error = block_on(redeliver("o-17", |delivery: Delivery<&str>| {
        delivery.effect.landed();
        ready(Ok::<(), String>(()))
    }))
    .unwrap_err();
    assert_eq!((error.causes(), error.landings()), (&[Cause::NotRemembered][..], 13));
}

#[test]
fn looking_first_and_remembering_later_is_a_race() {
    let done = RefCell::new(BTreeSet::new());
    let done = &done;
    let handler = |delivery: Delivery<&'static str>| async move {
        if !done.borrow().contains(delivery.event) {
            pause().await;
            delivery.effect.landed();
            done.borrow_mut().insert(delivery.event);
        }
        Ok::<(), String>(())
    };
    let error = block_on(redeliver("o-17", handler)).unwrap_err();
    assert_eq!((error.causes(), error.landings()), (&[Cause::Race][..], 8));
    done.borrow_mut().clear();
    let alone = Redeliver::new("o-17").at_once(1);
    assert!(block_on(alone.check(handler)).is_ok(), "alone it cannot be seen");
}

#[test]
fn an_effect_that_never_runs_is_no_success() {
    let error = block_on(redeliver((), |_| ready(Err::<(), _>("no connection")))).unwrap_err();
    assert_eq!(error.causes(), [Cause::NeverRan]);
    assert_eq!((error.errors(), error.first_error()), (13, Some("no connection")));
    let said = error.to_string();
    assert!(said.contains("the effect never ran: call delivery.effect.landed()"), "{said}");
    assert!(said.ends_with("13 deliveries got an error, the first of them: no connection"), "{said}");
}

#[test]
fn a_duplicate_that_gets_an_error_afterwards_is_sent_for_ever() {
    let sluice = Sluice::open(MemoryStore::new()).build();
    let handler = |delivery: Delivery<&'static str>| {
        let sluice = sluice.clone();
        async move {
            let effect = delivery.effect;
            let charge = sluice.effect(delivery.event).no_fingerprint().on_duplicate(OnDuplicate::Conflict);
            let charged = charge.run(move |_ctx| {
                ready({
                    effect.landed();
                    Ok(())
                })
            });
            charged.await
        }
    };
    let error = on_tokio(redeliver("o-17", handler)).unwrap_err();
    assert_eq!((error.causes(), error.landings()), (&[Cause::Refused][..], 1));
    assert!(error.first_error().is_some());
    let allowed = on_tokio(Redeliver::new("o-18").allow_errors().check(handler)).unwrap();
    assert_eq!(allowed.errors(), 12);
}

#[test]
fn a_delivery_that_is_put_off_while_another_runs_is_counted_and_fine() {
    let sluice = Sluice::open(MemoryStore::new()).build();
    let redelivered = on_tokio(redeliver("o-17", |delivery: Delivery<&'static str>| {
        let sluice = sluice.clone();
        async move {
            let effect = delivery.effect;
            let charge = sluice.effect(delivery.event).no_fingerprint().wait(Wait::No);
            let charged = charge.run(move |_ctx| {
                let effect = effect.clone();
                async move {
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                    effect.landed();
                    Ok(())
                }
            });
            charged.await
        }
    }))
    .unwrap();
    assert_eq!(redelivered.errors(), 7);
    assert!(redelivered.first_error().is_some());
}

#[test]
fn what_only_everything_new_together_brings_about_is_told() {
    let seen = RefCell::new(Vec::<(String, String, u32)>::new());
    let alone = Redeliver::new(()).at_once(1);
    let error = block_on(alone.check(|delivery| {
        let (id, time, attempt) = (delivery.id, delivery.sent_at, delivery.attempt);
        let mut seen = seen.borrow_mut();
        if !seen.iter().any(|known| known.0 == id || known.1 == time || known.2 == attempt) {
            delivery.effect.landed();
        }
        seen.push((id, time, attempt));
        ready(Ok::<(), String>(()))
    }))
    .unwrap_err();
    assert_eq!(error.causes(), [Cause::Together]);
}

#[test]
fn twice_within_one_delivery_is_not_once_either() {
    let done = Cell::new(false);
    let error = block_on(redeliver((), |delivery| {
        if !done.replace(true) {
            delivery.effect.landed();
            delivery.effect.landed();
        }
        ready(Ok::<(), String>(()))
    }))
    .unwrap_err();
    assert_eq!((error.causes(), error.landings()), (&[Cause::WithinOne][..], 2));
}

#[test]
fn a_first_run_that_comes_late_is_once_all_the_same() {
    let calls = Cell::new(0);
    let redelivered = block_on(redeliver((), |delivery| {
        calls.set(calls.get() + 1);
        ready(match calls.get() {
            1..9 => Err("the target is away"),
            9 => {
                delivery.effect.landed();
                Ok(())
            }
            _ => Ok(()),
        })
    }));
    assert_eq!(redelivered.unwrap().errors(), 8);
}

#[test]
fn a_place_that_is_not_in_the_event_fails_before_anything_is_delivered() {
    let calls = Cell::new(0);
    let misspelt = Redeliver::json(event()).id_at("/message/message_id");
    let error = block_on(misspelt.check(|_| {
        calls.set(calls.get() + 1);
        ready(Ok::<(), String>(()))
    }))
    .unwrap_err();
    assert_eq!((error.causes(), calls.get()), (&[Cause::Nowhere][..], 0));
    assert_eq!(
        error.to_string(),
        "/message/message_id: there is neither a text nor a number at that place in the event"
    );
}

#[test]
fn each_delivery_carries_what_it_says_and_every_run_is_the_same() {
    let deliveries = || {
        let seen = RefCell::new(Vec::new());
        let checked = block_on(check().at_once(3).check(|delivery| {
            let written = &delivery.event["message"];
            assert_eq!(written["messageId"], delivery.id.as_str());
            assert_eq!(written["publishTime"], delivery.sent_at.as_str());
            assert_eq!(written["attempt"], delivery.attempt);
            assert_eq!(delivery.event["order"], event()["order"], "nothing else changes");
            let mut seen = seen.borrow_mut();
            if seen.is_empty() {
                delivery.effect.landed();
            }
            seen.push((delivery.id, delivery.sent_at, delivery.attempt));
            ready(Ok::<(), String>(()))
        }));
        assert_eq!(checked.unwrap().deliveries(), 8);
        seen.into_inner()
    };
    let seen = deliveries();
    assert_eq!(seen, deliveries());
    let ids: BTreeSet<_> = seen.iter().map(|(id, _, _)| id).collect();
    let times: BTreeSet<_> = seen.iter().map(|(_, time, _)| time).collect();
    let attempts: BTreeSet<_> = seen.iter().map(|(_, _, attempt)| attempt).collect();
    assert_eq!((ids.len(), times.len(), attempts.len()), (5, 5, 5));
    assert_eq!(seen[3], seen[0], "the same in everything");
}
