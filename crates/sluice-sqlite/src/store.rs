//! The front: what an application opens, and the trait the runtime uses.

use crate::clock::{LedgerClock, Moment, SystemClock};
use crate::events;
use crate::job::Job;
use crate::list::{self, Cursor};
use crate::options::Options;
use crate::place::Place;
use crate::queue::Queue;
use crate::reader::Readers;
use crate::rows::Found;
use crate::transact::is_inside;
use crate::watch::Watch;
use crate::writer::Writer;
use futures_channel::oneshot::{self, Receiver};
use sluice_core::change::Change;
use sluice_core::ids::{ClaimId, Epoch, RecordId};
use sluice_core::ports::BoxFuture;
use sluice_core::record::Snapshot;
use sluice_core::store::{Ledger, Page, Query, Renewed, Store, StoreError, StoreErrorKind, Written};
use sluice_core::trail::{Event, EventDraft};
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A ledger in one SQLite file.
///
/// Handles are cheap to clone and share one writer. Dropping the last one finishes what was asked for and closes
/// the file. Any number of processes of one host may have the same file open.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    ledger: Ledger,
    place: Place,
    readers: Readers,
    clock: Arc<dyn LedgerClock>,
    watch: Watch,
    // Both are there until the last handle is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// Opens a ledger; a file that is not there is made with mode 0600, its folder is not.
    ///
    /// # Errors
    /// [`StoreErrorKind::Missing`] without the folder, [`StoreErrorKind::Corrupt`] for a file that is damaged or no
    /// ledger, [`StoreErrorKind::Newer`], [`StoreErrorKind::NoPermission`], [`StoreErrorKind::Unsuitable`] on a
    /// network file system, [`StoreErrorKind::Busy`] where others hold it for longer than 10 seconds,
    /// [`StoreErrorKind::Full`], [`StoreErrorKind::Unavailable`].
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, Options::default()).await
    }

    /// Opens a ledger that is there, and never makes one.
    ///
    /// # Errors
    /// [`StoreErrorKind::Missing`] without the file, and those of [`SqliteStore::open`].
    pub async fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, Options { create: false, ..Options::default() }).await
    }

    /// Opens a ledger as the options say.
    ///
    /// # Errors
    /// Those of [`SqliteStore::open`].
    pub async fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        // A later change of the working folder must not lead to another file.
        let path = std::path::absolute(path.as_ref()).map_err(|error| {
            StoreError::new(StoreErrorKind::Missing, "there is no ledger without a path").with_source(error)
        })?;
        let (jobs, queue) = mpsc::channel();
        let (opened, answer) = oneshot::channel();
        // Whoever stopped waiting for the opening has dropped the other end of the queue, which ends the writer.
        let start = move || match open(path, &options) {
            Ok((writer, shared)) => {
                drop(opened.send(Ok(shared)));
                writer.run(Queue::new(queue));
            }
            Err(error) => drop(opened.send(Err(error))),
        };
        let writer = thread::Builder::new().name("sluice-sqlite".into()).spawn(start).map_err(|error| {
            let sentence = "no thread could be started for the ledger";
            StoreError::new(StoreErrorKind::Unavailable, sentence).with_source(error)
        })?;
        let mut shared: Shared = answer.await.map_err(|_| gone())??;
        (shared.jobs, shared.writer) = (Some(jobs), Some(writer));
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The file, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.shared.place.path
    }

    /// What a person should hear about the place of the ledger; usually nothing.
    pub fn warnings(&self) -> &[String] {
        &self.shared.place.warnings
    }

    /// Puts a job into the queue at once, so that it is done even if nobody waits for the answer.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job,
    ) -> BoxFuture<'_, Result<T, StoreError>> {
        if is_inside() {
            let said = "the work of a transaction asked the ledger, which waits for that work; ask before or after it";
            return Box::pin(ready(Err(StoreError::new(StoreErrorKind::Invalid, said))));
        }
        let (reply, answer) = oneshot::channel();
        let sent = self.shared.jobs.as_ref().is_some_and(|jobs| jobs.send(job(reply)).is_ok());
        Box::pin(async move { if sent { self.heard(answer).await } else { Err(gone()) } })
    }
}

impl SqliteStore {
    pub(crate) fn readers(&self) -> &Readers {
        &self.shared.readers
    }

    async fn heard<T>(&self, answer: Receiver<Result<T, StoreError>>) -> Result<T, StoreError> {
        // The writer never drops a reply unless it breaks down, and then nobody knows how far it came.
        self.shared.watch.hear(answer).await.unwrap_or_else(|_| Err(gone().with_outcome_unknown()))
    }
}

fn open(path: PathBuf, options: &Options) -> Result<(Writer, Shared), StoreError> {
    let clock = match &options.clock {
        Some(clock) => Arc::clone(clock),
        None => Arc::new(SystemClock::new()?),
    };
    let place = Place::prepare(path, options.create)?;
    let (writer, ledger) = Writer::open(&place, options, Arc::clone(&clock))?;
    let readers = Readers::new(place.path.clone(), ledger.id.clone(), options.readers, options.busy_timeout);
    Ok((writer, Shared { ledger, place, readers, clock, watch: Watch::default(), jobs: None, writer: None }))
}

fn gone() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the thread that writes the ledger has ended; open it again")
}

impl Drop for Shared {
    fn drop(&mut self) {
        drop(self.jobs.take());
        let Some(writer) = self.writer.take() else { return };
        // An executor that polls where it is woken could drop the last handle on the writer's own thread.
        if writer.thread().id() != thread::current().id() {
            let _ = writer.join();
        }
    }
}

impl Store for SqliteStore {
    fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    fn is_at_work_here(&self) -> bool {
        is_inside()
    }

    fn read<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let Shared { readers, clock, .. } = &*self.shared;
        Box::pin(async move {
            let found = readers.read(|conn| Found::find(conn, id))?;
            Ok(found.map(|found| found.snapshot(&Moment::of(clock.as_ref()))))
        })
    }

    fn apply(&self, id: RecordId, change: Change) -> BoxFuture<'_, Result<Written, StoreError>> {
        self.ask(|reply| Job::Apply { id, change: Box::new(change), reply })
    }

    fn renew(
        &self,
        id: RecordId,
        claim: ClaimId,
        epoch: Epoch,
        lease: Duration,
    ) -> BoxFuture<'_, Result<Renewed, StoreError>> {
        self.ask(|reply| Job::Renew { id, claim, epoch, lease, reply })
    }

    fn notice(&self, id: RecordId, event: EventDraft) -> BoxFuture<'_, Result<(), StoreError>> {
        self.ask(|reply| Job::Notice { id, event, reply })
    }

    fn events<'a>(&'a self, id: &'a RecordId) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        Box::pin(async move { self.shared.readers.read(|conn| events::of(conn, id)) })
    }

    fn list(&self, query: Query) -> BoxFuture<'_, Result<Page, StoreError>> {
        let Shared { readers, clock, .. } = &*self.shared;
        Box::pin(async move {
            let after = query.after.as_deref().map(Cursor::parse).transpose()?;
            readers.read(|conn| list::page(conn, &query, after, &Moment::of(clock.as_ref())))
        })
    }
}
