//! The rules of the core, asked with small values.
//!
//! No rule is written down here: every question goes to `sluice_core::decide` or `Guard::check`. The same question has
//! the same answer, since rules are pure, so that each is asked once and its answer kept.

use super::bounds::Effect;
use super::compact::{Rec, Word, claim_id};
use super::core_rules::{core, lease, record};
use super::edit::Edit;
use super::plants::Plant;
use super::state::{Phase, Row};
use sluice_core::change::{Expected, Facts, GrantGuard, Unmet};
use sluice_core::decide::Answer;
use sluice_core::ids::{Epoch, Version};
use sluice_core::record::LedgerTime;
use sluice_core::state::Status;
use std::cell::RefCell;
use std::collections::HashMap;

/// One question to a rule: what was found, and what is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub found: Option<(Rec, Phase)>,
    pub effect: Effect,
    pub ask: Ask,
}

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    Arrive { claim: u8, proof: Proof },
    Waiting { bound: u8, proof: Proof },
    Lapse { proof: Proof },
    Mark { claim: u8, epoch: u8 },
    Word { claim: u8, epoch: u8, word: Word },
    Verdict { epoch: u8, landed: bool, force: bool, proof: Proof },
    Reopen,
}

/// What can be proved of the newest holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Proof {
    Unknown,
    Alive,
    Gone,
}

/// What a rule said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Claim(Edit),
    Lapse(Edit),
    Write(Edit),
    Wait,
    Hold,
    Answer(Answer),
    Already,
    Refused,
    Lost,
    Unheard,
    /// There is nothing to do.
    Nothing,
}

/// The rules, with or without a mistake in them.
#[derive(Debug)]
pub(super) struct Rules {
    pub plant: Option<Plant>,
    known: RefCell<HashMap<Question, Reply>>,
}

impl Rules {
    pub fn new(plant: Option<Plant>) -> Self {
        Self { plant, known: RefCell::default() }
    }

    /// Asks a rule.
    pub fn ask(&self, question: Question) -> Reply {
        if let Some(known) = self.known.borrow().get(&question) {
            return *known;
        }
        if let Some((found, phase)) = question.found
            && self.plant.is_none()
            && phase == Phase::Ended
        {
            assert_lease_unread(&found, question);
        }
        let mut bent = question;
        let mut reply = match self.plant {
            None => core(&question),
            Some(plant) => {
                plant.bend(&mut bent);
                core(&bent)
            }
        };
        if let Some(plant) = self.plant {
            plant.twist(&question, &mut reply);
        }
        self.known.borrow_mut().insert(question, reply);
        reply
    }

    /// Whether a change may be written now, by the core's own guard.
    pub fn check(&self, row: &Row, edit: &Edit, effect: Effect) -> Result<(), Unmet> {
        let mut guard = edit.guard(effect);
        if let (Expected::At { version, epoch, .. }, Some(found)) = (&mut guard.expected, &row.record) {
            match self.plant {
                Some(Plant::GuardForgetsVersion) => *version = Version(found.version.into()),
                Some(Plant::GuardForgetsEpoch | Plant::GuardForgetsGrant) => {
                    (*version, *epoch) = (Version(found.version.into()), Epoch(found.epoch.into()));
                }
                _ => {}
            }
        }
        if self.plant == Some(Plant::GuardForgetsGrant) {
            guard.grant = GrantGuard::Any;
        }
        let record = row.record.map(|found| record(&found, effect));
        let claim = guard.looks_up(record.as_ref());
        let filed =
            |claim| row.filed.iter().find(|(filed, _)| claim_id(*filed) == claim).map(|filed| filed.1);
        let granted_before = claim.and_then(filed).map(|epoch| Epoch(epoch.into()));
        let (lease, now) = (lease(row.lease, effect), LedgerTime(0));
        guard.check(Facts { record: record.as_ref(), lease, granted_before, now })
    }

    /// Which row of the ledger holds this intent.
    pub fn row(&self, intent: u8) -> u8 {
        self.plant.map_or(intent, |plant| plant.row(intent))
    }
}

/// The model forgets the lease of a settled record, so no rule may read it.
fn assert_lease_unread(found: &Rec, question: Question) {
    if matches!(found.status, Status::InFlight | Status::Indeterminate) {
        return;
    }
    for phase in [Phase::Live, Phase::Quiet, Phase::Reboot] {
        let other = Question { found: Some((*found, phase)), ..question };
        assert_eq!(core(&question), core(&other), "a rule reads the lease of a settled record");
    }
}
