//! Circuits of processes that share one ledger file, in real time.

use sluice::core::retry::Retry;
use sluice::{Code, EffectSpec, Error, Failure, Key, Sluice};
use sluice_sqlite::SqliteStore;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn in_real_time(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap()
        .block_on(test);
}

async fn handle(folder: &Path) -> Sluice {
    Sluice::open(SqliteStore::open(folder.join("ledger.db")).await.unwrap()).build()
}

async fn ends(sluice: &Sluice, key: &str, end: Result<u32, Failure>) -> Result<u32, Error> {
    let mut retry = Retry::default();
    retry.backoff.tries = 1;
    let spec = EffectSpec { circuit: Some("psp".into()), retry, ..EffectSpec::new(Key::new(key).unwrap()) };
    let mut end = Some(end);
    let done = sluice.run(spec, move |_| std::future::ready(end.take().expect("one attempt"))).await;
    done.map(|done| done.value().expect("a value"))
}

#[test]
fn one_handle_opens_it_and_another_one_refuses_within_a_second_of_its_next_use() {
    in_real_time(async {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (handle(folder.path()).await, handle(folder.path()).await);
        assert_eq!(ends(&other, "in use", Ok(1)).await.unwrap(), 1);
        for call in 0..6 {
            let told = ends(&one, &format!("trouble {call}"), Err(Failure::transient("down"))).await;
            assert!(told.is_err());
        }
        let opened = Instant::now();
        let mut call = 0;
        let error = loop {
            call += 1;
            match ends(&other, &format!("call {call}"), Ok(1)).await {
                Ok(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                Err(error) => break error,
            }
            assert!(opened.elapsed() < Duration::from_secs(20), "it is never heard of");
        };
        assert_eq!(error.code(), Code::CircuitOpen);
        assert!(error.details().safe_after.unwrap() > Duration::ZERO);
        // A second, and what a machine that is busy with other tests may take on top.
        assert!(opened.elapsed() < Duration::from_secs(3), "{:?}", opened.elapsed());
    });
}

#[test]
fn five_handles_with_one_outcome_each_make_the_sixth_refuse() {
    let folder = tempfile::tempdir().unwrap();
    for process in 0..5 {
        // A runtime of its own that ends with the process, and with all that it has begun.
        in_real_time(async {
            let sluice = handle(folder.path()).await;
            let told = ends(&sluice, &format!("call {process}"), Err(Failure::unknown("no answer"))).await;
            assert_eq!(told.unwrap_err().code(), Code::Indeterminate);
            sluice.tidy(Duration::from_secs(5)).await;
        });
    }
    in_real_time(async {
        let sixth = handle(folder.path()).await;
        assert_eq!(ends(&sixth, "sixth", Ok(1)).await.unwrap_err().code(), Code::CircuitOpen);
        let circuits = sixth.circuits(None, 10).await.unwrap();
        assert!(circuits[0].wait > Duration::ZERO, "{circuits:?}");
    });
}

#[test]
fn sixteen_handles_that_open_at_once_make_one_generation() {
    in_real_time(async {
        let folder = tempfile::tempdir().unwrap();
        let refused = Arc::new(AtomicUsize::new(0));
        let mut processes = Vec::new();
        for process in 0..16 {
            let (sluice, refused) = (handle(folder.path()).await, refused.clone());
            processes.push(tokio::spawn(async move {
                for call in 0..5 {
                    let key = format!("call {process} {call}");
                    let told = ends(&sluice, &key, Err(Failure::transient("down"))).await.unwrap_err();
                    refused.fetch_add(usize::from(told.code() == Code::CircuitOpen), Ordering::SeqCst);
                }
                sluice.tidy(Duration::from_secs(10)).await;
                sluice
            }));
        }
        let mut handles = Vec::new();
        for process in processes {
            handles.push(process.await.unwrap());
        }
        let seen = handles[0].store().circuit("psp".into(), None).await.unwrap();
        assert_eq!(seen.shared.circuit.generation.0, 1, "{seen:?}");
        for (number, handle) in handles.iter().enumerate() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let told = ends(handle, &format!("next {number}"), Ok(1)).await;
            assert_eq!(told.unwrap_err().code(), Code::CircuitOpen);
        }
    });
}
