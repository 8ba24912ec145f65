//! A disk that is full now and then.

use super::common::{Dice, Place};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A small file system of its own, for the ledger and its locks alone.
pub struct Disk {
    at: PathBuf,
    /// How often it was full.
    pub times: AtomicUsize,
}

impl Disk {
    /// Mounts one, where that is allowed.
    pub fn small(place: &Place) -> Option<Self> {
        let at = place.path("disk");
        std::fs::create_dir(&at).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"]).arg(&at).output();
        let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        is_mounted.then(|| Self { at, times: AtomicUsize::new(0) })
    }

    pub fn store(&self) -> String {
        format!("sqlite:{}", self.at.join("ledger.db").display())
    }

    /// Fills it to the last byte for a while, gives the room back for longer, and does so again until it is over.
    pub fn fill_now_and_then(&self, seed: u64, is_over: impl Fn() -> bool) {
        let mut dice = Dice::new(seed ^ 0xd15c);
        let filler = self.at.join("filler");
        while !is_over() {
            std::thread::sleep(Duration::from_millis(400 + dice.below(800)));
            fill(&filler);
            self.times.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(100 + dice.below(400)));
            std::fs::remove_file(&filler).unwrap();
        }
    }
}

fn fill(filler: &PathBuf) {
    let mut file = File::create(filler).unwrap();
    let block = [7; 4096];
    while file.write_all(&block).is_ok() {}
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
