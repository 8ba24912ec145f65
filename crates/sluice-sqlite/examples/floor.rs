//! How far the store is from the floor: effects a second through it, beside a bare loop of two durable commits.
//!
//! `cargo run --release -p sluice-sqlite --example floor [folder]`

#[path = "../tests/common/mod.rs"]
mod common;

use common::{applied, claim_id, first_claim, id, open, success};
use rusqlite::Connection;
use sluice_core::store::Store;
use sluice_sqlite::{Options, SqliteStore};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_millis(1500);

fn main() {
    let base = std::env::args().nth(1).unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let mut rates: [Vec<f64>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir_in(&base).expect("a folder");
        let path = |name: &str| folder.path().join(name);
        rates[0].push(raw(&path("raw1.db"), 1));
        rates[1].push(raw(&path("raw32.db"), 32));
        rates[2].push(through(&path("one.db"), 1, 1));
        rates[3].push(through(&path("threads.db"), 64, 1));
        rates[4].push(through(&path("tasks.db"), 2, 32));
    }
    let [one_raw, many_raw, one, threads, tasks] = rates.map(median);
    println!("in {base}, median of {ROUNDS} rounds of {} ms, effects a second", LENGTH.as_millis());
    println!("bare loop, 1 effect a commit          {one_raw:>8.0}");
    println!("bare loop, 32 effects a commit        {many_raw:>8.0}");
    println!("store, 1 caller                       {one:>8.0}  {:.2} of the bare loop", one / one_raw);
    for (callers, rate) in [("64 callers on 64 threads", threads), ("64 callers on 2 threads ", tasks)] {
        let times = rate / one_raw;
        println!("store, {callers}       {rate:>8.0}  {times:.1} times the bare loop");
    }
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
        let keys: Vec<_> = (0..batch).map(|at| key(number, at)).collect();
        commit(&keys, "INSERT INTO records (key, status) VALUES (?1, 'in_flight')");
        commit(&keys, "UPDATE records SET status = 'succeeded', result = x'7b7d' WHERE key = ?1");
        batch
    })
}

/// Spread like the hashes that keys are, so that every one of them lands on a page of its own.
fn key(number: usize, caller: usize) -> String {
    let hash =
        ((number as u128) << 64 | caller as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    format!("{hash:032x}{hash:032x}")
}

fn through(path: &Path, threads: usize, callers: usize) -> f64 {
    let store = open(path, Options::default());
    let begun = Instant::now();
    let work = |thread: usize| {
        let store = store.clone();
        move || {
            let caller = |caller: usize| effects(&store, thread * callers + caller, begun);
            all((0..callers).map(|number| Box::pin(caller(number)) as Caller<'_>).collect())
        }
    };
    let threads: Vec<_> = (0..threads).map(|number| thread::spawn(work(number))).collect();
    let done: u32 = threads.into_iter().map(|thread| thread.join().expect("callers")).sum();
    f64::from(done) / begun.elapsed().as_secs_f64()
}

async fn effects(store: &SqliteStore, caller: usize, begun: Instant) -> u32 {
    let mut done = 0;
    while begun.elapsed() < LENGTH {
        let key = key(done as usize, caller);
        let claimed = applied(store.apply(id(&key), first_claim(claim_id())).await);
        applied(store.apply(id(&key), success(&claimed, b"{}")).await);
        done += 1;
    }
    done
}

type Caller<'a> = Pin<Box<dyn Future<Output = u32> + 'a>>;

struct Flag(AtomicBool, Thread);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
        self.1.unpark();
    }
}

/// Runs all callers on this thread and adds up what they return.
fn all(callers: Vec<Caller<'_>>) -> u32 {
    let flag = || Arc::new(Flag(AtomicBool::new(true), thread::current()));
    let mut callers: Vec<_> = callers.into_iter().map(|caller| (caller, flag())).collect();
    let mut done = 0;
    while !callers.is_empty() {
        callers.retain_mut(|(caller, flag)| {
            if !flag.0.swap(false, Ordering::Acquire) {
                return true;
            }
            match caller.as_mut().poll(&mut Context::from_waker(&Arc::clone(flag).into())) {
                Poll::Ready(more) => done += more,
                Poll::Pending => return true,
            }
            false
        });
        if !callers.iter().any(|(_, flag)| flag.0.load(Ordering::Acquire)) && !callers.is_empty() {
            thread::park();
        }
    }
    done
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
