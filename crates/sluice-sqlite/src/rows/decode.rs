//! Columns as a record, in the order of `STAMPS` and `BODY`.

use super::{Cells, Found};
use crate::classify::Trouble;
use crate::clock::LeaseEnd;
use crate::names;
use sluice_core::holder::Holder;
use sluice_core::ids::{Epoch, RecordId, Version};
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome};
use sluice_core::record::{Body, Downstream, Labels, LedgerTime, Record, Terms};
use sluice_core::state::Status;
use std::time::Duration;

impl Found {
    /// Reads a record whose name is known; its columns stand first in the row.
    pub(crate) fn read(cells: &mut Cells<'_>, id: RecordId) -> Result<Self, Trouble> {
        let row = cells.next()?;
        let version = Version(cells.count()?);
        let incarnation = cells.count()?;
        let created = LedgerTime(cells.next()?);
        let updated = LedgerTime(cells.next()?);
        let lease = LeaseEnd { boot: cells.next()?, until_ns: cells.next()? };
        let body = body(cells)?;
        Ok(Self { row, record: Record { id, version, incarnation, created, updated, body }, lease })
    }
}

fn body(cells: &mut Cells<'_>) -> Result<Body, Trouble> {
    Ok(Body {
        status: cells.name(Status::parse)?,
        epoch: Epoch(cells.count()?),
        claim: cells.claim()?,
        holder: holder(cells)?,
        terms: terms(cells)?,
        marked: cells.next()?,
        labels: labels(cells)?,
        fingerprint: names::fingerprint(cells.next()?, cells.next()?)?,
        unresolved: cells.json()?.unwrap_or_default(),
        landed: cells.json()?.unwrap_or_default(),
        evidence: kept(cells)?,
        downstream: downstream(cells)?,
        outcome: outcome(cells)?,
    })
}

fn holder(cells: &mut Cells<'_>) -> Result<Holder, Trouble> {
    Ok(Holder {
        machine: cells.next()?,
        boot: cells.next()?,
        pid: cells.count()?,
        pid_start: cells.optional_count()?,
        process_group: cells.optional_count()?,
        lock: cells.next()?,
    })
}

fn terms(cells: &mut Cells<'_>) -> Result<Terms, Trouble> {
    Ok(Terms {
        lease: Duration::from_millis(cells.count()?),
        attempt_timeout: cells.optional_count()?.map(Duration::from_millis),
        declares_marks: cells.next()?,
        repeatable: cells.next::<Option<bool>>()?.unwrap_or_default(),
        keep_result: Duration::from_millis(cells.count()?),
        remember: Duration::from_millis(cells.count()?),
    })
}

fn labels(cells: &mut Cells<'_>) -> Result<Labels, Trouble> {
    Ok(Labels { tool: cells.next()?, actor: cells.next()?, run_id: cells.next()?, object_id: cells.next()? })
}

fn downstream(cells: &mut Cells<'_>) -> Result<Downstream, Trouble> {
    Ok(Downstream {
        key: cells.next()?,
        rotation: cells.count()?,
        first_used: cells.next::<Option<i64>>()?.map(LedgerTime),
    })
}

fn outcome(cells: &mut Cells<'_>) -> Result<Outcome, Trouble> {
    let fault: Option<Fault> = cells.json()?;
    match (fault, kept(cells)?) {
        (None, None) => Ok(Outcome::None),
        (None, Some(kept)) => Ok(Outcome::Success(kept)),
        (Some(fault), None) => Ok(Outcome::Fault(fault)),
        (Some(_), Some(_)) => Err(cells.bad()),
    }
}

/// A result is there if its text is, or the reason why it is not; never both.
fn kept(cells: &mut Cells<'_>) -> Result<Option<Kept>, Trouble> {
    let bytes = cells.optional_count()?;
    let sha256 = cells.next()?;
    let not_kept = cells.optional_name(NotKept::parse)?;
    let text: Option<Vec<u8>> = cells.next()?;
    let value = match (text, not_kept) {
        (None, None) => return Ok(None),
        (Some(text), None) => Ok(text),
        (None, Some(reason)) => Err(reason),
        (Some(_), Some(_)) => return Err(cells.bad()),
    };
    Ok(Some(Kept { bytes, sha256, value }))
}
