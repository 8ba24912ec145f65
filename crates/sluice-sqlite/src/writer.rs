//! The one writer. What arrives while a commit is on its way goes into the next one.

use crate::apply::{Done, Transaction};
use crate::classify::Trouble;
use crate::clock::LedgerClock;
use crate::connect::{self, patiently};
use crate::job::Job;
use crate::migrate;
use crate::names;
use crate::options::{Hook, Moment, Options};
use crate::place::{FileId, Place};
use crate::queue::{Queue, Turn};
use crate::transact::Supervision;
use rusqlite::Connection;
use sluice_core::store::{Ledger, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Owns the connection that writes.
pub(crate) struct Writer {
    conn: Connection,
    path: PathBuf,
    file: Option<FileId>,
    clock: Arc<dyn LedgerClock>,
    hook: Option<Hook>,
    busy_timeout: Duration,
    supervision: Arc<Supervision>,
}

/// Why a batch was not carried out. Nothing of it was, except perhaps after [`Setback::Unknown`].
pub(crate) enum Setback {
    /// The write lock was not to be had, or the ledger is not usable: the same for every job.
    Shared(Trouble),
    /// One job failed; the others may be fine without it.
    OneOf(Trouble),
    /// The commit failed, and may have reached the disk all the same.
    Unknown(Trouble),
}

impl Writer {
    /// Opens the file and brings it to the newest format.
    pub(crate) fn open(
        place: &Place,
        options: &Options,
        clock: Arc<dyn LedgerClock>,
    ) -> Result<(Self, Ledger), StoreError> {
        let busy_timeout = options.busy_timeout;
        let told = |error: Trouble| error.into_error(busy_timeout);
        let file = FileId::of(&place.path);
        let mut conn = connect::open(&place.path, busy_timeout).map_err(told)?;
        migrate::ensure(&mut conn, &place.path, options, clock.as_ref())?;
        let ledger = names::ledger(&conn).map_err(told)?;
        // From here on waiting is done by `patiently`, whose pauses are shorter than SQLite's.
        conn.busy_timeout(Duration::ZERO).map_err(|error| told(error.into()))?;
        let supervision = Supervision::install(&mut conn, &clock).map_err(told)?;
        let (path, hook) = (place.path.clone(), options.hook.clone());
        Ok((Self { conn, path, file, clock, hook, busy_timeout, supervision }, ledger))
    }

    /// Works until nobody can ask for anything any more and everything that was asked for is done.
    pub(crate) fn run(self, mut queue: Queue) {
        while let Some(turn) = queue.next_turn() {
            match turn {
                Turn::Together(batch) => self.batch(batch, &mut queue),
                Turn::Apart(job) => self.own(job),
            }
        }
    }

    fn batch(&self, batch: Vec<Job>, queue: &mut Queue) {
        let result = self.together(&batch);
        queue.served(batch.len());
        match result {
            Ok(done) => batch.into_iter().zip(done).for_each(|(job, done)| job.answer(done)),
            Err(Setback::OneOf(_)) if batch.len() > 1 => self.apart(batch),
            Err(setback) => batch.into_iter().for_each(|job| job.fail(self.error(&setback))),
        }
    }

    /// A job that must not share its transaction.
    fn own(&self, job: Job) {
        let Job::Transact { wanted, reply } = job else { return };
        let answer = self.transact(wanted).map_err(|setback| self.error(&setback));
        drop(reply.send(answer));
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }

    pub(crate) fn clock(&self) -> &dyn LedgerClock {
        self.clock.as_ref()
    }

    pub(crate) fn supervision(&self) -> &Supervision {
        &self.supervision
    }

    /// Each job in a transaction of its own, so that one that fails never fails its neighbours.
    fn apart(&self, batch: Vec<Job>) {
        let mut jobs = batch.into_iter();
        while let Some(job) = jobs.next() {
            match self.alone(&job) {
                Ok(done) => job.answer(done),
                Err(setback @ Setback::Shared(_)) => {
                    // The rest would only wait for the same thing, one after the other.
                    job.fail(self.error(&setback));
                    return jobs.for_each(|job| job.fail(self.error(&setback)));
                }
                Err(setback) => job.fail(self.error(&setback)),
            }
        }
    }

    fn together(&self, jobs: &[Job]) -> Result<Vec<Done>, Setback> {
        self.begin()?;
        let result = self.inside(jobs);
        // A failed statement may have ended the transaction itself.
        if !self.conn.is_autocommit() {
            let _ = self.statement("ROLLBACK");
        }
        result
    }

    fn alone(&self, job: &Job) -> Result<Done, Setback> {
        let mut done = self.together(std::slice::from_ref(job))?;
        done.pop().ok_or(Setback::OneOf(Trouble::Absent("the answer of a job")))
    }

    pub(crate) fn begin(&self) -> Result<(), Setback> {
        if FileId::of(&self.path) != self.file {
            return Err(Setback::Shared(Trouble::Replaced));
        }
        patiently(self.busy_timeout, || self.statement("BEGIN IMMEDIATE")).map_err(Setback::Shared)
    }

    fn inside(&self, jobs: &[Job]) -> Result<Vec<Done>, Setback> {
        let mut transaction = Transaction::begun(&self.conn, self.clock.as_ref()).map_err(Setback::Shared)?;
        let mut done = Vec::with_capacity(jobs.len());
        for job in jobs {
            done.push(job.run(&mut transaction).map_err(Setback::OneOf)?);
            if let Some(id) = job.id() {
                self.pass(Moment::Written(id)).map_err(Setback::OneOf)?;
            }
        }
        // Where nothing was written there is nothing to make durable.
        if transaction.finish().map_err(Setback::OneOf)? {
            self.commit()?;
        }
        Ok(done)
    }

    pub(crate) fn commit(&self) -> Result<(), Setback> {
        self.pass(Moment::Commit).map_err(Setback::Unknown)?;
        patiently(self.busy_timeout, || self.statement("COMMIT")).map_err(|error| {
            if error.is_busy() { Setback::Shared(error) } else { Setback::Unknown(error) }
        })?;
        self.pass(Moment::Committed).map_err(Setback::Unknown)
    }

    pub(crate) fn statement(&self, sql: &str) -> rusqlite::Result<()> {
        self.conn.prepare_cached(sql)?.execute([]).map(drop)
    }

    fn pass(&self, moment: Moment<'_>) -> Result<(), Trouble> {
        let allowed = self.hook.as_ref().is_none_or(|hook| hook.allows(moment));
        if allowed { Ok(()) } else { Err(Trouble::Planned) }
    }

    fn error(&self, setback: &Setback) -> StoreError {
        match setback {
            Setback::Shared(trouble) | Setback::OneOf(trouble) => {
                trouble.clone().into_error(self.busy_timeout)
            }
            Setback::Unknown(trouble) => trouble.clone().into_error(self.busy_timeout).with_outcome_unknown(),
        }
    }
}
