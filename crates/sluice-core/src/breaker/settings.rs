//! When does a circuit open, and for how long?

use crate::retry::Backoff;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// No circuit refuses for longer than this, whatever its settings and whatever clocks have done since it opened.
pub(super) const LONGEST: Duration = Duration::from_hours(1);

/// The settings of a circuit.
///
/// ```
/// use sluice_core::breaker::BreakerSettings;
/// use std::time::Duration;
/// let settings = BreakerSettings::default();
/// assert_eq!(settings.open_for(0, 0.5), Duration::from_secs(30));
/// assert_eq!(settings.open_for(0, 0.0), Duration::from_secs(24));
/// assert_eq!(settings.open_for(2, 0.5), Duration::from_secs(120));
/// assert_eq!(settings.open_for(9, 0.5), Duration::from_secs(300));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerSettings {
    /// How many outcomes have to be known before it opens; at most 20 are looked at.
    pub least_outcomes: u32,
    /// At how many failures of a hundred outcomes it opens.
    pub failures_percent: u32,
    /// How long it is open the first time, before a probe; a fifth more or less by chance.
    #[serde(rename = "open_ms", with = "crate::duration")]
    pub open: Duration,
    /// The longest that it is open, however many probes fail; a fifth more or less by chance.
    #[serde(rename = "open_ms_max", with = "crate::duration")]
    pub open_max: Duration,
    /// How long a probe has before another one may be sent instead.
    #[serde(rename = "probe_ms", with = "crate::duration")]
    pub probe: Duration,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            least_outcomes: 5,
            failures_percent: 50,
            open: Duration::from_secs(30),
            open_max: Duration::from_mins(5),
            probe: Duration::from_mins(1),
        }
    }
}

impl BreakerSettings {
    /// How long a circuit is open after that many failed probes: 80 % to 120 % of a time that doubles with each, by the
    /// sample of [0, 1). Never nothing, and never longer than an hour.
    pub fn open_for(&self, failed_probes: u32, sample: f64) -> Duration {
        let doubling = Backoff { base: self.open, cap: self.open_max.min(LONGEST), tries: 1 };
        let time = doubling.ceiling(failed_probes);
        let spread = Backoff { base: time * 2 / 5, cap: LONGEST, tries: 1 }.delay(0, sample);
        bounded(time * 4 / 5 + spread)
    }

    /// How long a probe has.
    pub(super) fn probe_for(&self) -> Duration {
        bounded(self.probe)
    }
}

/// Times are stored in milliseconds, and one of none would open and close a circuit in the same moment.
fn bounded(time: Duration) -> Duration {
    time.clamp(Duration::from_millis(1), LONGEST)
}
