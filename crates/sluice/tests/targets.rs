//! Targets with rules of their own: keys that are honoured for a while, failures that are replayed, keys of a length.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::downstream::Profile;
use sluice::core::ids::RecordId;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::{Code, Ctx, Done, EffectSpec, Error, Failure, Key, OnFailed, OnIndeterminate, Sluice};
use std::sync::{Arc, Mutex};

fn profile(members: &str) -> Profile {
    Profile::parse(&format!(r#"{{"name":"psp","header":"Idempotency-Key",{members}}}"#)).unwrap()
}

fn spec(downstream: Profile) -> EffectSpec {
    let mut spec = EffectSpec::new(Key::new("k").unwrap());
    spec.on_indeterminate = downstream.remembers.map(|_| OnIndeterminate::Reclaim);
    spec.downstream = Some(downstream);
    spec.retry.backoff.tries = 1;
    spec
}

async fn look(sluice: &Sluice) -> Snapshot {
    let id = RecordId::new(sluice.namespace().unwrap().clone(), Key::new("k").unwrap());
    sluice.look(&id).await.unwrap().unwrap()
}

/// Runs once and tells which key was sent, if anything was.
async fn send(
    sluice: &Sluice,
    spec: EffectSpec,
    end: Result<u32, Failure>,
) -> (Result<Done<u32>, Error>, Option<String>) {
    let (sent, mut end) = (Arc::new(Mutex::new(None)), Some(end));
    let key = sent.clone();
    let told = sluice.run(spec, move |ctx: Ctx| {
        *key.lock().unwrap() = Some(ctx.downstream_key().to_owned());
        let end = end.take().expect("one attempt");
        async move { end }
    });
    let told = told.await;
    let sent = sent.lock().unwrap().take();
    (told, sent)
}

fn unknown() -> Result<u32, Failure> {
    Err(Failure::unknown("no answer"))
}

#[test]
fn inside_the_window_what_nobody_knows_is_sent_again_under_the_same_key() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let spec = spec(profile(r#""remembers_ms":86400000"#));
        let (told, first) = send(&sluice, spec.clone(), unknown()).await;
        assert_eq!(told.unwrap_err().code(), Code::Indeterminate);
        tokio::time::sleep(s(20 * 3600)).await;
        let (told, second) = send(&sluice, spec, Ok(7)).await;
        assert_eq!(told.unwrap(), Done::Executed(7));
        assert!(first.is_some() && first == second);
        let found = look(&sluice).await.record;
        assert_eq!((found.body.status, found.body.epoch.0), (Status::Succeeded, 2));
    });
}

#[test]
fn b12_past_the_window_of_the_target_nothing_is_sent_again() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let spec = spec(profile(r#""remembers_ms":86400000"#));
        send(&sluice, spec.clone(), unknown()).await.0.unwrap_err();
        // Each claim uses the same key, and only the first one counts.
        for hours in [12, 9] {
            tokio::time::sleep(s(hours * 3600)).await;
            let (told, sent) = send(&sluice, spec.clone(), unknown()).await;
            assert_eq!((told.unwrap_err().code(), sent.is_some()), (Code::Indeterminate, true));
        }
        tokio::time::sleep(s(3600)).await;
        let (told, sent) = send(&sluice, spec, Ok(7)).await;
        let error = told.unwrap_err();
        assert_eq!((error.code(), sent), (Code::Indeterminate, None));
        assert!(error.to_string().contains("may have forgotten the key"), "{error}");
        assert_eq!(look(&sluice).await.record.body.epoch.0, 3);
    });
}

#[test]
fn a_reclaimed_execution_that_is_refused_leaves_the_first_one_in_doubt() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let spec = spec(profile(r#""remembers_ms":86400000"#));
        send(&sluice, spec.clone(), unknown()).await.0.unwrap_err();
        let (told, sent) = send(&sluice, spec, Err(Failure::transient("429: too many requests"))).await;
        assert_eq!((told.unwrap_err().code(), sent.is_some()), (Code::Indeterminate, true));
        assert_eq!(look(&sluice).await.record.body.status, Status::Indeterminate);
    });
}

