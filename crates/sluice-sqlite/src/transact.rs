//! Claim, work and settlement in one transaction of its own.

use crate::apply::{Done, Transaction};
use crate::classify::Trouble;
use crate::clock::LedgerClock;
use crate::job::{Job, Reply, stored};
use crate::statements::{Statements, allows};
use crate::store::SqliteStore;
use crate::writer::{Setback, Writer};
use rusqlite::Connection;
use rusqlite::hooks::{AuthContext, Authorization};
use sluice_core::change::Change;
use sluice_core::ids::RecordId;
use sluice_core::lease;
use sluice_core::ports::BoxFuture;
use sluice_core::store::{RolledBack, StoreError, Transact, Transacted, Work};
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

/// How long the work may take. The writer is the only one: a lease of the shortest length that waits for it twice must
/// still be renewed in time.
pub const LONGEST_WORK: Duration = match lease::SHORTEST.checked_div(6) {
    Some(sixth) if sixth.as_millis() < 2_000 => sixth,
    _ => Duration::from_secs(2),
};

/// How many steps of SQLite's machine go by between two looks at the clock.
const STEPS: i32 = 1000;

/// One transaction that somebody asked for.
pub(crate) struct Wanted {
    pub id: RecordId,
    pub claim: Box<Change>,
    pub work: Work<SqliteStore>,
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Transact for SqliteStore {
    type Statements<'t> = Statements<'t>;

    fn object_id(statements: &Statements<'_>) -> Option<String> {
        statements.named_object()
    }

    fn transact(
        &self,
        id: RecordId,
        claim: Change,
        work: Work<Self>,
    ) -> BoxFuture<'_, Result<Transacted, StoreError>> {
        let wanted = Wanted { id, claim: Box::new(claim), work };
        self.ask(|reply: Reply<Transacted>| Job::Transact { wanted, reply })
    }
}

impl Writer {
    /// Carries one out, and leaves nothing behind where it does not commit.
    pub(crate) fn transact(&self, wanted: Wanted) -> Result<Transacted, Setback> {
        let Wanted { id, claim, work } = wanted;
        let mut work = Some(work);
        let result = self.with_foreign_keys(|| {
            self.begin()?;
            let result = self.whole(id, claim, &mut work);
            if !self.conn().is_autocommit() {
                let _ = self.statement("ROLLBACK");
            }
            result
        });
        discard(work);
        result
    }

    /// The user's tables are treated as on any other connection of this driver, which is built to enforce them. The ledger's
    /// own writes are not: what somebody lets refer to its tables must not hold them up.
    fn with_foreign_keys<T>(&self, then: impl FnOnce() -> Result<T, Setback>) -> Result<T, Setback> {
        let set = |sql| self.statement(sql).map_err(|error| Setback::Shared(error.into()));
        set("PRAGMA foreign_keys = ON")?;
        let result = then();
        // What was committed is told, whatever comes after.
        let _ = set("PRAGMA foreign_keys = OFF");
        result
    }

    fn whole(
        &self,
        id: RecordId,
        claim: Box<Change>,
        work: &mut Option<Work<SqliteStore>>,
    ) -> Result<Transacted, Setback> {
        let rolled_back = |why| Ok(Transacted::RolledBack(why));
        let mut transaction = Transaction::begun(self.conn(), self.clock()).map_err(Setback::Shared)?;
        let claimed = match transaction.apply(&id, &claim).map_err(Setback::OneOf)? {
            Done::Applied(stamped) => stored(id.clone(), *claim, stamped),
            Done::Found { snapshot, unmet } => return Ok(Transacted::Found { snapshot, unmet }),
            _ => return rolled_back(RolledBack::Unsettled),
        };
        let Some(work) = work.take() else { return rolled_back(RolledBack::Unsettled) };
        let bound = Bound::from_now(self.clock());
        let worked = {
            let _supervised = self.supervision().begin(bound.began);
            let _inside = Inside::begin();
            catch_unwind(AssertUnwindSafe(|| work(&Statements::on(self.conn(), bound), &claimed)))
        };
        let worked = worked.map_err(discard);
        let settlement = match worked {
            // A write that is interrupted ends the transaction as well.
            _ if bound.is_over() => return rolled_back(RolledBack::TookTooLong),
            // Such a statement has rolled back the claim too.
            _ if self.conn().is_autocommit() => return rolled_back(RolledBack::LeftTheTransaction),
            Err(()) => return rolled_back(RolledBack::Panicked),
            Ok(None) => return rolled_back(RolledBack::ByTheWork),
            Ok(Some(settlement)) => settlement,
        };
        let Done::Applied(stamped) = transaction.apply(&id, &settlement).map_err(Setback::OneOf)? else {
            return rolled_back(RolledBack::Unsettled);
        };
        transaction.finish().map_err(Setback::OneOf)?;
        match self.commit() {
            Err(Setback::Unknown(trouble)) if trouble.is_constraint() => {
                return rolled_back(RolledBack::BrokeAConstraint);
            }
            committed => committed?,
        }
        Ok(Transacted::Committed(Box::new(stored(id, settlement, stamped))))
    }
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread carries out somebody's work: a question to the ledger would wait for itself.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

struct Inside;

impl Inside {
    fn begin() -> Self {
        INSIDE.set(true);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Lets go of what belongs to the caller. Its destructors are the caller's code, and must not end the writer.
fn discard<T>(value: T) {
    if let Err(thrown) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(thrown);
    }
}

/// How long the work may go on.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'c> {
    clock: &'c dyn LedgerClock,
    began: i64,
}

impl<'c> Bound<'c> {
    fn from_now(clock: &'c dyn LedgerClock) -> Self {
        Self { clock, began: clock.boottime_ns() }
    }

    pub(crate) fn is_over(&self) -> bool {
        is_over(self.began, self.clock.boottime_ns())
    }
}

fn is_over(began: i64, now: i64) -> bool {
    let took = u64::try_from(now.saturating_sub(began)).unwrap_or_default();
    Duration::from_nanos(took) > LONGEST_WORK
}

/// Watches over the work's statements. It is part of the connection from its beginning, and does nothing for the ledger's
/// own.
#[derive(Debug, Default)]
pub(crate) struct Supervision {
    is_on: AtomicBool,
    began: AtomicI64,
}

impl Supervision {
    /// Makes it part of a connection.
    pub(crate) fn install(conn: &mut Connection, clock: &Arc<dyn LedgerClock>) -> Result<Arc<Self>, Trouble> {
        let all = Arc::new(Self::default());
        let (refuses, interrupts, clock) = (Arc::clone(&all), Arc::clone(&all), Arc::clone(clock));
        conn.authorizer(Some(move |context: AuthContext<'_>| {
            if refuses.is_on.load(Ordering::Relaxed) { allows(context) } else { Authorization::Allow }
        }))?;
        let clock = AssertUnwindSafe(clock);
        conn.progress_handler(
            STEPS,
            Some(move || {
                let clock = &clock;
                let is_on = interrupts.is_on.load(Ordering::Relaxed);
                is_on && is_over(interrupts.began.load(Ordering::Relaxed), clock.boottime_ns())
            }),
        )?;
        Ok(all)
    }

    fn begin(&self, began: i64) -> Supervised<'_> {
        self.began.store(began, Ordering::Relaxed);
        self.is_on.store(true, Ordering::Relaxed);
        Supervised(self)
    }
}

/// Ends the supervision, however the work ends.
struct Supervised<'s>(&'s Supervision);

impl Drop for Supervised<'_> {
    fn drop(&mut self) {
        self.0.is_on.store(false, Ordering::Relaxed);
    }
}
