//! Many processes on one ledger and shared keys, killed, stopped past their lease, and out of room.
//!
//! `SLUICE_KILLS` sets how many running ones are killed (60 without it), `SLUICE_SEED` who, when and how. An independent checker reads the
//! witness file that the commands write and what the ledger lists, and compares the two.

#[path = "../common/mod.rs"]
mod common;
mod disk;
mod intents;
mod verify;
mod workers;

use common::{Place, until};
use disk::Disk;
use intents::{GIVEN_UP, Intent};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use workers::{Tally, Torture};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Processes at a time.
const WORKERS: u64 = 5;

#[test]
fn whatever_is_killed_stopped_or_full_no_effect_happens_twice_and_nothing_gets_stuck() {
    let (kills, seed) = (number("SLUICE_KILLS", 60), number("SLUICE_SEED", 1));
    println!("seed {seed}");
    let place = Place::new();
    let disk = Disk::small(&place);
    let store = disk.as_ref().map_or_else(|| place.store(), Disk::store);
    let torture = Torture::new(&place, store, kills, seed);
    let tallies: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                scope.spawn({
                    let torture = &torture;
                    move || torture.work(worker)
                })
            })
            .collect();
        if let Some(disk) = &disk {
            scope.spawn(|| disk.fill_now_and_then(seed, || torture.is_over()));
        }
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    until("every orphan ended", || place.is_idle());
    let witness = verify::witness(&place);
    let listed = torture.records();
    verify::agree(&listed, &witness);
    let settled = settle(&torture, &listed);
    verify::agree(&torture.records(), &verify::witness(&place));
    let all: Tally = tallies.into_iter().sum();
    report(&torture, &all, listed.len(), settled, disk.as_ref());
}

fn report(torture: &Torture<'_>, all: &Tally, intents: usize, doubts: usize, disk: Option<&Disk>) {
    let full = match disk {
        Some(disk) => format!("the disk was full {} times", disk.times.load(Ordering::SeqCst)),
        None => "a full disk: not run, since nothing can be mounted here".to_owned(),
    };
    println!("seed {}: {all:?} on {intents} intents, {doubts} left in doubt; {full}", torture.seed);
    assert!(disk.is_none_or(|disk| disk.times.load(Ordering::SeqCst) > 0), "the disk was never full");
}

/// The last round: nothing goes wrong any more. What is in doubt is settled by the truth, everything else by delivering
/// again; then every intent has ended. Gives how many were in doubt.
fn settle(torture: &Torture<'_>, listed: &BTreeMap<String, serde_json::Value>) -> usize {
    let mut doubts = 0;
    for key in listed.keys() {
        let intent = Intent::of_key(key);
        let mut in_doubt = false;
        until("the intent is settled", || {
            let answer = torture.deliver(&intent);
            match answer.status() {
                90 => {
                    in_doubt = true;
                    torture.say_the_truth(&intent);
                    false
                }
                0 | 94 => true,
                status if Some(status) == intent.declined() => true,
                // Released: it may be delivered again.
                GIVEN_UP | 75 => false,
                status => panic!("seed {}: {key} ends with {status}: {}", torture.seed, answer.stderr()),
            }
        });
        doubts += usize::from(in_doubt);
    }
    doubts
}
