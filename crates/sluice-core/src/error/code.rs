//! The stable codes, and what each of them means for the caller.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A stable name for a kind of error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The frozen name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The key belongs to a different request.
    KeyConflict = "E_KEY_CONFLICT",
    /// It was delivered before, and this delivery asked to be told so.
    Duplicate = "E_DUPLICATE",
    /// It runs elsewhere, and this delivery asked not to wait.
    InFlight = "E_IN_FLIGHT",
    /// Nobody knows whether it happened.
    Indeterminate = "E_INDETERMINATE",
    /// It did not happen and would fail again.
    EffectFailed = "E_EFFECT_FAILED",
    /// It did not happen; the next delivery may run it.
    Released = "E_RELEASED",
    /// The delivery is older than the ledger remembers.
    TooLate = "E_TOO_LATE",
    /// The target is in trouble and nothing was tried.
    CircuitOpen = "E_CIRCUIT_OPEN",
    /// No more retries are allowed at the moment.
    RetryBudget = "E_RETRY_BUDGET",
    /// The time given was over before it could run.
    Deadline = "E_DEADLINE",
    /// The right to execute ended.
    LeaseLost = "E_LEASE_LOST",
    /// A person said no.
    GateRejected = "E_GATE_REJECTED",
    /// Nobody decided in time.
    GateTimeout = "E_GATE_TIMEOUT",
    /// Another decision stands.
    GateConflict = "E_GATE_CONFLICT",
    /// It still runs elsewhere; this delivery waited as long as it was told to.
    WaitTimeout = "E_WAIT_TIMEOUT",
    /// A decision's token does not fit.
    BadToken = "E_BAD_TOKEN",
    /// The key is not a key.
    InvalidKey = "E_INVALID_KEY",
    /// The input is not what it has to be.
    InvalidInput = "E_INVALID_INPUT",
    /// The ledger is in trouble.
    Store = "E_STORE",
    /// The settings are wrong.
    Config = "E_CONFIG",
}

impl Code {
    /// Whether the same delivery may simply be sent again.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::InFlight
                | Self::Released
                | Self::CircuitOpen
                | Self::RetryBudget
                | Self::Deadline
                | Self::LeaseLost
                | Self::WaitTimeout
                | Self::Store
        )
    }

    /// Whether the code means that no execution of the intent took hold.
    ///
    /// A ledger in trouble and a conflict say nothing of earlier deliveries, so they do not count.
    pub fn did_not_happen(self) -> bool {
        matches!(
            self,
            Self::EffectFailed | Self::Released | Self::RetryBudget | Self::GateRejected | Self::GateTimeout
        )
    }

    /// What to do next, in one sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::KeyConflict => "Use a new key for a new request; the first one is untouched.",
            Self::Duplicate => "It was delivered before; look at the record before you do anything.",
            Self::InFlight | Self::WaitTimeout => "Ask again later; nothing was run for this delivery.",
            Self::Indeterminate => "Do not repeat it by hand: find out whether it happened, then say so.",
            Self::EffectFailed => "It did not happen; the same request would fail again.",
            Self::Released => "It did not happen; deliver it again.",
            Self::TooLate => "Nothing was run; check whether it was done before you send it anew.",
            Self::CircuitOpen | Self::RetryBudget => "Nothing was run; deliver it again later.",
            Self::Deadline => "Deliver it again with more time.",
            Self::LeaseLost => "Start nothing more; another delivery may hold it now.",
            Self::GateRejected | Self::GateTimeout => "Nothing was run.",
            Self::GateConflict => "The first decision stands.",
            Self::BadToken => "Open the request anew; nothing was decided.",
            Self::InvalidKey | Self::InvalidInput => "Nothing was run; correct the input.",
            Self::Store => "Nothing was run for this delivery; see to the ledger, then deliver it again.",
            Self::Config => "Nothing was run; correct the settings.",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_neither_retryable_nor_a_no() {
        assert!(!Code::Indeterminate.is_retryable());
        assert!(!Code::Indeterminate.did_not_happen());
    }

    #[test]
    fn every_code_has_its_own_name_and_an_advice_that_is_a_sentence() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 20);
        assert!(Code::ALL.iter().all(|code| code.advice().ends_with('.')));
    }
}
