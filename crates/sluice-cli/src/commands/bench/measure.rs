//! The measurements one after the other.

use super::figures::{Figures, Filled, Flush, Measurement, Peak, Percentiles};
use super::floor::{DiskFresh, DiskReplays, Memory};
use super::load::Limits;
use super::rounds::{ROUNDS, beside, median};
use super::scratch::Place;
use super::subject::{Known, Subject};
use super::{BenchArgs, machine, progress, show};
use crate::exit;
use crate::report::Fail;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Opens every connection and gives replays something to find.
const WARM_UP: u64 = 1000;
const FILLERS: usize = 256;
/// Bounds what a ledger in memory and its floor take of it.
const MOST_IN_MEMORY: u64 = 200_000;

/// What to measure, and where.
pub struct Plan {
    callers: Vec<usize>,
    seconds: Duration,
    records: u64,
    place: Place,
    stop: Arc<AtomicBool>,
}

impl Plan {
    pub fn new(args: &BenchArgs, place: Place, stop: Arc<AtomicBool>) -> Self {
        let (callers, seconds, records) = (args.callers.0.clone(), args.seconds, args.records);
        Self { callers, seconds, records, place, stop }
    }

    /// Measures everything. Whatever it opened is closed again when it returns.
    pub fn carry_out(self) -> Result<Figures, Fail> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime =
            builder.worker_threads(cores()).enable_time().build().map_err(|_| {
                Fail::Status(exit::AWAY, "there are not enough threads to measure".to_owned())
            })?;
        match &self.place {
            Place::Memory if self.records > 0 => {
                Err(Fail::usage("--records fills a ledger on disk; memory: has none"))
            }
            Place::Memory => InMemory { plan: &self, runtime: &runtime }.figures(),
            Place::Disk { scratch, folder } => {
                let (ledger, warnings) = Subject::on_disk(&runtime, &scratch.join("ledger.db"))?;
                let disk = OnDisk { plan: &self, runtime: &runtime, ledger, scratch: scratch.clone() };
                let mut figures = disk.figures()?;
                figures.folder = Some(folder.display().to_string());
                figures.file_system = sluice_sqlite::filesystem::name_of(folder);
                figures.notes.extend(warnings);
                Ok(figures)
            }
        }
    }

    /// One turn of the subject or of its floor.
    fn turn(&self) -> Limits {
        Limits { length: self.seconds / (2 * ROUNDS), calls: u64::MAX, stop: self.stop.clone() }
    }

    fn figures(
        &self,
        store: &'static str,
        flush: Option<Flush>,
        filled: Option<Filled>,
        measurements: Vec<Measurement>,
    ) -> Result<Figures, Fail> {
        let keys = machine::keys(&self.turn())?;
        let notes = show::notes(store, flush.as_ref());
        let (cores, seconds) = (cores(), self.seconds.as_secs_f64());
        let (folder, file_system) = (None, None);
        Ok(Figures { store, folder, file_system, cores, seconds, flush, keys, filled, measurements, notes })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

struct InMemory<'p> {
    plan: &'p Plan,
    runtime: &'p Runtime,
}

impl InMemory<'_> {
    fn figures(&self) -> Result<Figures, Fail> {
        let each = self.plan.callers.iter().map(|callers| self.measurement(*callers));
        let measurements = each.collect::<Result<_, _>>()?;
        self.plan.figures("memory", None, None, measurements)
    }

    fn measurement(&self, callers: usize) -> Result<Measurement, Fail> {
        let (runtime, turn) = (self.runtime, Limits { calls: MOST_IN_MEMORY, ..self.plan.turn() });
        progress(&format!("{callers} callers: fresh effects"));
        // Both begin each turn with nothing, so that neither is measured against the other's full map.
        let fresh = beside(
            || Subject::in_memory().fresh(runtime, callers, &turn),
            || Memory::default().fresh(runtime, callers, &turn),
        )?;
        progress(&format!("{callers} callers: replays"));
        let (subject, floor) = (Subject::in_memory(), Memory::default());
        let filling = Limits { calls: WARM_UP, length: Duration::MAX, ..turn.clone() };
        subject.fresh(runtime, callers, &filling)?;
        floor.fresh(runtime, callers, &filling)?;
        let turn = self.plan.turn();
        let replay =
            beside(|| subject.replays(runtime, callers, &turn), || floor.replays(runtime, callers, &turn))?;
        let lookup =
            beside(|| subject.lookups(runtime, callers, &turn), || floor.replays(runtime, callers, &turn))?;
        Ok(Measurement { callers, fresh, replay, lookup })
    }
}