#[test]
fn a_target_whose_memory_is_not_known_is_sent_nothing_again() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let mut spec = spec(profile(r#""remembers_ms":null"#));
        spec.on_indeterminate = Some(OnIndeterminate::Reclaim);
        let (told, sent) = send(&sluice, spec, Ok(7)).await;
        assert_eq!((told.unwrap_err().code(), sent), (Code::Config, None));
    });
}

#[test]
fn a_key_is_replaced_only_after_a_definite_answer_of_a_target_that_replays_its_failures() {
    in_virtual_time(async {
        let declined = |from_target: bool| {
            let failure = Failure::permanent("card declined");
            Err(if from_target { failure.from_target() } else { failure })
        };
        for (replays, from_target, replaced) in
            [(true, true, true), (true, false, false), (false, true, false)]
        {
            let world = World::new();
            let sluice = world.worker();
            let mut spec = spec(profile(&format!(r#""remembers_ms":86400000,"replays_failures":{replays}"#)));
            spec.on_failed = OnFailed::Rerun;
            let (_, first) = send(&sluice, spec.clone(), declined(from_target)).await;
            let (told, second) = send(&sluice, spec.clone(), Ok(7)).await;
            assert_eq!(told.unwrap(), Done::Executed(7));
            assert_eq!(first != second, replaced, "{replays} {from_target}");
            assert_eq!(look(&sluice).await.record.body.downstream.rotation, u32::from(replaced));
        }
    });
}

#[test]
fn a_replaced_key_that_was_sent_is_kept_through_a_crash_and_a_reclaim_and_has_a_window_of_its_own() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let mut spec = spec(profile(r#""remembers_ms":86400000,"replays_failures":true"#));
        spec.on_failed = OnFailed::Rerun;
        let declined = Err(Failure::permanent("card declined").from_target());
        let (_, first) = send(&sluice, spec.clone(), declined).await;
        tokio::time::sleep(s(20 * 3600)).await;
        let (_, second) = send(&sluice, spec.clone(), unknown()).await;
        assert_ne!(first, second);
        // Its window cannot have begun before the failure was written down, and is counted from there.
        assert_eq!(look(&sluice).await.record.body.downstream.first_used.unwrap().0 / 1000, 0);
        let (told, third) = send(&sluice, spec.clone(), unknown()).await;
        assert_eq!((told.unwrap_err().code(), &third), (Code::Indeterminate, &second));
        let (told, fourth) = send(&sluice, spec, Ok(7)).await;
        assert_eq!((told.unwrap(), fourth), (Done::Executed(7), second));
    });
}

#[test]
fn a_verdict_keeps_the_key_although_a_new_one_would_be_allowed_otherwise() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let spec = spec(profile(r#""remembers_ms":86400000,"replays_failures":true"#));
        let (_, first) = send(&sluice, spec.clone(), unknown()).await;
        let ruling = sluice::core::decide::Ruling {
            epoch: None,
            judgement: sluice::core::decide::Judgement::DidNotLand,
            by: "ada".into(),
            reason: "looked".into(),
            force: false,
        };
        let id = look(&sluice).await.record.id;
        assert!(matches!(sluice.resolve(&id, &ruling).await.unwrap(), sluice::Resolved::Taken(..)));
        let (told, second) = send(&sluice, spec, Ok(7)).await;
        assert_eq!((told.unwrap(), second), (Done::Executed(7), first));
    });
}

#[test]
fn a_key_fits_its_target_and_is_told_with_its_place() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let spec = spec(profile(r#""max_key_len":40,"quoted":true"#));
        let told = sluice.run(spec, |ctx: Ctx| async move {
            let key = ctx.downstream_key().to_owned();
            assert_eq!(key.len(), 40);
            let (place, value) = ctx.downstream_place().unwrap().unwrap();
            assert_eq!((place, value), ("Idempotency-Key", format!("\"{key}\"")));
            Ok(1_u32)
        });
        assert_eq!(told.await.unwrap(), Done::Executed(1));
    });
}

#[test]
fn a_key_made_for_a_target_that_takes_more_is_not_cut_for_one_that_takes_less() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        send(&sluice, spec(profile(r#""remembers_ms":86400000"#)), unknown()).await.0.unwrap_err();
        let shorter = spec(profile(r#""remembers_ms":86400000,"max_key_len":40"#));
        let (told, sent) = send(&sluice, shorter, Ok(7)).await;
        assert_eq!((told.unwrap_err().code(), sent), (Code::Indeterminate, None));
    });
}
