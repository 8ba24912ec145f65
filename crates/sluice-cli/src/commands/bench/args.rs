//! What to measure, and for how long.

use clap::Args;
use std::time::Duration;

/// As many as fit into one commit of a ledger; more would only stand in line.
const MOST_CALLERS: usize = 256;
const MOST_NUMBERS: usize = 16;
const SECONDS: std::ops::RangeInclusive<f64> = 0.1..=600.0;

#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Where to measure: sqlite:PATH measures beside that ledger and never touches it, memory: in memory alone;
    /// without it `SLUICE_STORE`, else the default place
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// How many callers at once, one measurement for each number
    #[arg(long, value_name = "N,…", default_value = "1,16,64", value_parser = callers)]
    pub callers: Callers,
    /// Seconds for each measurement, its floor included
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub seconds: Duration,
    /// Fill the scratch ledger with so many records first, and measure claims beside an empty one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=20_000_000))]
    pub records: u64,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
}

/// Numbers of callers, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callers(pub Vec<usize>);

fn callers(text: &str) -> Result<Callers, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|number| (1..=MOST_CALLERS).contains(number));
    let numbers: Option<Vec<_>> = text.split(',').map(number).collect();
    numbers
        .filter(|numbers| numbers.len() <= MOST_NUMBERS)
        .map(Callers)
        .ok_or_else(|| format!("at most {MOST_NUMBERS} numbers from 1 to {MOST_CALLERS}, as in 1,16,64"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| SECONDS.contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("a number from {} to {}", SECONDS.start(), SECONDS.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_callers_are_small_positive_and_few() {
        assert_eq!(callers("1, 16,64"), Ok(Callers(vec![1, 16, 64])));
        for bad in ["", "0", "1,", "two", "100000", "-1", "1;2", "1.5"] {
            assert!(callers(bad).is_err(), "{bad:?}");
        }
        assert!(callers(&["1"; 17].join(",")).is_err());
    }

    #[test]
    fn seconds_are_a_sensible_number() {
        assert_eq!(seconds("0.2"), Ok(Duration::from_millis(200)));
        for bad in ["0", "-1", "NaN", "inf", "1e300", "601", "", "five"] {
            assert!(seconds(bad).is_err(), "{bad:?}");
        }
    }
}
