//! What is looked at, one function each.

use super::finding::Finding;
use crate::child::locks::Locks;
use crate::commands::bench;
use crate::open::state_folder;
use crate::report::Fail;
use crate::run::witness::LockJudge;
use crate::spool::Spool;
use crate::text::{in_words, printable, rfc3339, rough};
use sluice::core::holder::Liveness;
use sluice::core::ports::Witness;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::{Condition, Query, Store, Upkeep};
use sluice::core::trail::EventKind;
use sluice_sqlite::filesystem::{Verdict, name_of};
use sluice_sqlite::{Facts, SqliteStore};
use std::path::Path;
use std::time::Duration;

/// How much a clock on the wall may differ before it is worth a word.
const SLACK_MS: u64 = 5 * 60 * 1000;
/// How many results and records may be due before somebody should sweep.
const BACKLOG: u64 = 10_000;

/// Looks at everything.
pub async fn all(store: &SqliteStore, deep: bool) -> Result<Vec<Finding>, Fail> {
    let facts = store.facts()?;
    let condition = store.condition().await?;
    let mut findings = vec![ledger(store, &facts), filesystem(store.path(), &facts), mode(&facts)];
    findings.extend([durability(store.path(), &facts), room(&facts), soundness(store, deep)?]);
    findings.extend([clock(&condition), retention(store, &facts, &condition).await?]);
    findings.extend([oldest_claim(store).await?, doubts(store).await?, locks(store), unrecorded(store)]);
    Ok(findings)
}

/// What can be looked at where there is no ledger to open.
pub fn place(path: &Path) -> Vec<Finding> {
    let folder = path.parent().unwrap_or(path);
    let shown = folder.display();
    let mut findings = vec![match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Finding::fine("folder", shown.to_string()),
        _ => Finding::problem("folder", format!("{shown} is not there"), "make it, or mount it"),
    }];
    if let Some(name) = name_of(folder) {
        findings.push(Finding::fine("file system", name));
    }
    findings
}

fn ledger(store: &SqliteStore, facts: &Facts) -> Finding {
    let seen = format!(
        "{}, format {}, SQLite {}, {} records, {} ({} free, log {})",
        store.path().display(),
        facts.format,
        facts.sqlite,
        facts.records,
        size(facts.bytes),
        size(facts.free_bytes),
        size(facts.log_bytes),
    );
    Finding::fine("ledger", seen)
}

fn filesystem(path: &Path, facts: &Facts) -> Finding {
    let name = name_of(path).unwrap_or_else(|| "unknown".to_owned());
    match facts.filesystem {
        Verdict::Fine => Finding::fine("file system", name),
        Verdict::Warn(kind) => Finding::warning(
            "file system",
            format!("{kind}: what it keeps is gone with the host or the container"),
            "put the ledger on a disk that stays: --store sqlite:PATH",
        ),
        Verdict::Refuse(kind) => Finding::problem(
            "file system",
            format!("{kind} cannot keep a ledger"),
            "put the ledger on a local disk: --store sqlite:PATH",
        ),
    }
}

fn mode(facts: &Facts) -> Finding {
    let seen = format!("{:04o}", facts.mode);
    if facts.mode.trailing_zeros() >= 6 {
        Finding::fine("access", format!("{seen}, only its owner"))
    } else {
        Finding::warning(
            "access",
            format!("{seen}: others can read outputs of commands"),
            "chmod 600 the file",
        )
    }
}

fn durability(path: &Path, facts: &Facts) -> Finding {
    let settings = format!("journal {}, synchronous {}", facts.journal_mode, facts.synchronous);
    if facts.journal_mode != "wal" || facts.synchronous < 2 {
        return Finding::problem(
            "durability",
            settings,
            "this is a bug in sluice: every ledger is made durable",
        );
    }
    match bench::flush_ms(path.parent().unwrap_or(path)) {
        Some(ms) => Finding::fine("durability", format!("{settings}, a flush takes {ms:.2} ms")),
        None => Finding::problem(
            "durability",
            format!("{settings}, but nothing can be written beside the ledger"),
            "make room in its folder, and let this user write there",
        ),
    }
}

fn room(facts: &Facts) -> Finding {
    match facts.room {
        None => Finding::fine("room", "the file system does not say"),
        Some(room) if room < 64 * 1024 * 1024 => Finding::problem(
            "room",
            format!("{} are left", size(room)),
            "make room: without it no effect can be claimed or settled",
        ),
        Some(room) => Finding::fine("room", format!("{} are left", size(room))),
    }
}

