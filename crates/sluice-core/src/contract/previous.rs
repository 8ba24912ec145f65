//! How was a key derived before?

use super::Contract;
use super::path::MemberPath;
use crate::record::LedgerTime;
use crate::retention;
use std::time::Duration;

/// A tenth more than asked for, at most a day: clocks of machines are not the ledger's.
const MARGIN: Duration = Duration::from_hours(24);

/// A derivation that was in use before; what it does not say is as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Previous {
    /// The effect's name.
    pub effect: Option<String>,
    /// The members of the identity.
    pub identity: Option<Vec<MemberPath>>,
    /// The members of the scope.
    pub scope: Option<Vec<MemberPath>>,
    /// The key that sensitive members were hashed with.
    pub identity_key: Option<String>,
    /// When the last process stopped deriving keys so. Without it the derivation is looked up for good.
    pub replaced_at: Option<LedgerTime>,
    /// How long intents were remembered then, where that was longer than now.
    pub remember: Option<Duration>,
}

impl Previous {
    /// Returns when nothing that was derived so can be remembered any more.
    pub fn over_at(&self, contract: &Contract) -> Option<LedgerTime> {
        let remember = self.remember.unwrap_or_default().max(contract.remember);
        self.replaced_at.map(|at| retention::later(at, remember.saturating_add(MARGIN)))
    }

    /// Returns whether an intent of that time may still be delivered.
    pub fn is_needed(&self, contract: &Contract, now: LedgerTime) -> bool {
        self.over_at(contract).is_none_or(|over| now < over)
    }
}
