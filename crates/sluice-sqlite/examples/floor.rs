//! How far the store is from the floor: effects a second through it, beside a bare loop of two durable commits.
//!
//! `cargo run --release -p sluice-sqlite --example floor [folder]`

#[path = "../tests/common/mod.rs"]
mod common;

use common::{applied, claim_id, first_claim, id, open, success, wait};
use rusqlite::Connection;
use sluice_core::store::Store;
use sluice_sqlite::{Options, SqliteStore};
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_millis(1500);

fn main() {
    let base = std::env::args().nth(1).unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let mut rates: [Vec<f64>; 4] = Default::default();
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir_in(&base).expect("a folder");
        let path = |name: &str| folder.path().join(name);
        rates[0].push(raw(&path("raw1.db"), 1));
        rates[1].push(raw(&path("raw32.db"), 32));
        rates[2].push(through(&path("one.db"), 1, round));
        rates[3].push(through(&path("many.db"), 64, round));
    }
    let [raw_one, raw_many, one, many] = rates.map(median);
    println!("in {base}, median of {ROUNDS} rounds of {} ms, effects a second", LENGTH.as_millis());
    println!("bare loop, one commit a write       {raw_one:>10.0}");
    println!("bare loop, 32 effects a commit      {raw_many:>10.0}");
    println!("store,  1 caller                    {one:>10.0}   {:.2} of the bare loop", one / raw_one);
    println!("store, 64 callers                   {many:>10.0}   {:.1} times the bare loop", many / raw_one);
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// One effect is an insert and an update, each durable, `batch` effects at a time. No events.
fn raw(path: &Path, batch: usize) -> f64 {
    let conn = Connection::open(path).expect("a file");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE records (id INTEGER PRIMARY KEY, key TEXT UNIQUE, status TEXT, result BLOB);",
    )
    .expect("a table");
    let commit = |keys: &[String], sql: &str| {
        conn.execute_batch("BEGIN IMMEDIATE").expect("begin");
        for key in keys {
            conn.prepare_cached(sql).expect("a statement").execute([key]).expect("a row");
        }
        conn.execute_batch("COMMIT").expect("commit");
    };
    rate(|number| {
        let keys: Vec<_> = (0..batch).map(|at| format!("{number:032x}{at:032x}")).collect();
        commit(&keys, "INSERT INTO records (key, status) VALUES (?1, 'in_flight')");
        commit(&keys, "UPDATE records SET status = 'succeeded', result = x'7b7d' WHERE key = ?1");
        batch
    })
}

fn through(path: &Path, callers: usize, round: usize) -> f64 {
    let store = open(path, Options::default());
    let work = |caller: usize| {
        let store = store.clone();
        move || rate(|number| effect(&store, &format!("{round:08x}{caller:016x}{number:040x}")))
    };
    let threads: Vec<_> = (0..callers).map(|caller| std::thread::spawn(work(caller))).collect();
    threads.into_iter().map(|thread| thread.join().expect("a caller")).sum()
}

fn effect(store: &SqliteStore, key: &str) -> usize {
    let claimed = applied(wait(store.apply(id(key), first_claim(claim_id()))));
    applied(wait(store.apply(id(key), success(&claimed, b"{}"))));
    1
}

fn rate(mut step: impl FnMut(usize) -> usize) -> f64 {
    let begun = Instant::now();
    let mut done = 0;
    for number in 0.. {
        done += step(number);
        if begun.elapsed() >= LENGTH {
            break;
        }
    }
    f64::from(u32::try_from(done).expect("a count")) / begun.elapsed().as_secs_f64()
}
