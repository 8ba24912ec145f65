//! What a sweep of a large ledger costs the callers that run meanwhile.
//!
//! `cargo run --release -p sluice-effects --example sweep_cost [RECORDS] [ROUNDS]` fills a ledger with records that are
//! due, and then lets 16 callers run fresh effects by turns without a sweep and beside one. It prints the ratio of each
//! round and the median: 1.00 is no cost at all.

use sluice::core::record::Terms;
use sluice::{EffectSpec, Failure, Key, Sluice};
use sluice_sqlite::SqliteStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const CALLERS: u64 = 16;
const TURN: Duration = Duration::from_millis(1500);

fn main() {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (records, rounds) = (number(1, 1_000_000), number(2, 5));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(folder.path().join("ledger.db")).await.unwrap();
        let sluice = Sluice::open(store).sweep_every(0).build();
        let numbers = Arc::new(AtomicU64::new(0));
        fill(&sluice, &numbers, records).await;
        println!("{records} records are due");
        let mut ratios = Vec::new();
        for round in 1..=rounds {
            let without = effects(&sluice, &numbers).await;
            let sweeper = sluice.clone();
            let sweep = tokio::spawn(async move { sweeper.sweep().await });
            let beside = effects(&sluice, &numbers).await;
            let is_over = sweep.is_finished();
            sweep.abort();
            println!(
                "round {round}: {without:.0}/s alone, {beside:.0}/s beside a sweep, {:.2}",
                beside / without
            );
            assert!(!is_over, "the sweep was over before its turn: fill in more records");
            ratios.push(beside / without);
        }
        ratios.sort_by(f64::total_cmp);
        println!("median {:.2}", ratios[ratios.len() / 2]);
    });
}

async fn fill(sluice: &Sluice, numbers: &Arc<AtomicU64>, records: u64) {
    let tasks = (0..64).map(|_| {
        let (sluice, numbers) = (sluice.clone(), numbers.clone());
        tokio::spawn(async move {
            while numbers.load(Ordering::Relaxed) < records {
                one(&sluice, &numbers, Duration::from_secs(1)).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

async fn one(sluice: &Sluice, numbers: &AtomicU64, remember: Duration) {
    let number = numbers.fetch_add(1, Ordering::Relaxed);
    // Spread like the hashes that keys are.
    let hash = u128::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let terms = Terms { remember, ..Terms::default() };
    let spec = EffectSpec { terms, ..EffectSpec::new(Key::new(format!("{hash:032x}")).unwrap()) };
    assert!(sluice.run(spec, |_ctx| async { Ok::<_, Failure>(1) }).await.unwrap().ran_now());
}

async fn effects(sluice: &Sluice, numbers: &Arc<AtomicU64>) -> f64 {
    let begun = Instant::now();
    let tasks = (0..CALLERS).map(|_| {
        let (sluice, numbers) = (sluice.clone(), numbers.clone());
        tokio::spawn(async move {
            let mut done = 0_u32;
            while begun.elapsed() < TURN {
                one(&sluice, &numbers, Duration::from_hours(24)).await;
                done += 1;
            }
            done
        })
    });
    let mut done = 0;
    for task in tasks.collect::<Vec<_>>() {
        done += task.await.unwrap();
    }
    f64::from(done) / begun.elapsed().as_secs_f64()
}
