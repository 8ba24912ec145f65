//! How did the last calls end?

use super::circuit::Generation;
use serde::{Deserialize, Serialize};

/// How many outcomes are looked at.
const SIZE: u32 = 20;

/// The last 20 outcomes that were seen in one generation of a circuit.
///
/// ```
/// use sluice_core::breaker::{Generation, Window};
/// let mut window = Window::default();
/// for failed in [true, false, true] {
///     window.note(Generation(0), failed);
/// }
/// assert_eq!((window.failures(), window.outcomes()), (2, 3));
/// window.note(Generation(1), true);
/// assert_eq!((window.failures(), window.outcomes()), (1, 1), "a new generation begins anew");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    generation: Generation,
    /// The newest outcome is the lowest bit; a failure is 1.
    bits: u32,
    outcomes: u32,
}

impl Window {
    /// Notes an outcome of that generation. One of an older generation than was seen last is late and not noted.
    pub fn note(&mut self, generation: Generation, failed: bool) {
        if generation < self.generation {
            return;
        }
        if generation > self.generation {
            *self = Self { generation, ..Self::default() };
        }
        self.bits = ((self.bits << 1) | u32::from(failed)) & ((1 << SIZE) - 1);
        self.outcomes = self.outcomes.saturating_add(1).min(SIZE);
    }

    /// Of which generation the outcomes are.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Whether the newest outcome was a failure.
    pub fn ends_in_failure(&self) -> bool {
        self.bits & 1 == 1
    }

    /// How many of the last outcomes were failures.
    pub fn failures(&self) -> u32 {
        (self.bits & ((1 << SIZE) - 1)).count_ones().min(self.outcomes())
    }

    /// How many outcomes are known, at most 20.
    pub fn outcomes(&self) -> u32 {
        self.outcomes.min(SIZE)
    }
}
