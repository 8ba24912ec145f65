//! Duplicates long after, on clocks that go wrong: through the whole of `run`, on a ledger file.

use sluice::core::record::LedgerTime;
use sluice::core::retention::REMEMBER;
use sluice::{Code, Done, EffectSpec, Failure, Key, Reason, Sluice};
use sluice_sqlite::{LedgerClock, Options, SqliteStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const YEAR_MS: i64 = 365 * DAY_MS;
const NOON: i64 = 1_796_000_000_000;

/// A host: its clock on the wall, the one that never steps, and how often it was started.
#[derive(Debug)]
struct Host {
    boot: AtomicI64,
    since_boot_ms: AtomicI64,
    wall_ms: AtomicI64,
}

impl Host {
    fn new() -> Arc<Self> {
        Arc::new(Self { boot: 1.into(), since_boot_ms: 1_000.into(), wall_ms: NOON.into() })
    }

    fn pass(&self, days: i64) {
        self.since_boot_ms.fetch_add(days * DAY_MS, Ordering::SeqCst);
        self.wall_ms.fetch_add(days * DAY_MS, Ordering::SeqCst);
    }

    fn step_wall(&self, ms: i64) {
        self.wall_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// Off for some days; then the clock on the wall says this much more or less than it should.
    fn reboot(&self, days_off: i64, wrong_ms: i64) {
        self.boot.fetch_add(1, Ordering::SeqCst);
        self.since_boot_ms.store(1_000, Ordering::SeqCst);
        self.step_wall(days_off * DAY_MS + wrong_ms);
    }
}

impl LedgerClock for Host {
    fn boot_id(&self) -> Arc<str> {
        format!("boot-{}", self.boot.load(Ordering::SeqCst)).into()
    }

    fn boottime_ns(&self) -> i64 {
        self.since_boot_ms.load(Ordering::SeqCst) * 1_000_000
    }

    fn wall_ms(&self) -> i64 {
        self.wall_ms.load(Ordering::SeqCst)
    }
}

struct World {
    host: Arc<Host>,
    sluice: Sluice,
    runs: Arc<AtomicUsize>,
    _folder: tempfile::TempDir,
}

/// What a delivery heard.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Ran,
    Receipt,
    NoLongerKept,
    TooLate,
}

impl World {
    async fn new() -> Self {
        let host = Host::new();
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn LedgerClock> = Arc::<Host>::clone(&host);
        let options = Options { clock: Some(clock), ..Options::default() };
        let store = SqliteStore::open_with(folder.path().join("ledger.db"), options).await.unwrap();
        // Sweeping by turns is another test's; here everything that is due goes before every delivery.
        // The handle's own clock stands still while days pass on the host's, so that it must not recall anything.
        let sluice = Sluice::open(store).sweep_every(0).recall_room(0).build();
        Self { host, sluice, runs: Arc::default(), _folder: folder }
    }

    async fn deliver(&self, key: &str, first_sent: Option<i64>) -> Told {
        self.sluice.sweep().await.unwrap();
        let runs = self.runs.clone();
        let spec =
            EffectSpec { first_sent: first_sent.map(LedgerTime), ..EffectSpec::new(Key::new(key).unwrap()) };
        let before = runs.load(Ordering::SeqCst);
        let counted = runs.clone();
        let done = self.sluice.run(spec, move |_ctx| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, Failure>("receipt".to_owned()) }
        });
        let told = match done.await {
            Ok(Done::Executed(_)) => Told::Ran,
            Ok(Done::Replayed(receipt, _)) if receipt == "receipt" => Told::Receipt,
            Ok(Done::WithoutValue(meta)) if meta.reason == Some(Reason::Expired) => Told::NoLongerKept,
            Err(error) if error.code() == Code::TooLate => {
                assert!(!error.did_not_happen(), "nobody knows of earlier deliveries");
                Told::TooLate
            }
            other => panic!("{other:?}"),
        };
        let ran = runs.load(Ordering::SeqCst) - before;
        assert_eq!(ran, usize::from(told == Told::Ran), "{told:?}");
        told
    }

    async fn is_halted(&self) -> bool {
        self.sluice.store().condition().await.unwrap().is_halted
    }

    async fn accept(&self) {
        self.sluice.store().accept_clock("ada".into(), "looked at it".into()).await.unwrap();
    }
}

#[tokio::test]
async fn duplicates_at_day_6_8_89_and_91_hear_what_is_kept() {
    let world = World::new().await;
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::Ran);
    world.host.pass(6);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::Receipt);
    world.host.pass(2);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::NoLongerKept);
    world.host.pass(81);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::NoLongerKept);
    world.host.pass(2);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::TooLate);
    assert_eq!(world.deliver("k", None).await, Told::Ran, "a delivery that does not say when it was sent");
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::Receipt, "a record that is there always answers");
}

