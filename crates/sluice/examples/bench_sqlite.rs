//! Fresh effects through the whole of `run` on SQLite, beside the raw floor of the same disk in the same run.
//!
//! The floor: one effect as two durable commits (insert, then update), one caller, no events, no sluice.
//! `cargo run --release -p sluice-effects --example bench_sqlite [ROUNDS] [SECONDS]` prints medians and ratios.

use sluice::{EffectSpec, Failure, Key, Sluice};
use sluice_sqlite::SqliteStore;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(5);
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let length = Duration::from_secs_f64(seconds);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let (mut floors, mut ones, mut manies) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        let folder = tempfile::tempdir().unwrap();
        let floor = floor(&folder.path().join("floor.db"), length);
        let one = runtime.block_on(fresh(&folder.path().join("one.db"), 1, length));
        let many = runtime.block_on(fresh(&folder.path().join("many.db"), 64, length));
        println!(
            "round {round}: floor {floor:.0}/s, 1 caller {one:.0}/s ({:.2}x), 64 callers {many:.0}/s ({:.2}x)",
            one / floor,
            many / floor
        );
        floors.push(floor);
        ones.push(one / floor);
        manies.push(many / floor);
    }
    println!(
        "median: floor {:.0}/s, 1 caller {:.2}x, 64 callers {:.2}x",
        median(floors),
        median(ones),
        median(manies)
    );
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn floor(path: &Path, length: Duration) -> f64 {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
         CREATE TABLE effects (id INTEGER PRIMARY KEY, namespace TEXT, key TEXT, status TEXT, result BLOB, UNIQUE (namespace, key));",
    )
    .unwrap();
    let started = Instant::now();
    let mut done = 0_u32;
    while started.elapsed() < length {
        let key = format!("floor {done:060}");
        let mut insert = db
            .prepare_cached(
                "INSERT INTO effects (namespace, key, status) VALUES ('default', ?1, 'in_flight')",
            )
            .unwrap();
        insert.execute([&key]).unwrap();
        let mut update = db
            .prepare_cached("UPDATE effects SET status = 'succeeded', result = '1' WHERE namespace = 'default' AND key = ?1 AND status = 'in_flight'")
            .unwrap();
        update.execute([&key]).unwrap();
        done += 1;
    }
    f64::from(done) / started.elapsed().as_secs_f64()
}

async fn fresh(path: &Path, callers: u64, length: Duration) -> f64 {
    let sluice = Sluice::open(SqliteStore::open(path).await.unwrap()).build();
    let numbers = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let (sluice, numbers) = (sluice.clone(), numbers.clone());
            tokio::spawn(async move {
                while started.elapsed() < length {
                    let number = numbers.fetch_add(1, Ordering::Relaxed);
                    let spec = EffectSpec::new(Key::new(format!("fresh {number:060}")).unwrap());
                    let done = sluice.run(spec, |_ctx| async { Ok::<_, Failure>(1) }).await.unwrap();
                    assert!(done.ran_now());
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let done = u32::try_from(numbers.load(Ordering::Relaxed)).unwrap();
    f64::from(done) / started.elapsed().as_secs_f64()
}
