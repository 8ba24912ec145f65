//! What the machine can do without a ledger: flushes and hashes; and how much memory this process has used.

use super::figures::{Flush, Keys, Percentiles};
use super::load::{self, Limits};
use crate::exit;
use crate::input::reason;
use crate::report::Fail;
use serde_json::{Value, json};
use sluice::idempotency_key;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// One page of a ledger, as its log appends them.
const APPEND: usize = 4096;
const MOST_FLUSHES: u64 = 1000;
const LONGEST: Duration = Duration::from_secs(1);

/// Appends a page again and again, and waits each time until the disk has it.
pub fn flush(folder: &Path, limits: &Limits) -> Result<Flush, Fail> {
    let failed = |error: std::io::Error| {
        Fail::Status(exit::AWAY, format!("{} cannot be written: {}", folder.display(), reason(&error)))
    };
    let file = File::create(folder.join("flush")).map_err(failed)?;
    let short = Limits { length: limits.length.min(LONGEST), calls: MOST_FLUSHES, ..limits.clone() };
    let pace = load::threads(&mut [file], &short, |file| {
        file.write_all(&[0x5a; APPEND]).and_then(|()| file.sync_data()).map_err(failed)
    })?;
    Ok(Flush { bytes: APPEND, count: pace.calls, latency: Percentiles::of(&pace.latencies) })
}

/// Derives the key of an ordinary intent again and again.
pub fn keys(limits: &Limits) -> Result<Keys, Fail> {
    let intent = intent();
    let short = Limits { length: limits.length.min(LONGEST), ..limits.clone() };
    let pace = load::threads(&mut [()], &short, |()| {
        // Many at once, since reading the clock takes a part of the time that one does.
        for _ in 0..KEYS {
            std::hint::black_box(idempotency_key(std::hint::black_box(&intent))?);
        }
        Ok(())
    })?;
    let per_second = pace.per_second() * f64::from(KEYS);
    Ok(Keys { bytes: intent.to_string().len(), per_second })
}

const KEYS: u32 = 100;

/// An intent as an agent sends it: names and ids of usual length, one nested object, one list, a price.
fn intent() -> Value {
    json!({
        "tool": "create_invoice",
        "actor": "agent-42",
        "runId": "run_8f21",
        "args": {
            "order_id": "ord_0184467",
            "invoice_type": "standard",
            "currency": "EUR",
            "amount": 1249.5,
            "lines": [
                { "sku": "SKU-1001", "quantity": 2, "price": 499.75 },
                { "sku": "SKU-2002", "quantity": 1, "price": 250 }
            ],
            "customer": { "id": 1_800_421, "email": "customer@example.com", "vat": null }
        },
        "test": false
    })
}

/// Waits until the disk has everything. Where that cannot be asked for, the figures are only less quiet.
pub fn write_back(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = rustix::fs::syncfs(folder);
    }
}

/// The most memory that this process has ever used, in KiB, where the system says so.
pub fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_the_one_the_figures_speak_of() {
        assert_eq!(intent().to_string().len(), 338);
    }
}