#[tokio::test]
async fn a_restart_in_between_changes_nothing() {
    let world = World::new().await;
    assert_eq!(world.deliver("k", None).await, Told::Ran);
    world.host.reboot(6, 0);
    assert_eq!(world.deliver("k", None).await, Told::Receipt);
    world.host.reboot(2, 30 * 60 * 1000);
    assert_eq!(world.deliver("k", None).await, Told::NoLongerKept);
    // A gap of more than thirty days over a restart would look like a clock that leapt.
    for days in [29, 29, 23] {
        world.host.reboot(days, 0);
        assert_eq!(world.deliver("k", Some(NOON)).await, Told::NoLongerKept);
    }
    assert!(!world.is_halted().await);
    world.host.reboot(2, 0);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::TooLate);
}

#[tokio::test]
async fn a_wall_clock_that_steps_by_ten_years_forgets_nothing_until_somebody_has_looked() {
    for step in [10 * YEAR_MS, -10 * YEAR_MS] {
        let world = World::new().await;
        assert_eq!(world.deliver("k", None).await, Told::Ran);
        world.host.step_wall(step);
        for days in [6, 2, 81, 2] {
            world.host.pass(days);
            assert_eq!(world.deliver("k", None).await, Told::Receipt);
            assert!(world.is_halted().await);
        }
        // New intents go on, judged on ledger time, which did not step.
        assert_eq!(world.deliver("new", Some(NOON + 91 * DAY_MS)).await, Told::Ran);
        assert_eq!(world.deliver("old", Some(NOON)).await, Told::TooLate);
        world.host.step_wall(-step);
        assert!(world.is_halted().await, "a halt ends by a person's word only");
        world.accept().await;
        assert_eq!(world.deliver("k", None).await, Told::Receipt, "every age counts anew");
        world.host.pass(8);
        assert_eq!(world.deliver("k", None).await, Told::NoLongerKept);
        world.host.pass(83);
        assert_eq!(world.deliver("k", Some(NOON)).await, Told::TooLate);
    }
}

#[tokio::test]
async fn after_a_dead_battery_clock_nothing_is_forgotten_and_what_is_new_is_refused_by_its_time() {
    let world = World::new().await;
    assert_eq!(world.deliver("k", None).await, Told::Ran);
    // Off for 91 days; then the host believes it is 1970, until its clock is set.
    let right = NOON + 91 * DAY_MS;
    world.host.reboot(0, -NOON);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::Receipt);
    assert_eq!(world.deliver("in 1970", Some(0)).await, Told::TooLate, "ledger time never goes back");
    world.host.step_wall(right);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::Receipt);
    assert!(world.is_halted().await);
    assert_eq!(world.deliver("new", Some(right)).await, Told::TooLate, "the ledger's time is behind");
    assert_eq!(world.deliver("new", None).await, Told::Ran);
    world.accept().await;
    assert_eq!(world.deliver("newer", Some(right)).await, Told::Ran);
    assert_eq!(
        world.deliver("k", None).await,
        Told::Receipt,
        "nobody knows how old it is, so it counts anew"
    );
    world.host.pass(91);
    assert_eq!(world.deliver("k", Some(NOON)).await, Told::TooLate);
}

#[tokio::test]
async fn a_clock_that_was_ten_years_ahead_after_a_restart_forgets_nothing_and_can_be_taken_back() {
    let world = World::new().await;
    assert_eq!(world.deliver("k", None).await, Told::Ran);
    world.host.reboot(1, 10 * YEAR_MS);
    assert_eq!(world.deliver("k", None).await, Told::Receipt);
    assert!(world.is_halted().await);
    assert_eq!(world.deliver("during", None).await, Told::Ran);
    assert_eq!(world.deliver("new", Some(NOON + DAY_MS)).await, Told::TooLate, "it seems ten years old");
    world.host.step_wall(-10 * YEAR_MS);
    world.accept().await;
    assert_eq!(world.deliver("new", Some(NOON + DAY_MS)).await, Told::Ran);
    world.host.pass(8);
    assert_eq!(world.deliver("during", None).await, Told::NoLongerKept, "what was stamped in the future too");
    world.host.pass(83);
    for key in ["k", "during", "new"] {
        assert_eq!(world.deliver(key, Some(NOON)).await, Told::TooLate, "{key}");
    }
}

#[tokio::test]
async fn a_future_that_is_further_away_than_clocks_differ_is_refused() {
    let world = World::new().await;
    assert_eq!(world.deliver("a", Some(NOON + 5 * 60 * 1000)).await, Told::Ran);
    assert_eq!(world.deliver("b", Some(NOON + 5 * 60 * 1000 + 1)).await, Told::TooLate);
    let oldest = NOON - i64::try_from(REMEMBER.as_millis()).unwrap() + DAY_MS;
    assert_eq!(world.deliver("c", Some(oldest)).await, Told::Ran);
    assert_eq!(world.deliver("d", Some(oldest - 1)).await, Told::TooLate);
}
