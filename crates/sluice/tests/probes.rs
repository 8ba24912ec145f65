//! A target is asked about what nobody knows, and its answer is a verdict.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::ids::RecordId;
use sluice::core::state::Status;
use sluice::core::trail::EventKind;
use sluice::{Asked, Code, Done, Error, Failure, Key, Probe, Prober, Sluice, Wait};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn id(sluice: &Sluice) -> RecordId {
    RecordId::new(sluice.namespace().unwrap().clone(), Key::new("k").unwrap())
}

async fn doubtful(sluice: &Sluice) {
    let run =
        sluice.effect("k").no_fingerprint().run(|_| async { Err::<u32, _>(Failure::unknown("no answer")) });
    assert_eq!(run.await.unwrap_err().code(), Code::Indeterminate);
}

async fn deliver(sluice: &Sluice, prober: Prober) -> Result<Done<u32>, Error> {
    sluice.effect("k").no_fingerprint().probe(prober).run(|_| async { Ok(8) }).await
}

/// A target that always says the same, and how often it was asked.
fn says(answer: Probe<u32>) -> (Prober, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let prober = Prober::new(move |_: Asked| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(answer) }
    });
    (prober, asked)
}

#[test]
fn what_landed_is_replayed_with_the_targets_result_and_its_source_is_recorded() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        doubtful(&sluice).await;
        let (prober, asked) = says(Probe::Landed(7));
        assert_eq!(deliver(&sluice, prober.clone()).await.unwrap().value(), Some(7));
        assert_eq!(deliver(&sluice, prober).await.unwrap().value(), Some(7));
        assert_eq!(asked.load(Ordering::SeqCst), 1, "what is known is not asked again");
        let events = sluice.store().events(&id(&sluice)).await.unwrap();
        let verdict = events.iter().find(|event| event.draft.kind == EventKind::Verdict).unwrap();
        assert_eq!(verdict.draft.by.as_deref(), Some("probe"));
        let found = sluice.look(&id(&sluice)).await.unwrap().unwrap();
        assert_eq!(found.record.body.epoch.0, 1, "a probe begins no epoch");
    });
}

#[test]
fn what_did_not_land_is_run_by_the_delivery_that_asked() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        doubtful(&sluice).await;
        assert_eq!(deliver(&sluice, says(Probe::DidNotLand).0).await.unwrap(), Done::Executed(8));
        assert_eq!(sluice.look(&id(&sluice)).await.unwrap().unwrap().record.body.epoch.0, 2);
    });
}

#[test]
fn a_did_not_land_waits_until_the_last_holder_is_quiet() {
    in_virtual_time(async {
        let world = World::new();
        let (dies, sluice) = (world.worker(), world.worker());
        let hangs = dies.effect("k").no_fingerprint().lease(s(2)).timeout(s(1));
        // It takes longer than it may, so that it may still send something.
        let run = hangs.run(|_| async {
            tokio::time::sleep(s(3600)).await;
            Ok(7_u32)
        });
        assert_eq!(run.await.unwrap_err().code(), Code::Indeterminate);
        let (prober, _) = says(Probe::DidNotLand);
        let at_once = sluice.effect("k").no_fingerprint().wait(Wait::No).probe(prober.clone());
        let error = at_once.run(|_| async { Ok(8_u32) }).await.unwrap_err();
        assert_eq!(error.code(), Code::Indeterminate);
        assert!(error.details().safe_after.is_some());
        let began = tokio::time::Instant::now();
        let patient = sluice.effect("k").no_fingerprint().wait(Wait::Forever).probe(prober);
        assert_eq!(patient.run(|_| async { Ok(8_u32) }).await.unwrap(), Done::Executed(8));
        assert!(began.elapsed() >= s(55), "{:?}", began.elapsed());
    });
}

#[test]
fn a_target_that_cannot_tell_or_breaks_down_leaves_the_doubt() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        doubtful(&sluice).await;
        let breaks = Prober::new(|asked: Asked| async move {
            assert!(asked.epoch.0 > 9, "a probe broke");
            Ok(Probe::Landed(1_u32))
        });
        let fails = Prober::new(|_: Asked| async { Err::<Probe<u32>, _>(Failure::transient("down")) });
        let hangs =
            Prober::new(|_: Asked| async { std::future::pending::<Result<Probe<u32>, Failure>>().await });
        for prober in [says(Probe::StillUnknown).0, breaks, fails, hangs] {
            assert_eq!(deliver(&sluice, prober).await.unwrap_err().code(), Code::Indeterminate);
        }
        assert_eq!(
            sluice.look(&id(&sluice)).await.unwrap().unwrap().record.body.status,
            Status::Indeterminate
        );
    });
}

#[test]
fn many_deliveries_ask_once() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        doubtful(&sluice).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let prober = Prober::new(move |_: Asked| {
            count.fetch_add(1, Ordering::SeqCst);
            async {
                tokio::time::sleep(s(2)).await;
                Ok(Probe::Landed(7_u32))
            }
        });
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let (sluice, prober) = (sluice.clone(), prober.clone());
                tokio::spawn(async move { deliver(&sluice, prober).await.unwrap().value() })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), Some(7));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn recovery_asks_and_performs_nothing() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        doubtful(&sluice).await;
        assert_eq!(sluice.probe_all(&says(Probe::StillUnknown).0).await.unwrap(), 0);
        assert_eq!(sluice.probe_all(&says(Probe::DidNotLand).0).await.unwrap(), 1);
        assert_eq!(sluice.look(&id(&sluice)).await.unwrap().unwrap().record.body.status, Status::Released);
        assert_eq!(sluice.probe_all(&says(Probe::DidNotLand).0).await.unwrap(), 0);
    });
}