struct OnDisk<'p> {
    plan: &'p Plan,
    runtime: &'p Runtime,
    ledger: Subject,
    scratch: PathBuf,
}

impl OnDisk<'_> {
    fn figures(&self) -> Result<Figures, Fail> {
        progress("flushes");
        let flush = machine::flush(&self.scratch, &self.plan.turn())?;
        self.fill(&self.ledger, WARM_UP)?;
        let filled = (self.plan.records > 0).then(|| self.filled()).transpose()?;
        let mut floor = DiskFresh::new(&self.scratch.join("floor.db"))?;
        let each = self.plan.callers.iter().map(|callers| self.measurement(*callers, &mut floor));
        let measurements = each.collect::<Result<_, _>>()?;
        self.plan.figures("sqlite", Some(flush), filled, measurements)
    }

    fn measurement(&self, callers: usize, floor: &mut DiskFresh) -> Result<Measurement, Fail> {
        let (runtime, turn) = (self.runtime, self.plan.turn());
        progress(&format!("{callers} callers: fresh effects"));
        let fresh = beside(|| self.ledger.fresh(runtime, callers, &turn), || floor.run(&turn))?;
        progress(&format!("{callers} callers: replays"));
        let (file, records) = (self.scratch.join("ledger.db"), self.ledger.records());
        let mut floor = DiskReplays::new(&file, callers, Known::last(records))?;
        let replay = beside(|| self.ledger.replays(runtime, callers, &turn), || floor.run(&turn))?;
        progress(&format!("{callers} callers: lookups"));
        let mut floor = DiskReplays::new(&file, callers, Known::all(records))?;
        let lookup = beside(|| self.ledger.lookups(runtime, callers, &turn), || floor.run(&turn))?;
        Ok(Measurement { callers, fresh, replay, lookup })
    }

    fn fill(&self, ledger: &Subject, records: u64) -> Result<f64, Fail> {
        let filling = Limits { length: Duration::MAX, calls: records, ..self.plan.turn() };
        Ok(ledger.fresh(self.runtime, FILLERS, &filling)?.per_second())
    }

    /// Fills the ledger, and looks at the claims of one caller in it and in an empty one by turns.
    fn filled(&self) -> Result<Filled, Fail> {
        let records = self.plan.records;
        progress(&format!("filling {records} records"));
        self.fill(&self.ledger, records / 10)?;
        let at_a_tenth = machine::peak_memory_kib();
        let per_second = self.fill(&self.ledger, records - records / 10)?;
        let peak_memory_kib = Peak { at_a_tenth, at_the_end: machine::peak_memory_kib() };
        // What filling left to be written would slow both ledgers down, and hide how they differ.
        machine::write_back(&self.scratch);
        progress("claims beside those of an empty ledger");
        let (empty, _) = Subject::on_disk(self.runtime, &self.scratch.join("empty.db"))?;
        let (turn, mut claims) = (self.plan.turn(), Vec::new());
        for _ in 0..ROUNDS {
            let full = Percentiles::of(&self.ledger.fresh(self.runtime, 1, &turn)?.claims).p50_ms;
            let none = Percentiles::of(&empty.fresh(self.runtime, 1, &turn)?.claims).p50_ms;
            claims.push((full, none));
        }
        Ok(Filled {
            records,
            per_second,
            peak_memory_kib,
            claim_p50_ms: median(claims.iter().map(|(full, _)| *full)),
            claim_p50_ms_empty: median(claims.iter().map(|(_, none)| *none)),
            times_empty: median(claims.iter().map(|(full, none)| full / none)),
        })
    }
}
