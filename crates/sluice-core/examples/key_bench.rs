//! Prints how many times faster `idempotency_key` is than `serde_json_canonicalizer` with SHA-256.
//!
//! Run with `cargo run --release -p sluice-core --example key_bench`. Both sides take turns in one process and the
//! fastest round of each counts, so a busy machine slows them alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sluice_core::key::{idempotency_key, idempotency_key_text};

const ROUNDS: u32 = 40;
const CALLS: u32 = 5_000;

fn main() {
    let intent = intent();
    let text = intent.to_string();
    println!("object of {} bytes", text.len());

    let key = idempotency_key(&intent).map(String::from).ok();
    assert_eq!(key, reference(&intent), "both sides do the same work");

    let mut ours = Duration::MAX;
    let mut ours_text = Duration::MAX;
    let mut theirs = Duration::MAX;
    for _ in 0..ROUNDS {
        ours = ours.min(time(|| idempotency_key(black_box(&intent)).is_ok()));
        ours_text = ours_text.min(time(|| idempotency_key_text(black_box(text.as_bytes())).is_ok()));
        theirs = theirs.min(time(|| black_box(reference(black_box(&intent))).is_some()));
    }
    println!("idempotency_key       {ours:?} a call");
    println!("idempotency_key_text  {ours_text:?} a call");
    println!("reference             {theirs:?} a call");
    println!("ratio                 {:.2}", theirs.as_secs_f64() / ours.as_secs_f64());
}

fn time(mut call: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    for _ in 0..CALLS {
        assert!(call(), "the object has a key");
    }
    start.elapsed() / CALLS
}

/// The reference writes its hex with a table too: the comparison is about canonical JSON, not about formatting.
fn reference(value: &Value) -> Option<String> {
    let canonical = serde_json_canonicalizer::to_vec(value).ok()?;
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(canonical) {
        digits.extend([byte >> 4, byte & 15].map(|half| char::from(b"0123456789abcdef"[usize::from(half)])));
    }
    Some(digits)
}

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
