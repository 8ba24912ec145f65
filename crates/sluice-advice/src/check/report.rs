//! What was found, as plain data.

use std::collections::BTreeMap;

/// Everything that recorded deliveries say of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Deliveries that were read.
    pub deliveries: u64,
    /// Those that somebody labelled with their action.
    pub labelled: u64,
    /// Actions among those.
    pub actions: u64,
    /// Deliveries that would have run although their action had run before.
    pub ran_twice: u64,
    /// Actions of which that is true.
    pub actions_twice: u64,
    /// Actions of which no delivery would ever have run, since another action had the key.
    pub never_ran: u64,
    /// Those of them that would have been refused as a key conflict, which somebody hears of.
    pub refused: u64,
    /// Deliveries that would have run again because the key was forgotten by then.
    pub forgotten: u64,
    /// The longest time between the first and the last delivery of one action, in milliseconds.
    pub longest_ms: Option<i64>,
    /// Deliveries without a key, by the reason.
    pub keyless: BTreeMap<String, Keyless>,
    /// One action, several keys.
    pub unstable: Findings,
    /// One key, several actions.
    pub collisions: Findings,
    /// Unlabelled deliveries that look like one action and have several keys.
    pub retries: Findings,
    /// How many keys unlabelled deliveries have that look like different requests.
    pub varying: Findings,
}

/// Deliveries that no key can be derived for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyless {
    /// How many.
    pub count: u64,
    /// The first line.
    pub first_line: u64,
}

/// Groups that are wrong in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// How many groups.
    pub count: u64,
    /// In how many of the groups that were looked into each member was told, with what it means there.
    pub members: BTreeMap<String, u64>,
    /// The members among them that name a boundary, as a tenant does.
    pub boundaries: Vec<String>,
    /// The first groups, each by two of its lines and the members that differ.
    pub examples: Vec<Example>,
}

/// Two deliveries that show a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Their lines.
    pub lines: [u64; 2],
    /// The members that did it.
    pub members: Vec<String>,
    pub(super) offsets: [u64; 2],
}

impl Report {
    /// Returns whether the key would have done damage.
    pub fn has_findings(&self) -> bool {
        self.ran_twice + self.never_ran + self.retries.count > 0 || !self.keyless.is_empty()
    }
}
