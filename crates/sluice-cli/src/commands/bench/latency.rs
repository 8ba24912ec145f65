//! How long single calls took, in room that does not grow with their number.

use std::time::Duration;

/// Each power of two is cut into so many parts, so that a figure is off by at most 2 %.
const PARTS: u64 = 32;
const PARTS_BITS: u32 = PARTS.trailing_zeros();

/// Counts of calls by how long they took.
#[derive(Clone, Debug)]
pub struct Latencies {
    counts: Vec<u64>,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { counts: vec![0; part(u64::MAX) + 1] }
    }
}

impl Latencies {
    pub fn add(&mut self, took: Duration) {
        self.counts[part(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))] += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The time that this percentage of the calls did not exceed; zero where there were none.
    pub fn percentile(&self, percent: u64) -> Duration {
        let all: u64 = self.counts.iter().sum();
        let wanted = all.saturating_mul(percent).div_ceil(100);
        let mut seen = 0;
        let at = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted && seen > 0
        });
        at.map_or(Duration::ZERO, |at| Duration::from_nanos(middle(at as u64)))
    }
}

fn part(ns: u64) -> usize {
    let doubled = (u64::BITS - ns.leading_zeros()).saturating_sub(PARTS_BITS + 1);
    let within = ns >> doubled;
    usize::try_from(u64::from(doubled) * PARTS + within).unwrap_or(usize::MAX)
}

fn middle(part: u64) -> u64 {
    let doubled = (part / PARTS).saturating_sub(1);
    let within = part - doubled * PARTS;
    let width = 1_u64 << doubled;
    within.saturating_mul(width).saturating_add(width / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_part_whose_middle_is_near_it() {
        for ns in (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) + (1 << bit) / 3]) {
            let middle = middle(part(ns) as u64);
            assert!(middle.abs_diff(ns) <= ns / 50 + 1, "{ns} {middle}");
        }
    }

    #[test]
    fn percentiles_count_calls() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(99), Duration::ZERO);
        for ns in 1..=20 {
            latencies.add(Duration::from_nanos(ns));
        }
        let mut merged = Latencies::default();
        merged.merge(&latencies);
        assert_eq!(merged.percentile(50), Duration::from_nanos(10));
        assert_eq!(merged.percentile(99), Duration::from_nanos(20));
    }
}
