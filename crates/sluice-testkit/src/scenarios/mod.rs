//! Named worlds: each plays one kind of fault, with whatever the seed draws around it.

mod parts;
mod plans;

pub(crate) use plans::{any_mishap, weather};

use crate::world::Plan;

macro_rules! scenarios {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $plan:path;)*) => {
        /// A kind of world.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Scenario { $($(#[$doc])* $name,)* }

        impl Scenario {
            /// Every kind whose rules exist.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// One such world.
            pub fn plan(self, seed: u64) -> Plan {
                match self { $(Self::$name => $plan(seed),)* }
            }
        }
    };
}

scenarios! {
    /// The same delivery many times at once, and later (F1).
    DuplicateDelivery = "duplicate-delivery", plans::duplicate_delivery;
    /// The effect landed, and its answer came too late (F2).
    TimeoutThenSuccess = "timeout-then-success", plans::timeout_then_success;
    /// Death before the effect acted, marked or not (F4).
    CrashBeforeEffect = "crash-before-effect", plans::crash_before_effect;
    /// Death after the effect acted, before its record (F3).
    CrashMidEffect = "crash-mid-effect", plans::crash_mid_effect;
    /// Host clocks that run fast and slow, and a ledger's wall clock that steps (F8).
    ClockSkew = "clock-skew", plans::clock_skew;
    /// A target so slow that leases are renewed many times.
    SlowDownstream = "slow-downstream", plans::slow_downstream;
    /// A holder that was stopped past its lease and comes back (F13).
    ZombieHolder = "zombie-holder", plans::zombie_holder;
    /// A process that died while its request was on its way.
    Orphan = "orphan", plans::orphan;
    /// A whole host that was suspended.
    SuspendedHost = "suspended-host", plans::suspended_host;
    /// A claim whose answer was lost (F14).
    LostClaimAnswer = "lost-claim-answer", plans::lost_claim_answer;
    /// A claim that came twice (F14).
    DoubledClaim = "doubled-claim", plans::doubled_claim;
    /// The ledger is away, before or after the claim (F11).
    StoreOutage = "store-outage", plans::store_outage;
    /// A person said that it did not land, and then it had (RULINGS 39).
    WrongVerdict = "wrong-verdict-then-late-success", plans::wrong_verdict;
    /// A failure after an unknown attempt: it must not turn into "did not happen".
    Laundering = "laundering", plans::laundering;
    /// Many intents at a target that fails and stays silent (F7).
    RetryStorm = "retry-storm", plans::retry_storm;
    /// A target that is down for hours, and many who want something of it.
    Outage = "outage", plans::outage;
    /// A target that forgets keys before the ledger does (F15).
    TargetForgets = "target-forgets", plans::target_forgets;
    /// A target that gives a refusal once more where its key comes again.
    TargetReplaysFailures = "target-replays-failures", plans::target_replays_failures;
    /// A key that is used for something else (F9).
    KeyReuse = "key-reuse", plans::key_reuse;
    /// Duplicates around the time at which a record is forgotten.
    RetentionBoundary = "retention-boundary", plans::retention_boundary;
    /// Everything at once.
    Mixed = "mixed", plans::mixed;
}

impl Scenario {
    /// Kinds whose rules do not exist yet; they arrive with them.
    pub const MISSING: &[&str] =
        &["crash-mid-gate", "out-of-order-decision", "derivation-change", "lost-writes", "rolling-upgrade"];

    /// Reads [`Scenario::as_str`] back.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scenario| scenario.as_str() == name)
    }
}
