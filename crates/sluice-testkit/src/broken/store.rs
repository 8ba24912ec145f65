//! Forwards everything to a good store, and makes one mistake on the way.

use super::{Fault, answers, bodies, guards, lists, names, renewals};
use crate::block_on;
use sluice_core::breaker::Shared;
use sluice_core::change::{Change, Facts, GrantGuard, Unmet};
use sluice_core::deliveries::Tally;
use sluice_core::ids::{ClaimId, Epoch, RecordId, Version};
use sluice_core::key::SecretId;
use sluice_core::ports::BoxFuture;
use sluice_core::record::Snapshot;
use sluice_core::store::{Ledger, Page, Query, Renewed, Store, StoreError, Written};
use sluice_core::trail::{Event, EventDraft};
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Long enough for every thread of a rule to get between another one's check and its write.
pub(super) const MEANWHILE: Duration = Duration::from_millis(3);

/// A store with one mistake.
#[derive(Debug)]
pub struct BrokenStore {
    pub(super) inner: Arc<dyn Store>,
    pub(super) fault: Fault,
    ledger: Ledger,
    reopened: bool,
    capacity: usize,
    writers: AtomicUsize,
    notes: Mutex<Notes>,
}

/// What a mistake needs to remember.
#[derive(Debug, Default)]
pub(super) struct Notes {
    bumps: BTreeMap<RecordId, u64>,
    names: BTreeMap<RecordId, RecordId>,
    order: Vec<RecordId>,
    claims: BTreeSet<ClaimId>,
    lost: BTreeSet<(RecordId, Version)>,
    pub(super) swept: BTreeSet<RecordId>,
    pub(super) counted: BTreeMap<RecordId, Tally>,
    pub(super) circuits: BTreeMap<String, Shared>,
}

impl BrokenStore {
    /// Any store, with this mistake.
    pub fn over(inner: Arc<dyn Store>, fault: Fault) -> Self {
        let mut ledger = inner.ledger().clone();
        if fault == Fault::SharedSecret {
            ledger.downstream_secret.bytes = ledger.fingerprint_secrets[0].bytes;
        }
        Self {
            inner,
            fault,
            ledger,
            reopened: false,
            capacity: usize::MAX,
            writers: AtomicUsize::new(0),
            notes: Mutex::default(),
        }
    }

    /// The same after it was closed and opened again.
    pub(super) fn reopened(inner: Arc<dyn Store>, fault: Fault) -> Self {
        let mut store = Self::over(inner, fault);
        if fault == Fault::NewSecretsOnOpen {
            store.ledger.downstream_secret.id = SecretId("d2".into());
        }
        store.reopened = true;
        store
    }

