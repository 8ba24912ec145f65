//! `sluice recover`: settles what ended without a word, as far as it can be known. It performs no effect.

use super::StoreArg;
use crate::child::locks::Locks;
use crate::child::signals::{Arriving, ending};
use crate::exit;
use crate::open::place;
use crate::report::Fail;
use crate::run::probe::{IsBroken, prober};
use crate::run::take_in;
use crate::run::witness::LockJudge;
use crate::spool::Spool;
use clap::Args;
use serde_json::json;
use sluice::core::record::Snapshot;
use sluice::core::state::Status;
use sluice::core::store::{Query, Store};
use sluice::{Prober, Sluice};
use sluice_sqlite::SqliteStore;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct RecoverArgs {
    /// A shell command that asks the target about what nobody knows, as for sluice run --probe
    #[arg(long, value_name = "CMD")]
    probe: Option<String>,
    /// Go on until a signal ends it
    #[arg(long)]
    watch: bool,
    /// How long to pause between two rounds
    #[arg(long, value_name = "TIME", default_value = "30s", requires = "watch", value_parser = humantime::parse_duration)]
    every: Duration,
    /// One JSON document for each round
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub async fn recover(args: RecoverArgs) -> Result<u8, Fail> {
    let store = place(args.store.store.as_deref())?.open_existing().await?;
    let mut signals = ending().map_err(|_| Fail::Status(exit::BUG, "signals cannot be heard".to_owned()))?;
    let recovery = Recovery::new(store, args.probe.as_deref());
    loop {
        let round = tokio::select! {
            biased;
            _ = signals.next_ending() => return Ok(exit::OK),
            round = recovery.round() => round,
        };
        match round {
            Ok(round) => round.tell(args.json),
            // A watcher outlives the troubles of its ledger.
            Err(fail) if args.watch => drop(fail.report()),
            Err(fail) => return Err(fail),
        }
        if !args.watch || pause(&mut signals, args.every).await {
            return Ok(if recovery.has_broken_probe() { exit::NOT_FOUND } else { exit::OK });
        }
    }
}

/// Waits for the next round; true where somebody wants the end.
async fn pause(signals: &mut Arriving, every: Duration) -> bool {
    tokio::select! {
        biased;
        _ = signals.next_ending() => true,
        () = tokio::time::sleep(every) => false,
    }
}

struct Recovery {
    store: Arc<SqliteStore>,
    sluice: Sluice,
    spool: Option<Spool>,
    prober: Option<(Prober, IsBroken)>,
}

/// What one round did.
struct Round {
    taken_in: usize,
    lapsed: usize,
    running: usize,
    probed: usize,
    in_doubt: usize,
}

impl Recovery {
    fn new(store: Arc<SqliteStore>, probe: Option<&str>) -> Self {
        let mut ports = sluice::system::ports();
        ports.witness = Arc::new(LockJudge::new(Locks::beside(store.path())));
        let spool = Spool::of_store(&store);
        let sluice = Sluice::open_shared(store.clone()).ports(ports).build();
        Self { store, sluice, spool, prober: probe.map(prober) }
    }

    fn has_broken_probe(&self) -> bool {
        self.prober.as_ref().is_some_and(|(_, broken)| broken.load(Ordering::SeqCst))
    }

    async fn round(&self) -> Result<Round, Fail> {
        let taken_in = match &self.spool {
            Some(spool) => take_in(&self.sluice, spool).await,
            None => 0,
        };
        let recovered = self.sluice.recover().await?;
        let probed = match &self.prober {
            Some((prober, _)) => self.sluice.probe_all(prober).await?,
            None => 0,
        };
        let (in_doubt, outlived) = self.in_doubt().await?;
        let running = recovered.running + outlived;
        Ok(Round { taken_in, lapsed: recovered.lapsed, running, probed, in_doubt })
    }

    /// Of how many nobody knows, and of how many of those something still runs.
    async fn in_doubt(&self) -> Result<(usize, usize), Fail> {
        let locks = Locks::beside(self.store.path());
        let (mut count, mut outlived, mut after) = (0, 0, None);
        loop {
            let query =
                Query { statuses: vec![Status::Indeterminate], limit: 1000, after, ..Query::default() };
            let page = self.store.list(query).await?;
            count += page.items.len();
            let alive = |found: &&Snapshot| locks.seen_alive(&found.record.body.holder).is_some();
            outlived += page.items.iter().filter(alive).count();
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok((count, outlived)),
            }
        }
    }
}

impl Round {
    fn tell(&self, as_json: bool) {
        let Self { taken_in, lapsed, running, probed, in_doubt } = self;
        if as_json {
            crate::report::tell!(
                "{}",
                json!({
                    "v": 1,
                    "taken_in": taken_in,
                    "lapsed": lapsed,
                    "running": running,
                    "probed": probed,
                    "in_doubt": in_doubt,
                })
            );
            return;
        }
        crate::report::tell!(
            "{taken_in} outcomes taken in, {lapsed} ended claims settled, {probed} answered by the probe; {running} still run, \
             of {in_doubt} nobody knows"
        );
        if *in_doubt > 0 {
            crate::report::tell!("  look: sluice todo");
        }
    }
}
