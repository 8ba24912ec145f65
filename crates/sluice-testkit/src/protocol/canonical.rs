//! States that differ only in names are one.
//!
//! Processes are alike, claim ids are only compared, versions are only compared and counted up, and requests have no
//! order. So processes are sorted, claims are numbered by where they first appear, and versions by how many different
//! ones are still spoken of. Every step is a renaming, which is what makes it sound; that a tie may be renamed in two ways
//! costs states and nothing else.

use super::compact::Rec;
use super::state::{Phase, Request, State, Target, Worker};
use sluice_core::state::Status;

impl State {
    /// The same state under the names that are used for all states like it.
    pub fn canonical(mut self, forgets_stale: bool) -> Self {
        if forgets_stale {
            self.forget_stale();
        }
        self.forget_past();
        let mut keyed: Vec<_> = self.workers.iter().map(|worker| (self.nameless(worker), *worker)).collect();
        keyed.sort_unstable();
        self.workers = keyed.into_iter().map(|(_, worker)| worker).collect();
        self.number_claims();
        self.number_versions();
        self.wire.sort_unstable();
        self.spool.sort_unstable();
        self
    }

    /// Drops what nobody waits for and what no guard will ever take: versions never come back.
    fn forget_stale(&mut self) {
        let versions: Vec<_> = self.rows.iter().map(|row| row.record.map(|found| found.version)).collect();
        let is_stale = |request: &Request| {
            let expected = request.edit.expected.map(|(version, ..)| version);
            request.heard_by.is_none() && versions[usize::from(request.intent)] != expected
        };
        self.wire.retain(|request| !is_stale(request));
    }

    /// Makes equal what can no longer make a difference: an execution that was never begun and never will be is one that
    /// did not land, and no rule reads the lease of a settled record (which `Rules::ask` asserts).
    fn forget_past(&mut self) {
        for intent in 0..self.rows.len() {
            let busy: Vec<_> =
                self.workers.iter().filter(|worker| worker.intent() == u8::try_from(intent).ok()).collect();
            for grant in &mut self.truth[intent].grants {
                if busy.iter().any(|worker| worker.claim() == Some(grant.claim)) {
                    continue;
                }
                grant.live = false;
                if grant.target == Target::Untouched {
                    grant.target = Target::Missed;
                }
            }
            let row = &mut self.rows[intent];
            let is_settled = row
                .record
                .is_some_and(|found| !matches!(found.status, Status::InFlight | Status::Indeterminate));
            if is_settled && self.truth[intent].grants.iter().all(|grant| !grant.live) {
                row.lease = Phase::Ended;
            }
        }
    }

    /// A process without the name of its claim, but with the epoch it was granted.
    fn nameless(&self, worker: &Worker) -> (u8, Worker) {
        let mut worker = *worker;
        let granted = match (worker.intent(), worker.claim()) {
            (Some(intent), Some(claim)) => self.grant(intent, claim).map_or(0, |grant| grant.epoch),
            _ => 0,
        };
        for_each_claim_of(&mut worker, &mut |claim| *claim = 0);
        (granted, worker)
    }

    fn number_claims(&mut self) {
        let mut names = [0_u8; 64];
        let mut last = 0;
        self.for_each_claim(&mut |claim| {
            let name = &mut names[usize::from(*claim)];
            if *name == 0 {
                last += 1;
                *name = last;
            }
            *claim = *name;
        });
    }

    /// Every mention of a claim, in one fixed order.
    fn for_each_claim(&mut self, visit: &mut impl FnMut(&mut u8)) {
        self.truth.iter_mut().flat_map(|truth| &mut truth.grants).for_each(|grant| visit(&mut grant.claim));
        for row in &mut self.rows {
            row.filed.iter_mut().for_each(|(claim, _)| visit(claim));
            row.record.iter_mut().for_each(|found| visit(&mut found.claim));
        }
        self.workers.iter_mut().for_each(|worker| for_each_claim_of(worker, visit));
        for request in &mut self.wire {
            request.heard_by.iter_mut().for_each(&mut *visit);
            for_each_claim_in(&mut request.edit, visit);
        }
        self.spool.iter_mut().for_each(|said| visit(&mut said.claim));
    }

    fn number_versions(&mut self) {
        for intent in 0..self.rows.len() {
            let mut versions = vec![];
            self.for_each_version(intent, &mut |version| versions.push(*version));
            versions.sort_unstable();
            versions.dedup();
            self.for_each_version(intent, &mut |version| {
                let rank = versions.iter().position(|known| known == version).unwrap_or_default();
                *version = u8::try_from(rank).unwrap_or(u8::MAX) + 1;
            });
        }
    }

    fn for_each_version(&mut self, intent: usize, visit: &mut impl FnMut(&mut u8)) {
        let of_this = |other: u8| usize::from(other) == intent;
        self.rows[intent].record.iter_mut().for_each(|found: &mut Rec| visit(&mut found.version));
        for request in self.wire.iter_mut().filter(|request| of_this(request.intent)) {
            request.edit.expected.iter_mut().for_each(|expected| visit(&mut expected.0));
        }
        for worker in &mut self.workers {
            if let Worker::Asking { intent, edit, .. } = worker
                && of_this(*intent)
            {
                edit.expected.iter_mut().for_each(|expected| visit(&mut expected.0));
            }
        }
    }
}

fn for_each_claim_of(worker: &mut Worker, visit: &mut impl FnMut(&mut u8)) {
    match worker {
        Worker::Idle => {}
        Worker::Asking { claim, edit, .. } => {
            visit(claim);
            for_each_claim_in(edit, visit);
        }
        Worker::Holding { claim, .. } | Worker::Speaking { claim, .. } => visit(claim),
    }
}

fn for_each_claim_in(edit: &mut super::edit::Edit, visit: &mut impl FnMut(&mut u8)) {
    edit.grant.claim().into_iter().for_each(&mut *visit);
    visit(&mut edit.set.claim);
}
