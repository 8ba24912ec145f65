//! What was found, and what follows for each question.

use crate::contract::Contract;

/// What is asked of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// Will a timeout and a retry bring exactly the same key?
    Stability,
    /// Can two legitimate actions share it?
    Uniqueness,
    /// Is it unique within the right tenant, account or workflow?
    Scope,
    /// How long can a duplicate arrive, and how long is the key remembered?
    Lifetime,
    /// Does it tell about people?
    Privacy,
    /// Does the target's own contract fit?
    Downstream,
}

impl Question {
    /// Every question.
    pub const ALL: [Self; 6] =
        [Self::Stability, Self::Uniqueness, Self::Scope, Self::Lifetime, Self::Privacy, Self::Downstream];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stability => "stability",
            Self::Uniqueness => "uniqueness",
            Self::Scope => "scope",
            Self::Lifetime => "lifetime",
            Self::Privacy => "privacy",
            Self::Downstream => "downstream",
        }
    }
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Info,
    /// It may be meant; somebody should say so.
    Warning,
    /// It will do damage.
    Error,
}

impl Severity {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name, which never changes.
    pub id: &'static str,
    /// Which question it is about.
    pub question: Question,
    /// How much it weighs.
    pub severity: Severity,
    /// The members it is about, as written; empty for the contract as a whole.
    pub members: Vec<String>,
    /// Why it was found.
    pub reason: String,
    /// What to write instead.
    pub instead: String,
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against it.
    Ok,
    /// Something does.
    Problem,
    /// Nobody can say before this is declared.
    Declare(&'static str),
}

/// Everything that was found in one contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// The effect.
    pub effect: String,
    /// What was found, the heaviest first.
    pub findings: Vec<Finding>,
    undeclared: Vec<(Question, &'static str)>,
}

impl Lint {
    pub(super) fn new(effect: &str, contract: Option<&Contract>, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.question));
        Self { effect: effect.to_owned(), findings, undeclared: contract.map(undeclared).unwrap_or_default() }
    }

    /// Returns the answer to a question.
    pub fn verdict(&self, question: Question) -> Verdict {
        let is_problem =
            |finding: &Finding| finding.question == question && finding.severity != Severity::Info;
        if self.findings.iter().any(is_problem) {
            return Verdict::Problem;
        }
        let declare = self.undeclared.iter().find(|(about, _)| *about == question);
        declare.map_or(Verdict::Ok, |(_, what)| Verdict::Declare(what))
    }

    /// Returns whether something found is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Returns whether something found is a warning or an error.
    pub fn has_warnings(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity != Severity::Info)
    }
}

fn undeclared(contract: &Contract) -> Vec<(Question, &'static str)> {
    let mut missing = Vec::new();
    if contract.one.is_none() || contract.for_each.is_none() {
        missing.push((Question::Uniqueness, "one and for_each: there should be one … for each …"));
    }
    if contract.ids_unique_in.is_none() && contract.scope.is_empty() {
        missing.push((Question::Scope, "ids_unique_in: within what the ids of the identity are unique"));
    }
    if contract.duplicates_arrive_within.is_none() {
        missing.push((Question::Lifetime, "duplicates_arrive_within: how long the sender may deliver again"));
    }
    if contract.downstream.is_none() {
        missing.push((Question::Downstream, "downstream: what the target does with keys, if it takes any"));
    }
    missing
}
