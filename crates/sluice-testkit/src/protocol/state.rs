//! Everything that can differ between two moments of a modelled world.

use super::compact::{Rec, Word};
use super::edit::Edit;

/// One moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// What the ledger holds, intent by intent.
    pub rows: Vec<Row>,
    /// What really happened, which no rule and no process can see.
    pub truth: Vec<Truth>,
    pub workers: Vec<Worker>,
    /// Requests that have not reached the ledger.
    pub wire: Vec<Request>,
    /// Words that a process could not deliver and left behind for a later one.
    pub spool: Vec<Spooled>,
    pub left: Left,
}

/// What the ledger holds of one intent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub record: Option<Rec>,
    pub lease: Phase,
    /// Claims that were granted before the newest, with their epochs.
    pub filed: Vec<(u8, u8)>,
}

/// As much of time as any rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Phase {
    Live,
    Ended,
    /// It has been over for as long as a holder might still send something.
    Quiet,
    /// It ended at a reboot; nobody can say how long ago.
    Reboot,
}

/// What really happened to one intent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Truth {
    pub grants: Vec<Grant>,
    /// Whether somebody gave a false or forced verdict, after which the record need not be true.
    pub lied: bool,
}

/// One execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Grant {
    pub claim: u8,
    pub epoch: u8,
    /// Whether its lease runs, on its holder's own clock.
    pub live: bool,
    pub target: Target,
    /// Whether the ledger was told of its success, by its holder or by a true verdict.
    pub told: bool,
}

/// What the target knows of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Target {
    Untouched,
    /// Begun; it may land at any moment.
    UnderWay,
    Landed,
    /// It did not land and never will.
    Missed,
}

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Worker {
    Idle,
    /// It asked for a claim. `waits` is false where it gave up on the answer.
    Asking {
        intent: u8,
        claim: u8,
        edit: Edit,
        waits: bool,
    },
    /// It was granted one. `waits`: for the answer to its mark.
    Holding {
        intent: u8,
        claim: u8,
        epoch: u8,
        waits: bool,
        stop: bool,
        overdue: bool,
    },
    /// It knows how its execution ended, and has to tell the ledger.
    Speaking {
        intent: u8,
        claim: u8,
        epoch: u8,
        word: Word,
        waits: bool,
    },
}

/// A write on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Request {
    pub intent: u8,
    /// Whose process waits for the answer, by its claim.
    pub heard_by: Option<u8>,
    pub cause: Cause,
    pub edit: Edit,
}

/// Why a change is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cause {
    Claim,
    Mark,
    Word(u8, Word),
    Lapse,
    Verdict { epoch: u8, landed: bool, lie: bool },
    Reopen,
}

/// An outcome that waits for a later process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spooled {
    pub intent: u8,
    pub claim: u8,
    pub epoch: u8,
    pub word: Word,
}

/// What may still go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Left {
    pub deliveries: u8,
    pub crashes: u8,
    pub reboots: u8,
    pub faults: u8,
    pub lies: u8,
}

impl Worker {
    /// The claim that it asks for, holds or speaks for.
    pub fn claim(&self) -> Option<u8> {
        match self {
            Self::Idle => None,
            Self::Asking { claim, .. } | Self::Holding { claim, .. } | Self::Speaking { claim, .. } => {
                Some(*claim)
            }
        }
    }

    /// The intent it is busy with.
    pub fn intent(&self) -> Option<u8> {
        match self {
            Self::Idle => None,
            Self::Asking { intent, .. } | Self::Holding { intent, .. } | Self::Speaking { intent, .. } => {
                Some(*intent)
            }
        }
    }

    /// Stops waiting for an answer.
    pub fn unheard(&mut self) {
        match self {
            Self::Idle => {}
            Self::Asking { waits, .. } | Self::Holding { waits, .. } | Self::Speaking { waits, .. } => {
                *waits = false;
            }
        }
    }
}

impl State {
    pub fn row(&self, intent: u8) -> &Row {
        &self.rows[usize::from(intent)]
    }

    pub fn row_mut(&mut self, intent: u8) -> &mut Row {
        &mut self.rows[usize::from(intent)]
    }

    pub fn truth(&self, intent: u8) -> &Truth {
        &self.truth[usize::from(intent)]
    }

    pub fn truth_mut(&mut self, intent: u8) -> &mut Truth {
        &mut self.truth[usize::from(intent)]
    }

    pub fn grant(&self, intent: u8, claim: u8) -> Option<&Grant> {
        self.truth(intent).grants.iter().find(|grant| grant.claim == claim)
    }

    pub fn grant_mut(&mut self, intent: u8, claim: u8) -> Option<&mut Grant> {
        self.truth_mut(intent).grants.iter_mut().find(|grant| grant.claim == claim)
    }

    /// Whether a process works under this claim, or something that it began is under way.
    pub fn lives(&self, intent: u8, claim: u8) -> bool {
        let held = self
            .workers
            .iter()
            .any(|worker| worker.intent() == Some(intent) && worker.claim() == Some(claim));
        held || self.grant(intent, claim).is_some_and(|grant| grant.target == Target::UnderWay)
    }

    /// The smallest claim number that nobody ever heard of.
    pub fn fresh_claim(&self) -> u8 {
        (1..=u8::MAX).find(|claim| !self.mentions(*claim)).unwrap_or(u8::MAX)
    }

    fn mentions(&self, claim: u8) -> bool {
        let granted = self.truth.iter().any(|truth| truth.grants.iter().any(|grant| grant.claim == claim));
        granted
            || self.workers.iter().any(|worker| worker.claim() == Some(claim))
            || self.wire.iter().any(|request| request.edit.set.claim == claim)
    }
}
