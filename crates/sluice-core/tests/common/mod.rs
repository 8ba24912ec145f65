//! Records and reports for tests of the rules.

#![allow(dead_code, reason = "every test file uses a part of it")]

use sluice_core::change::{Change, Facts, LeaseSet, Unmet};
use sluice_core::decide::{self, Arrival, Judgement, Plan, Ruling, SettleStep, Step, VerdictStep, arrive};
use sluice_core::failure::FailureClass;
use sluice_core::holder::{GoneBecause, Holder, Liveness};
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::key::{Key, Match, Namespace};
use sluice_core::lease::LeaseView;
use sluice_core::outcome::{Fault, Kept};
use sluice_core::policy::{OnDuplicate, OnFailed, OnIndeterminate, WhileRunning};
use sluice_core::ports::Report;
use sluice_core::record::{Downstream, Labels, LedgerTime, Record, Snapshot, Terms};
use sluice_core::state::Status;
use std::time::Duration;

pub const LIVE: LeaseView = LeaseView::Live(Duration::from_secs(20));
pub const ENDED: LeaseView = LeaseView::Ended(Duration::from_secs(1));
pub const QUIET: LeaseView = LeaseView::Ended(Duration::from_mins(1));
pub const GONE: Liveness = Liveness::Gone(GoneBecause::LockFree);

pub fn claim_id(n: u8) -> ClaimId {
    ClaimId::from_bytes([n; 16])
}

pub fn plan(n: u8, declares_marks: bool) -> Plan {
    Plan {
        claim: claim_id(n),
        terms: Terms { declares_marks, ..Terms::default() },
        labels: Labels::default(),
        fingerprint: None,
        downstream: Downstream { key: "sent".to_owned(), rotation: 0, first_used: None },
        first_sent: None,
        target: None,
        replacement: None,
    }
}

pub fn repeatable(n: u8) -> Plan {
    let plan = plan(n, false);
    Plan { terms: Terms { repeatable: true, ..plan.terms }, ..plan }
}

pub fn arrival() -> Arrival {
    Arrival {
        request: Match::Neither,
        holder: Liveness::Unknown,
        on_duplicate: OnDuplicate::Replay,
        while_running: WhileRunning::Wait,
        on_indeterminate: OnIndeterminate::Refuse,
        on_failed: OnFailed::Replay,
    }
}

/// A record that changes the way a store would change it, one rule at a time.
#[derive(Clone, Debug)]
pub struct Ledger {
    pub now: Option<Snapshot>,
    pub past: Vec<(ClaimId, Epoch)>,
    pub events: Vec<&'static str>,
    pub time: LedgerTime,
}

impl Ledger {
    pub fn empty() -> Self {
        Self { now: None, past: Vec::new(), events: Vec::new(), time: LedgerTime(0) }
    }

    /// In flight at epoch 1 under claim 1.
    pub fn in_flight() -> Self {
        Self::empty().claimed(1, false)
    }

    pub fn marking() -> Self {
        Self::empty().claimed(1, true)
    }

    pub fn claimed(mut self, n: u8, declares_marks: bool) -> Self {
        let step = arrive(self.now.as_ref(), arrival(), &plan(n, declares_marks));
        let Step::Claim(change) = step else { panic!("not claimed: {step:?}") };
        self.apply(change.held_by(Holder::default())).unwrap();
        self
    }

    pub fn apply(&mut self, change: Change) -> Result<(), Unmet> {
        let record = self.now.as_ref().map(|now| &now.record);
        let lease = self.now.as_ref().map_or(LeaseView::EndedAtReboot, |now| now.lease);
        let granted_before = change
            .guard
            .looks_up(record)
            .and_then(|claim| self.past.iter().find(|(id, _)| *id == claim).map(|(_, epoch)| *epoch));
        change.guard.check(Facts { record, lease, granted_before, now: self.time })?;
        if let Some((epoch, claim)) = change.supersedes(record) {
            self.past.push((claim, epoch));
        }
        let version = record.map_or(Version::FIRST, |record| record.version.next());
        let lease = match change.lease {
            LeaseSet::Grant(lease) => LeaseView::Live(lease),
            LeaseSet::Keep | LeaseSet::Settle => lease,
        };
        self.events.extend(change.events().map(|event| event.kind.as_str()));
        let id = RecordId::new(Namespace::default(), Key::new("k").unwrap());
        let (created, updated) = (LedgerTime(0), self.time);
        let record = Record { id, version, incarnation: 1, created, updated, body: change.set };
        self.now = Some(Snapshot { record, lease });
        Ok(())
    }

    pub fn lease(mut self, lease: LeaseView) -> Self {
        self.now.as_mut().unwrap().lease = lease;
        self
    }

    pub fn marked(mut self) -> Self {
        let SettleStep::Write(change) = decide::mark(self.snapshot(), self.body().claim, self.body().epoch)
        else {
            panic!("no mark")
        };
        self.apply(change).unwrap();
        self
    }

    pub fn lapsed(mut self, holder: Liveness) -> Self {
        let change = decide::lapse(self.snapshot(), holder).expect("it lapses");
        self.apply(change).unwrap();
        self
    }

    pub fn settle(&self, n: u8, epoch: u64, report: &Report) -> SettleStep {
        decide::settle(self.snapshot(), claim_id(n), Epoch(epoch), report)
    }

    pub fn settled(mut self, n: u8, epoch: u64, report: &Report) -> Self {
        let step = self.settle(n, epoch, report);
        let SettleStep::Write(change) = step else { panic!("nothing to write: {step:?}") };
        self.apply(change).unwrap();
        self
    }

    pub fn judged(mut self, judgement: Judgement, epoch: u64) -> Self {
        let ruling = Ruling { epoch: Some(Epoch(epoch)), force: true, ..ruling(judgement) };
        let step = decide::verdict(self.snapshot(), &ruling, Liveness::Unknown);
        let VerdictStep::Write(change, _) = step else { panic!("no verdict: {step:?}") };
        self.apply(change).unwrap();
        self
    }

    /// A second grant while the first epoch is in doubt, by a delivery that declares its effect repeatable.
    pub fn reclaimed(mut self, n: u8) -> Self {
        let arrival = Arrival { holder: GONE, on_indeterminate: OnIndeterminate::Reclaim, ..arrival() };
        let step = arrive(self.now.as_ref(), arrival, &repeatable(n));
        let Step::Claim(change) = step else { panic!("not reclaimed: {step:?}") };
        self.apply(change.held_by(Holder::default())).unwrap();
        self.lease(LIVE)
    }

    pub fn snapshot(&self) -> &Snapshot {
        self.now.as_ref().unwrap()
    }

    pub fn body(&self) -> &sluice_core::record::Body {
        &self.snapshot().record.body
    }

    pub fn status(&self) -> Status {
        self.body().status
    }

    pub fn unresolved(&self) -> Vec<u64> {
        self.body().unresolved.epochs().map(|epoch| epoch.0).collect()
    }
}

pub fn ruling(judgement: Judgement) -> Ruling {
    Ruling { epoch: None, judgement, by: "ada".to_owned(), reason: "looked".to_owned(), force: false }
}

pub fn success(text: &str) -> Report {
    Report::Success { kept: Kept::within(text.as_bytes().to_vec(), 1000), object_id: None }
}

pub fn fault(class: FailureClass) -> Report {
    Report::Fault(Fault {
        class,
        code: None,
        message: format!("{class:?}"),
        detail: None,
        from_target: false,
    })
}
