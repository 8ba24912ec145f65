//! How long is the wait before a further try?

use serde::{Deserialize, Deserializer, Serialize};
use std::time::Duration;

/// A sample has this many bits; so has the mantissa of a double.
const SAMPLE_BITS: u32 = 53;
const NS_PER_S: u128 = 1_000_000_000;

/// How often an effect is tried under one claim, and how long is waited in between.
///
/// The wait is drawn evenly from nothing up to a ceiling that doubles with every retry ("full jitter"), so that many
/// callers that failed in the same moment do not come back in the same moment.
///
/// ```
/// use sluice_core::retry::Backoff;
/// let backoff: Backoff = serde_json::from_str(r#"{"base_ms": 100}"#)?;
/// assert_eq!((backoff.cap.as_secs(), backoff.tries), (10, 3));
/// assert!(serde_json::from_str::<Backoff>(r#"{"tries": 0}"#).is_err(), "the first attempt counts");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backoff {
    /// The ceiling of the wait before the first retry.
    #[serde(rename = "base_ms", with = "crate::duration")]
    pub base: Duration,
    /// The largest ceiling.
    #[serde(rename = "cap_ms", with = "crate::duration")]
    pub cap: Duration,
    /// How many attempts there are, the first one included; at least 1, and 0 counts as 1.
    #[serde(deserialize_with = "at_least_one")]
    pub tries: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { base: Duration::from_millis(200), cap: Duration::from_secs(10), tries: 3 }
    }
}

impl Backoff {
    /// The wait before that retry, 0 being the first one: `sample` of the way to [`Backoff::ceiling`].
    ///
    /// The sample is one of [0, 1). What lies outside is taken for the nearest one inside, and what is no number for
    /// the largest: a broken source of chance must not make anybody hammer a target.
    ///
    /// ```
    /// use sluice_core::retry::Backoff;
    /// use std::time::Duration;
    /// let backoff = Backoff::default();
    /// assert_eq!(backoff.delay(0, 0.5), Duration::from_millis(100));
    /// assert_eq!(backoff.delay(2, 0.5), Duration::from_millis(400));
    /// assert_eq!(backoff.delay(u32::MAX, 0.5), Duration::from_secs(5));
    /// ```
    pub fn delay(&self, retry: u32, sample: f64) -> Duration {
        let ceiling = self.ceiling(retry).as_nanos();
        let share = share(sample);
        // Split, so that no product is longer than 128 bits; together the parts are rounded down exactly once.
        let (high, low) = (ceiling >> SAMPLE_BITS, ceiling & ((1 << SAMPLE_BITS) - 1));
        from_nanos(high * share + ((low * share) >> SAMPLE_BITS))
    }

    /// The end of the range that the wait before that retry is drawn from: `base`, doubled that often, at most `cap`.
    pub fn ceiling(&self, retry: u32) -> Duration {
        let factor = 1_u128.checked_shl(retry).unwrap_or(u128::MAX);
        from_nanos(self.base.as_nanos().saturating_mul(factor).min(self.cap.as_nanos()))
    }

    /// Whether no attempt may follow the one with this number, 1 being the first.
    pub fn is_last(&self, attempt: u32) -> bool {
        attempt >= self.tries
    }
}

/// A sample in units of 2^-53, below 2^53.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast to an integer clamps, which is what is wanted"
)]
fn share(sample: f64) -> u128 {
    let most = (1_u64 << SAMPLE_BITS) - 1;
    let share = if sample.is_nan() { most } else { (sample * 2_f64.powi(53)) as u64 };
    u128::from(share.min(most))
}

/// Never longer than the duration that the nanoseconds were computed from.
fn from_nanos(nanos: u128) -> Duration {
    let seconds = u64::try_from(nanos / NS_PER_S).unwrap_or(u64::MAX);
    Duration::new(seconds, u32::try_from(nanos % NS_PER_S).unwrap_or(0))
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let refused = || serde::de::Error::custom("tries counts the first attempt and is at least 1");
    u32::deserialize(deserializer).and_then(|tries| if tries == 0 { Err(refused()) } else { Ok(tries) })
}