fn soundness(store: &SqliteStore, deep: bool) -> Result<Finding, Fail> {
    if !deep {
        return Ok(Finding::fine("damage", "not looked for; --deep reads the whole file"));
    }
    Ok(if store.is_sound(true)? {
        Finding::fine("damage", "none found")
    } else {
        let next = "stop everything that uses it, copy file and log, and restore the newest sound copy";
        Finding::problem("damage", "the file is damaged", next)
    })
}

fn clock(condition: &Condition) -> Finding {
    let seen = format!("ledger time {}, this host says {}", rfc3339(condition.time), rfc3339(condition.wall));
    if condition.is_halted {
        let next = "nothing is forgotten until somebody has looked: see that the clock of this host is right, then \
                    sluice doctor --accept-clock --reason WHY";
        Finding::problem("clock", seen, next)
    } else if condition.time.0.abs_diff(condition.wall.0) > SLACK_MS {
        Finding::warning(
            "clock",
            seen,
            "let the host keep its time: beyond an hour nothing is forgotten any more",
        )
    } else {
        Finding::fine("clock", seen)
    }
}

async fn retention(store: &SqliteStore, facts: &Facts, condition: &Condition) -> Result<Finding, Fail> {
    let events = store.ledger_events(50).await?;
    let swept = events.into_iter().find(|event| event.draft.kind == EventKind::Swept);
    let last = swept.map_or_else(
        || "nothing was forgotten yet".to_owned(),
        |event| format!("last at {}", rfc3339(event.at)),
    );
    let seen = format!("{} results and records are due; {last}", facts.due);
    Ok(if facts.due > BACKLOG && !condition.is_halted {
        Finding::warning("retention", seen, "run sluice sweep, or more often")
    } else {
        Finding::fine("retention", seen)
    })
}

async fn oldest_claim(store: &SqliteStore) -> Result<Finding, Fail> {
    let running = every(store, Status::InFlight).await?;
    let Some(oldest) = running.iter().min_by_key(|found| found.record.updated) else {
        return Ok(Finding::fine("claims", "nothing is in flight"));
    };
    let judge = LockJudge::new(Locks::beside(store.path()));
    let holder = judge.judge(&oldest.record.body.holder);
    let is_over = holder.is_gone() || !oldest.lease.is_live() && !matches!(holder, Liveness::Alive(_));
    let age = store.condition().await?.time.0.saturating_sub(oldest.record.updated.0);
    let seen = format!(
        "{} in flight, the oldest for {}: {}",
        running.len(),
        rough(Duration::from_millis(u64::try_from(age).unwrap_or_default())),
        printable(oldest.record.id.key.as_str())
    );
    Ok(if is_over {
        let next = format!("what ran it is gone: sluice explain {}", in_words(&oldest.record.id));
        Finding::warning("claims", seen, next)
    } else {
        Finding::fine("claims", seen)
    })
}

async fn doubts(store: &SqliteStore) -> Result<Finding, Fail> {
    let doubts = every(store, Status::Indeterminate).await?.len();
    Ok(if doubts == 0 {
        Finding::fine("doubts", "nothing is indeterminate")
    } else {
        Finding::warning("doubts", format!("nobody knows what became of {doubts} intents"), "sluice todo")
    })
}

/// Every record of a state that few records are in for long.
async fn every(store: &SqliteStore, status: Status) -> Result<Vec<Snapshot>, Fail> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let query = Query { statuses: vec![status], limit: 1000, after, ..Query::default() };
        let page = store.list(query).await?;
        all.extend(page.items);
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(all),
        }
    }
}

fn locks(store: &SqliteStore) -> Finding {
    let locks = Locks::beside(store.path());
    let (all, idle) = (locks.count(), locks.idle().len());
    let seen = format!("{all} lock files, {idle} of them idle");
    if idle > 1000 {
        Finding::warning("locks", seen, "sluice sweep removes those that prove nothing any more")
    } else {
        Finding::fine("locks", seen)
    }
}

fn unrecorded(store: &SqliteStore) -> Finding {
    let Ok(folder) = state_folder() else {
        let next = "set HOME or XDG_STATE_HOME, so that an outcome the ledger does not take is kept aside";
        return Finding::warning("unrecorded", "there is no state folder", next);
    };
    let waiting = Spool::of(&folder, &store.ledger().id).files().len();
    if waiting == 0 {
        Finding::fine("unrecorded", "no outcome waits to be taken in")
    } else {
        let next = "the next sluice run on this ledger takes them in";
        Finding::warning("unrecorded", format!("{waiting} outcomes are not in the ledger"), next)
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes / 1_048_576),
        _ => format!("{} GiB", bytes / 1_073_741_824),
    }
}
