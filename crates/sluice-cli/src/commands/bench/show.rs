//! Figures for people.

use super::figures::{Figure, Figures, Filled, Flush};
use super::rounds::ROUNDS;
use std::fmt::Write;

/// A flush that is faster than this reached a cache, not a disk.
const UNLIKELY_MS: f64 = 0.02;

const REPLAY: &str = "a replay is of one of the 4,096 intents done last, which a handle recalls for ten seconds; a lookup \
                      is of any intent, with nothing recalled";

/// The whole answer, a few lines and one table.
pub fn table(figures: &Figures) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = write_table(&mut text, figures);
    text.truncate(text.trim_end().len());
    text
}

fn write_table(text: &mut String, figures: &Figures) -> std::fmt::Result {
    let place = match (&figures.folder, &figures.file_system) {
        (Some(folder), Some(name)) => format!("in {} ({name})", crate::text::printable(folder)),
        (Some(folder), None) => format!("in {}", crate::text::printable(folder)),
        (None, _) => "in memory".to_owned(),
    };
    writeln!(text, "{place}, {} cores, medians of {ROUNDS} rounds", figures.cores)?;
    if let Some(Flush { latency, .. }) = &figures.flush {
        writeln!(
            text,
            "a flush of the disk takes {:.3} ms, at worst (p99) {:.3} ms",
            latency.p50_ms, latency.p99_ms
        )?;
    }
    let keys = &figures.keys;
    writeln!(text, "a key of {} bytes of JSON takes {:.2} µs", keys.bytes, 1e6 / keys.per_second)?;
    if let Some(filled) = &figures.filled {
        write_filled(text, filled)?;
    }
    writeln!(text, "\ncallers            a second       floor  times  p50 ms  p99 ms")?;
    for measured in &figures.measurements {
        write_row(text, measured.callers, "fresh", &measured.fresh)?;
        write_row(text, measured.callers, "replay", &measured.replay)?;
        write_row(text, measured.callers, "lookup", &measured.lookup)?;
    }
    writeln!(text)?;
    figures.notes.iter().try_for_each(|note| writeln!(text, "{note}"))
}

fn write_row(text: &mut String, callers: usize, kind: &str, figure: &Figure) -> std::fmt::Result {
    let (rate, floor) = (grouped(figure.per_second), grouped(figure.floor_per_second));
    let latency = &figure.latency;
    let times = figure.times_floor;
    writeln!(
        text,
        "{callers:>7}  {kind:<6}  {rate:>10}  {floor:>10}  {times:>5.2}  {:>6.3}  {:>6.3}",
        latency.p50_ms, latency.p99_ms
    )
}

fn write_filled(text: &mut String, filled: &Filled) -> std::fmt::Result {
    let Filled { records, per_second, peak_memory_kib, .. } = filled;
    let mib = |kib: Option<u64>| kib.map_or_else(|| "?".to_owned(), |kib| format!("{} MiB", kib / 1024));
    writeln!(
        text,
        "filled with {records} records, {} a second; memory at most {} after a tenth, {} after all",
        grouped(*per_second),
        mib(peak_memory_kib.at_a_tenth),
        mib(peak_memory_kib.at_the_end)
    )?;
    writeln!(
        text,
        "a claim takes {:.3} ms in it and {:.3} ms in an empty ledger: {:.2} times",
        filled.claim_p50_ms, filled.claim_p50_ms_empty, filled.times_empty
    )
}

/// A whole number with its thousands apart.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a reader has to know to read the figures right.
pub fn notes(store: &str, flush: Option<&Flush>) -> Vec<String> {
    let mut notes: Vec<&str> = match store {
        "memory" => vec![
            "floor of fresh: as many callers that start a task, make a keyed hash (HMAC-SHA256) and write twice to a \
             map with a lock",
            "floor of replay: one look at such a map; a replay reads, compares and decodes a whole record",
            REPLAY,
            "nothing is durable in memory: these figures say nothing about a ledger on disk",
        ],
        _ => vec![
            "floor of fresh: one caller that commits twice for each effect (insert, then update), whatever the number \
             of callers beside it; callers share commits",
            "floor of replay: bare SELECTs by primary key, a thread and a connection for each caller, same table and keys",
            REPLAY,
        ],
    };
    if flush.is_some_and(|flush| flush.latency.p50_ms < UNLIKELY_MS) {
        notes.push(
            "a flush is faster than disks are: it may not reach one, and the figures not hold elsewhere",
        );
    }
    if cfg!(debug_assertions) {
        notes.push("this is a debug build: everything but the disk is several times too slow");
    }
    notes.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0.4), "0");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(1_234_567.8), "1,234,568");
    }
}
