//! What a handle read lately it answers again without the ledger: only successes, not for long, and never a conflict.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::{Code, Done, EffectSpec, Failure, Key, Sluice};
use sluice_testkit::faults::Call;
use std::time::Duration;

fn spec(key: &str) -> EffectSpec {
    EffectSpec::new(Key::new(key).unwrap())
}

async fn deliver(sluice: &Sluice, spec: EffectSpec) -> Result<Done<u32>, sluice::Error> {
    sluice.run(spec, |_| async { Ok(7) }).await
}

/// How often the ledger is read for so many deliveries of one intent.
async fn reads(world: &World, sluice: &Sluice, spec: &EffectSpec, deliveries: usize) -> usize {
    let before = world.store.calls(Call::Read);
    for _ in 0..deliveries {
        assert_eq!(deliver(sluice, spec.clone()).await.unwrap().value(), Some(7));
    }
    world.store.calls(Call::Read) - before
}

#[test]
fn a_success_that_was_replayed_a_moment_ago_is_not_read_again() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        assert_eq!(reads(&world, &sluice, &spec("once"), 2).await, 2);
        assert_eq!(reads(&world, &sluice, &spec("once"), 50).await, 0);
        // Also while the ledger is away: what happened stays true.
        world.store.set_away(true);
        assert_eq!(reads(&world, &sluice, &spec("once"), 1).await, 0);
    });
}

#[test]
fn it_is_read_again_after_ten_seconds() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        reads(&world, &sluice, &spec("once"), 2).await;
        tokio::time::sleep(s(9)).await;
        assert_eq!(reads(&world, &sluice, &spec("once"), 1).await, 0, "being served makes it no younger");
        tokio::time::sleep(s(1)).await;
        assert_eq!(reads(&world, &sluice, &spec("once"), 2).await, 1);
    });
}

#[test]
fn a_record_that_is_kept_for_minutes_is_read_every_time() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        for (key, keep_result, remember) in
            [("result", Duration::from_mins(59), s(7200)), ("record", s(7200), Duration::from_mins(59))]
        {
            let mut spec = spec(key);
            (spec.terms.keep_result, spec.terms.remember) = (keep_result, remember);
            reads(&world, &sluice, &spec, 1).await;
            assert_eq!(reads(&world, &sluice, &spec, 5).await, 5, "{key}");
        }
    });
}

#[test]
fn a_conflict_is_told_and_written_down_each_time() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let with = |args: u32| sluice.effect("shared key").fingerprint(&args);
        for _ in 0..3 {
            assert_eq!(with(1).run(|_| async { Ok(7) }).await.unwrap().value(), Some(7));
        }
        for told in 1..=3 {
            let error = with(2).run(|_| async { Ok(8) }).await.unwrap_err();
            assert_eq!(error.code(), Code::KeyConflict);
            assert_eq!(world.store.calls(Call::Notice), told);
        }
    });
}

#[test]
fn nothing_but_a_success_is_ever_recalled() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let permanent = || Failure::permanent("declined");
        let unknown = || Failure::unknown("no answer");
        for (key, failure) in [("no", permanent as fn() -> Failure), ("maybe", unknown)] {
            let run = || sluice.run(spec(key), move |_| async move { Err::<u32, _>(failure()) });
            for _ in 0..3 {
                let before = world.store.calls(Call::Read);
                run().await.unwrap_err();
                assert!(world.store.calls(Call::Read) > before, "{key}");
            }
        }
    });
}

#[test]
fn a_handle_that_is_told_to_reads_every_time() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.builder().recall_room(0).build();
        reads(&world, &sluice, &spec("once"), 1).await;
        assert_eq!(reads(&world, &sluice, &spec("once"), 5).await, 5);
    });
}

#[test]
fn what_is_recalled_has_a_bound_and_what_is_asked_for_often_is_found_again() {
    in_virtual_time(async {
        let world = World::new();
        // Room for eight small ones on each of the two shelves.
        let sluice = world.builder().recall_room(17 * 1024).build();
        let all: Vec<_> = (0..64).map(|n| spec(&format!("key {n}"))).collect();
        for spec in &all {
            reads(&world, &sluice, spec, 2).await;
        }
        let again: usize = {
            let mut sum = 0;
            for spec in &all {
                sum += reads(&world, &sluice, spec, 1).await;
            }
            sum
        };
        assert!(again >= 64 - 17, "{again} of 64 were read");
        reads(&world, &sluice, &all[0], 16).await;
        assert_eq!(reads(&world, &sluice, &all[0], 4).await, 0);
    });
}
