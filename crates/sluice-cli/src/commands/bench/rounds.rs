//! Subject and floor in turns, so that whatever else runs on the machine slows both alike.

use super::figures::{Figure, Percentiles, Round};
use super::latency::Latencies;
use super::load::Pace;
use crate::report::Fail;

/// Odd, so that the median is a figure that was seen.
pub const ROUNDS: u32 = 5;

/// Runs both in turns and takes medians: of the rates, and of each round's ratio.
pub fn beside(
    mut subject: impl FnMut() -> Result<Pace, Fail>,
    mut floor: impl FnMut() -> Result<Pace, Fail>,
) -> Result<Figure, Fail> {
    let (mut rounds, mut latencies, mut claims) = (Vec::new(), Latencies::default(), Latencies::default());
    for _ in 0..ROUNDS {
        let pace = subject()?;
        let below = floor()?.per_second();
        latencies.merge(&pace.latencies);
        claims.merge(&pace.claims);
        let per_second = pace.per_second();
        rounds.push(Round { per_second, floor_per_second: below, times_floor: per_second / below });
    }
    Ok(Figure {
        per_second: median(rounds.iter().map(|round| round.per_second)),
        floor_per_second: median(rounds.iter().map(|round| round.floor_per_second)),
        times_floor: median(rounds.iter().map(|round| round.times_floor)),
        latency: Percentiles::of(&latencies),
        claim: Percentiles::of(&claims).filled(),
        rounds,
    })
}

pub fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<_> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::time::Duration;

    #[test]
    fn subject_and_floor_take_turns_and_medians_count() {
        let order = RefCell::new(String::new());
        let pace = |calls| Pace { calls, took: Duration::from_secs(1), ..Pace::default() };
        let subjects = RefCell::new([9, 1, 2, 3, 100].into_iter());
        let figure = beside(
            || {
                order.borrow_mut().push('s');
                Ok(pace(subjects.borrow_mut().next().unwrap()))
            },
            || {
                order.borrow_mut().push('f');
                Ok(pace(10))
            },
        )
        .unwrap();
        assert_eq!(order.into_inner(), "sfsfsfsfsf");
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-9;
        assert!(near(figure.per_second, 3.0) && near(figure.times_floor, 0.3), "{figure:?}");
    }
}
