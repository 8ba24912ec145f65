//! A delivery that may run what nobody knows, but not yet: something of the last holder may still act.

use super::delivery::Delivery;
use crate::sluice::Sluice;
use sluice_core::decide::NotYet;
use std::time::Duration;

/// First pause between two looks.
const LOOK_FIRST: Duration = Duration::from_millis(50);
/// Longest pause between two looks; somebody may settle the record meanwhile.
const LOOK_LONGEST: Duration = Duration::from_secs(2);

/// How long a delivery has looked already.
pub(super) struct Hold {
    pause: Duration,
}

impl Hold {
    pub fn new() -> Self {
        Self { pause: LOOK_FIRST }
    }

    /// Waits until it makes sense to arrive again; false where the delivery's patience ends first.
    pub async fn pass(&mut self, sluice: &Sluice, delivery: &Delivery, not_yet: NotYet) -> bool {
        let left = delivery.patience(sluice);
        let needed = match not_yet {
            NotYet::Quiet(left) => left,
            NotYet::Alive(_) => Duration::ZERO,
        };
        if left.is_zero() {
            return false;
        }
        let jitter = 0.5 + sluice.inner.ports.chance.sample();
        let pause = self.pause.mul_f64(jitter);
        self.pause = (self.pause * 2).min(LOOK_LONGEST);
        // The last look comes right when the quiet period is over, and not a pause later.
        let pause = if needed.is_zero() { pause } else { pause.min(needed) };
        sluice.inner.ports.sleep.sleep(pause.min(left)).await;
        true
    }
}
