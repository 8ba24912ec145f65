//! Chance with a seed: the same seed draws the same numbers, for ever.

use sluice_core::ports::Chance;
use std::sync::Mutex;
use std::time::Duration;

/// A small generator (`SplitMix64`). Not for secrets.
///
/// ```
/// use sluice_testkit::world::Dice;
/// let (mut one, mut other) = (Dice::new(7), Dice::new(7));
/// assert_eq!(one.below(1000), other.below(1000));
/// ```
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts from this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own, so that one part of a plan draws the same whatever another part draws.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.bits())
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number of [0, `bound`); 0 for no bound at all.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.bits() % bound }
    }

    /// A number of both ends and what lies between.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// True so many times of a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A time between these, in milliseconds.
    pub fn ms(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(self.between(least, most))
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or_default();
        &all[at]
    }
}

/// Seeded chance as a port.
#[derive(Debug)]
pub struct SeededChance(Mutex<Dice>);

impl SeededChance {
    /// Starts from this seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Dice::new(seed)))
    }
}

impl Chance for SeededChance {
    fn bits(&self) -> [u8; 16] {
        let mut dice = super::lock(&self.0);
        let (high, low) = (dice.bits(), dice.bits());
        (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
    }
}