    /// A store that makes room by forgetting.
    pub(super) fn evicting(inner: Arc<dyn Store>, capacity: usize) -> Self {
        let mut store = Self::over(inner, Fault::EvictsOldest);
        store.capacity = capacity;
        store
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name that the store under it knows, noted so that lists can turn it back.
    fn filed(&self, id: &RecordId) -> RecordId {
        let filed = names::filed(self.fault, id);
        self.notes().names.insert(filed.clone(), id.clone());
        filed
    }

    fn forgotten(&self, id: &RecordId) -> bool {
        let notes = self.notes();
        let kept = notes.order.len().saturating_sub(self.capacity);
        notes.swept.contains(id) || notes.order[..kept].contains(id)
    }

    /// A record as this store shows it, under the name it was asked for.
    fn shown(&self, mut snapshot: Snapshot, asked: &RecordId) -> Snapshot {
        let bumps = self.notes().bumps.get(asked).copied().unwrap_or_default();
        snapshot.record.id = asked.clone();
        snapshot.record.version.0 += bumps;
        answers::snapshot(self.fault, snapshot, self.reopened)
    }

    fn do_apply(&self, asked: &RecordId, mut change: Change) -> Result<Written, StoreError> {
        let id = self.filed(asked);
        let found = block_on(self.inner.read(&id))?;
        if self.fault == Fault::SharesClaimIds && self.claimed_elsewhere(&change) {
            return Ok(Written::Found {
                snapshot: found.map(|found| Box::new(self.shown(found, asked))),
                unmet: Unmet::Grant,
            });
        }
        if self.fault == Fault::ChecksThenWrites {
            return self.check_then_write(&id, change, found.as_ref());
        }
        let draft = change.event.clone();
        change.guard.expected =
            answers::shown_version(self.fault, self.unbumped(asked, change.guard.expected));
        change = guards::loosen(self.fault, change, found.as_ref(), self.reopened);
        bodies::spoil(self.fault, &mut change.set, found.as_ref());
        change.lease = bodies::lease(self.fault, change.lease, found.as_ref());
        let (claim, grants) = (change.set.claim, found.is_none());
        let written = block_on(self.inner.apply(id.clone(), change))?;
        match &written {
            Written::Applied(_) => {
                let mut notes = self.notes();
                notes.claims.insert(claim);
                notes.order.extend(grants.then(|| asked.clone()));
            }
            Written::Found { .. } if self.fault == Fault::KeepsRefusedEvent => {
                block_on(self.inner.notice(id, draft))?;
            }
            Written::Found { .. } => {}
        }
        Ok(answers::written(self.fault, self.rename(written, asked)))
    }

    fn rename(&self, written: Written, asked: &RecordId) -> Written {
        match written {
            Written::Applied(snapshot) => Written::Applied(Box::new(self.shown(*snapshot, asked))),
            Written::Found { snapshot, unmet } => {
                Written::Found { snapshot: snapshot.map(|found| Box::new(self.shown(*found, asked))), unmet }
            }
        }
    }

    fn unbumped(
        &self,
        asked: &RecordId,
        expected: sluice_core::change::Expected,
    ) -> sluice_core::change::Expected {
        use sluice_core::change::Expected;
        let bumps = self.notes().bumps.get(asked).copied().unwrap_or_default();
        match expected {
            Expected::At { version, status, epoch } => {
                Expected::At { version: Version(version.0.wrapping_sub(bumps)), status, epoch }
            }
            Expected::Absent => Expected::Absent,
        }
    }

    fn claimed_elsewhere(&self, change: &Change) -> bool {
        matches!(change.guard.grant, GrantGuard::Unused(claim) if self.notes().claims.contains(&claim))
    }

    /// Looks, lets others in between, and then writes whatever is there by now.
    fn check_then_write(
        &self,
        id: &RecordId,
        change: Change,
        found: Option<&Snapshot>,
    ) -> Result<Written, StoreError> {
        let record = found.map(|found| &found.record);
        let facts = Facts {
            record,
            lease: found.map_or(sluice_core::lease::LeaseView::EndedAtReboot, |found| found.lease),
            granted_before: None,
            now: sluice_core::record::LedgerTime(0),
        };
        if change.guard.looks_up(record).is_some() || change.guard.check(facts).is_err() {
            return block_on(self.inner.apply(id.clone(), change));
        }
        thread::sleep(MEANWHILE);
        loop {
            let now = block_on(self.inner.read(id))?;
            let unguarded = guards::unguarded(change.clone(), now.as_ref());
            let written = block_on(self.inner.apply(id.clone(), unguarded))?;
            if matches!(written, Written::Applied(_)) {
                return Ok(written);
            }
        }
    }

    /// Notes a change that was written while another one was on its way, so that its event can be lost.
    fn beside_others(&self, asked: &RecordId, change: Change) -> Result<Written, StoreError> {
        let before = self.writers.fetch_add(1, Ordering::SeqCst);
        thread::sleep(MEANWHILE);
        let written = self.do_apply(asked, change);
        let after = self.writers.fetch_sub(1, Ordering::SeqCst);
        if let (Ok(Written::Applied(snapshot)), true) = (&written, before > 0 || after > 1) {
            self.notes().lost.insert((asked.clone(), snapshot.record.version));
        }
        written
    }

    fn do_events(&self, asked: &RecordId) -> Result<Vec<Event>, StoreError> {
        let id = self.filed(asked);
        let mut events = block_on(self.inner.events(&id))?;
        if self.fault == Fault::MixesEvents {
            let names: Vec<_> = self.notes().names.keys().cloned().collect();
            for other in names.iter().filter(|other| other.key == id.key && **other != id) {
                events.extend(block_on(self.inner.events(other))?);
            }
        }
        let notes = self.notes();
        events.retain(|event| {
            event.version.is_none_or(|version| !notes.lost.contains(&(asked.clone(), version)))
        });
        drop(notes);
        for event in &mut events {
            event.id = asked.clone();
        }
        Ok(answers::events(self.fault, events))
    }

    fn do_list(&self, mut query: Query) -> Result<Page, StoreError> {
        if matches!(self.fault, Fault::JoinsNames | Fault::IgnoresNamespace) {
            query.namespace = None;
        }
        let mut page = lists::page(self.fault, self.inner.as_ref(), &query)?;
        let names = self.notes().names.clone();
        let asked_as = |id: &RecordId| names.get(id).unwrap_or(id).clone();
        page.items.retain(|item| !self.forgotten(&asked_as(&item.record.id)));
        let shown = page.items.into_iter().map(|item| {
            let asked = asked_as(&item.record.id);
            self.shown(item, &asked)
        });
        Ok(Page { items: shown.collect(), next: page.next })
    }

    /// Counts a change of every record.
    pub(super) fn bump_all(&self) -> Result<(), StoreError> {
        let all = block_on(self.inner.list(Query { limit: 1000, ..Query::default() }))?.items;
        for item in &all {
            self.bump(&item.record.id);
        }
        Ok(())
    }

    pub(super) fn bump(&self, id: &RecordId) {
        *self.notes().bumps.entry(id.clone()).or_default() += 1;
    }
}

impl Store for BrokenStore {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let found = block_on(self.inner.read(&self.filed(id)));
        let found =
            found.map(|found| found.filter(|_| !self.forgotten(id)).map(|found| self.shown(found, id)));
        Box::pin(ready(found))
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        match self.fault {
            Fault::MixesUnderLoad => Box::pin(ready(self.beside_others(&id, change))),
            Fault::LosesAbandoned => Box::pin(Abandoned::new(self, id, change)),
            _ => Box::pin(ready(self.do_apply(&id, change))),
        }
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        let filed = self.filed(&id);
        let renewed = renewals::renew(self.fault, self.inner.as_ref(), &filed, (claim, epoch), lease);
        if self.fault == Fault::RenewBumpsVersion && matches!(renewed, Ok(Renewed::Extended { .. })) {
            self.bump(&id);
        }
        Box::pin(ready(renewed))
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        let filed = self.filed(&id);
        let absent = matches!(block_on(self.inner.read(&filed)), Ok(None));
        match self.fault {
            Fault::NoticeNeedsRecord if absent => return Box::pin(ready(Ok(()))),
            Fault::NoticeBumpsVersion => self.bump(&id),
            _ => {}
        }
        Box::pin(ready(block_on(self.inner.notice(filed, event))))
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        Box::pin(ready(self.do_events(id)))
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        Box::pin(ready(self.do_list(query)))
    }
}

/// A change that is written at once, and whose event is written only when somebody hears the answer.
struct Abandoned<'a> {
    store: &'a BrokenStore,
    id: RecordId,
    written: Option<Result<Written, StoreError>>,
}

impl<'a> Abandoned<'a> {
    fn new(store: &'a BrokenStore, id: RecordId, change: Change) -> Self {
        let written = Some(store.do_apply(&id, change));
        Self { store, id, written }
    }
}

impl Future for Abandoned<'_> {
    type Output = Result<Written, StoreError>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        self.written.take().map_or(std::task::Poll::Pending, std::task::Poll::Ready)
    }
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if let Some(Ok(Written::Applied(snapshot))) = &self.written {
            self.store.notes().lost.insert((self.id.clone(), snapshot.record.version));
        }
    }
}
