//! What does a status mean, unless it is said otherwise for a target?

use crate::downstream::{Profile, Said};
use crate::failure::FailureClass;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use thiserror::Error;

/// What an answer means for the effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// It happened.
    Success,
    /// It did not happen, and asking again would fail again.
    Permanent,
    /// It did not happen, and asking again may work.
    Transient,
    /// It was never begun.
    NotStarted,
    /// It may have happened.
    Unknown,
}

impl Meaning {
    /// The class of a failure with this meaning; none for a success.
    pub fn class(self) -> Option<FailureClass> {
        match self {
            Self::Success => None,
            Self::Permanent => Some(FailureClass::Permanent),
            Self::Transient => Some(FailureClass::Transient),
            Self::NotStarted => Some(FailureClass::NotStarted),
            Self::Unknown => Some(FailureClass::Unknown),
        }
    }
}

/// One line of the table: some statuses, what they mean, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first and the last status.
    pub statuses: RangeInclusive<u16>,
    /// What they mean.
    pub meaning: Meaning,
    /// Why.
    pub why: &'static str,
}

const fn row(from: u16, to: u16, meaning: Meaning, why: &'static str) -> Row {
    Row { statuses: from..=to, meaning, why }
}

/// What statuses mean where nothing else is said. The first line that has a status counts; one that no line has is
/// unknown.
pub const DEFAULTS: [Row; 12] = [
    row(200, 299, Meaning::Success, "it happened"),
    row(
        307,
        307,
        Meaning::Transient,
        "it was not performed here; the address is to be corrected, or comes back",
    ),
    row(
        308,
        308,
        Meaning::Permanent,
        "it was not performed here, and never will be; the address is to be corrected",
    ),
    row(401, 401, Meaning::Transient, "it was not let in; the credential is to be corrected"),
    row(403, 403, Meaning::Transient, "it was not let in; the right is to be given"),
    row(407, 407, Meaning::Transient, "a proxy did not let it out"),
    row(
        408,
        409,
        Meaning::Unknown,
        "408: the server waited, for what is not said; 409: a request with the same key may run now",
    ),
    row(425, 425, Meaning::Unknown, "it may be replayed by whoever took it early"),
    row(429, 429, Meaning::Transient, "it was turned away before anything was done"),
    row(499, 499, Meaning::Unknown, "a gateway saw us go while the request was on its way"),
    row(400, 498, Meaning::Permanent, "the target refused the request itself"),
    row(
        0,
        u16::MAX,
        Meaning::Unknown,
        "no final answer of the target to this request, or none that says what happened",
    ),
];

/// What the answers of one target mean.
///
/// ```
/// use sluice_core::http::{Meaning, Table};
/// let table = Table::default().with(404..=404, Meaning::Transient);
/// assert_eq!(table.meaning(404), Meaning::Transient);
/// assert_eq!(table.meaning(402), Meaning::Permanent);
/// assert_eq!(table.meaning(999), Meaning::Unknown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    rules: Vec<(RangeInclusive<u16>, Meaning)>,
    pub(super) mismatch: Option<Said>,
    pub(super) proves_not_landed: Vec<Said>,
    pub(super) answers_in_json: bool,
}

impl Default for Table {
    fn default() -> Self {
        Self { rules: Vec::new(), mismatch: None, proves_not_landed: Vec::new(), answers_in_json: true }
    }
}

impl Table {
    /// The table for a target: its profile says which answers mean "same key, other parameters", and which prove that
    /// nothing landed.
    pub fn for_target(profile: &Profile) -> Self {
        Self {
            mismatch: profile.mismatch.clone(),
            proves_not_landed: profile.proves_not_landed.clone(),
            ..Self::default()
        }
    }

    /// Says what some statuses mean. What is said later counts.
    #[must_use]
    pub fn with(mut self, statuses: RangeInclusive<u16>, meaning: Meaning) -> Self {
        self.rules.push((statuses, meaning));
        self
    }

    /// Says that the target's own answers are pages, so that a page is no sign of something on the way to it.
    #[must_use]
    pub fn with_pages(mut self) -> Self {
        self.answers_in_json = false;
        self
    }

    /// Says what statuses mean as settings write it: `409`, `4xx` or `500-504` with a meaning. The narrower one counts.
    ///
    /// # Errors
    /// [`TableError`] with what cannot be read.
    ///
    /// ```
    /// use sluice_core::http::{Meaning, Table};
    /// let rules = serde_json::from_str(r#"{"5xx": "unknown", "503": "transient", "400-401": "permanent"}"#)?;
    /// let table = Table::default().with_rules(&rules).unwrap();
    /// assert_eq!([503, 500, 401].map(|s| table.meaning(s)), [Meaning::Transient, Meaning::Unknown, Meaning::Permanent]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn with_rules(mut self, rules: &BTreeMap<String, Meaning>) -> Result<Self, TableError> {
        let mut read = Vec::new();
        for (written, meaning) in rules {
            let statuses = statuses(written).ok_or_else(|| TableError { written: written.clone() })?;
            read.push((statuses, *meaning));
        }
        read.sort_by_key(|(statuses, _)| std::cmp::Reverse(statuses.end() - statuses.start()));
        self.rules.extend(read);
        Ok(self)
    }

    /// What was said for this target.
    pub(super) fn said(&self, status: u16) -> Option<Meaning> {
        self.rules.iter().rev().find_map(|(statuses, meaning)| statuses.contains(&status).then_some(*meaning))
    }

    /// What a status means by itself.
    pub fn meaning(&self, status: u16) -> Meaning {
        let default = || DEFAULTS.iter().find(|row| row.statuses.contains(&status)).map(|row| row.meaning);
        self.said(status).or_else(default).unwrap_or(Meaning::Unknown)
    }
}

/// A setting that names no statuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{written:?} names no statuses: write 409, 4xx or 500-504")]
pub struct TableError {
    /// What was written.
    pub written: String,
}

fn statuses(written: &str) -> Option<RangeInclusive<u16>> {
    if let Some(hundreds) = written.strip_suffix("xx") {
        let first = number(hundreds, 1)? * 100;
        return Some(first..=first + 99);
    }
    match written.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (number(first, 3)?, number(last, 3)?);
            (first <= last).then_some(first..=last)
        }
        None => number(written, 3).map(|status| status..=status),
    }
}

fn number(digits: &str, length: usize) -> Option<u16> {
    let is_number = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}
