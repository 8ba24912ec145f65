//! Ledgers, each with a story that a person has to understand. `UPDATE_SNAPSHOTS=1` writes them anew.

use super::Story;
use sluice::core::decide::{Judgement, Ruling};
use sluice::core::downstream::Profile;
use sluice::core::holder::{GoneBecause, Liveness};
use sluice::core::ids::{Epoch, RecordId};
use sluice::core::outcome::{Kept, NotKept};
use sluice::core::store::{Store, Upkeep};
use sluice::core::trail::{EventDraft, EventKind};
use sluice::system;
use sluice::{Ctx, EffectSpec, Failure, Key, MemoryStore, Namespace, OnFailed, Sluice};
use sluice_testkit::clock::{CountedChance, ManualClock};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A ledger on a clock that only moves when told to.
struct World {
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    sluice: Sluice,
}

const GONE: Liveness = Liveness::Gone(GoneBecause::LockFree);

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let chance = Arc::new(CountedChance::default());
        let store = Arc::new(MemoryStore::in_world(clock.clone(), chance.as_ref(), 100));
        let mut ports = system::ports();
        (ports.clock, ports.chance) = (clock.clone(), chance);
        let sluice = Sluice::open_shared(store.clone()).ports(ports).sweep_every(0).build();
        Self { clock, store, sluice }
    }

    fn spec() -> EffectSpec {
        let mut spec = EffectSpec::new(Key::new("order-17").unwrap());
        spec.labels.tool = Some("charge_card".to_owned());
        spec.labels.actor = Some("agent-4".to_owned());
        spec
    }

    fn id() -> RecordId {
        RecordId::new(Namespace::default(), Key::new("order-17").unwrap())
    }

    async fn run<F, Fut>(&self, spec: EffectSpec, effect: F)
    where
        F: FnMut(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<String, Failure>> + Send + 'static,
    {
        self.clock.advance(Duration::from_secs(1));
        let _ = self.sluice.run(spec, effect).await;
    }

    async fn charge(&self, spec: EffectSpec) {
        self.run(spec, |ctx| async move {
            ctx.object_id("ch_1");
            Ok("receipt".to_owned())
        })
        .await;
    }

    async fn fails(&self, spec: EffectSpec, failure: fn() -> Failure) {
        self.run(spec, move |_ctx| async move { Err(failure()) }).await;
    }

    /// A claim whose holder says nothing more.
    async fn abandoned(&self, spec: EffectSpec) {
        self.clock.advance(Duration::from_secs(1));
        let sluice = self.sluice.clone();
        let (started, begun) = tokio::sync::oneshot::channel();
        let mut started = Some(started);
        tokio::spawn(async move {
            let _ = sluice
                .run(spec, move |_ctx| {
                    let started = started.take();
                    async move {
                        let _ = started.map(|started| started.send(()));
                        std::future::pending::<Result<String, Failure>>().await
                    }
                })
                .await;
        });
        begun.await.unwrap();
    }

    async fn resolve(&self, judgement: Judgement, epoch: Option<u64>) {
        let ruling = Ruling {
            epoch: epoch.map(Epoch),
            judgement,
            by: "ada".to_owned(),
            reason: "looked at the provider's list".to_owned(),
            force: true,
        };
        self.clock.advance(Duration::from_mins(10));
        self.sluice.resolve(&Self::id(), &ruling).await.unwrap();
    }

    async fn story(&self, holder: Liveness) -> Story {
        self.sluice.tidy(Duration::from_secs(1)).await;
        Story {
            found: self.store.read(&Self::id()).await.unwrap().unwrap(),
            events: self.store.events(&Self::id()).await.unwrap(),
            deliveries: self.store.deliveries(&Self::id()).await.unwrap(),
            condition: self.store.condition().await.unwrap(),
            holder,
            pid: matches!(holder, Liveness::Alive(_)).then_some(4711),
            target: None,
            is_kept_aside: false,
        }
    }

    async fn tells(&self, name: &str, holder: Liveness) {
        self.tells_of(name, holder, None).await;
    }

    async fn tells_of(&self, name: &str, holder: Liveness, target: Option<Profile>) {
        let story = Story { target, ..self.story(holder).await };
        let told = story.lines().join("\n") + "\n";
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/commands/explain/stories/{name}.txt"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &told).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(told, expected, "{}", path.display());
    }
}

fn delivered(spec: EffectSpec, id: &str) -> EffectSpec {
    EffectSpec { delivery: sluice::core::deliveries::DeliveryId::new(id).ok(), ..spec }
}

#[tokio::test]
async fn done_once_and_delivered_again() {
    let world = World::new();
    world.charge(delivered(World::spec(), "msg-1")).await;
    world.charge(delivered(World::spec(), "msg-2")).await;
    world.charge(delivered(World::spec(), r#"{"attempt":3,"id":"msg-3"}"#)).await;
    world.tells("done", Liveness::Unknown).await;
}

#[tokio::test]
async fn done_long_ago() {
    let world = World::new();
    world.charge(World::spec()).await;
    world.clock.advance(Duration::from_hours(8 * 24));
    world.sluice.sweep().await.unwrap();
    world.charge(World::spec()).await;
    world.tells("tombstone", Liveness::Unknown).await;
}

#[tokio::test]
async fn failed_for_good() {
    let world = World::new();
    world.fails(World::spec(), || Failure::permanent("the card was declined")).await;
    world.charge(World::spec()).await;
    world.tells("failed", Liveness::Unknown).await;
}

#[tokio::test]
async fn failed_then_run_again_on_purpose() {
    let world = World::new();
    world.fails(World::spec(), || Failure::permanent("the card was declined")).await;
    world.sluice.reopen(&World::id(), "ada", "the card was replaced").await.unwrap();
    world.fails(World::spec(), || Failure::permanent("the card was declined again")).await;
    world.charge(EffectSpec { on_failed: OnFailed::Rerun, ..World::spec() }).await;
    world.tells("reopened", Liveness::Unknown).await;
}

#[tokio::test]
async fn released() {
    let world = World::new();
    world.fails(World::spec(), || Failure::transient("the target is down for maintenance")).await;
    world.tells("released", Liveness::Unknown).await;
}

#[tokio::test]
async fn running_now() {
    let world = World::new();
    world.abandoned(World::spec()).await;
    world.tells("running", Liveness::Alive(None)).await;
}

#[tokio::test]
async fn killed_in_the_middle() {
    let world = World::new();
    world.abandoned(World::spec()).await;
    world.clock.advance(Duration::from_secs(35));
    world.charge(delivered(World::spec(), "msg-2")).await;
    world.tells("killed", GONE).await;
}

#[tokio::test]
async fn killed_and_not_delivered_again() {
    let world = World::new();
    world.abandoned(World::spec()).await;
    world.tells("gone", GONE).await;
}

#[tokio::test]
async fn killed_before_its_mark() {
    let world = World::new();
    let terms =
        sluice::core::record::Terms { declares_marks: true, ..sluice::core::record::Terms::default() };
    world.abandoned(EffectSpec { terms, ..World::spec() }).await;
    world.tells("unmarked", GONE).await;
}

#[tokio::test]
async fn left_alone_by_what_started_it() {
    let world = World::new();
    world.abandoned(World::spec()).await;
    world.clock.advance(Duration::from_secs(35));
    world.tells("orphan", Liveness::Alive(None)).await;
}

#[tokio::test]
async fn unknown_at_a_target_that_recognises_keys() {
    let world = World::new();
    world.fails(World::spec(), || Failure::unknown("the connection broke")).await;
    world.tells_of("by_key", Liveness::Unknown, Profile::known("stripe")).await;
}

#[tokio::test]
async fn unknown_and_maybe_still_acting() {
    let world = World::new();
    world.abandoned(EffectSpec { terms: repeatable(), ..World::spec() }).await;
    world.clock.advance(Duration::from_secs(35));
    world.charge(World::spec()).await;
    world.tells("not_quiet", Liveness::Unknown).await;
}

fn repeatable() -> sluice::core::record::Terms {
    sluice::core::record::Terms { repeatable: true, ..sluice::core::record::Terms::default() }
}

#[tokio::test]
async fn resolved_by_a_person_after_two_executions() {
    let world = World::new();
    let spec = EffectSpec { terms: repeatable(), ..World::spec() };
    world.fails(spec.clone(), || Failure::unknown("the connection broke")).await;
    world.fails(spec, || Failure::unknown("the connection broke again")).await;
    world.resolve(Judgement::DidNotLand, Some(1)).await;
    world.resolve(Judgement::Landed(Kept::absent(NotKept::NeverGiven)), Some(2)).await;
    world.tells("resolved", Liveness::Unknown).await;
}

#[tokio::test]
async fn done_twice_with_a_conflict_on_a_host_whose_clock_jumped() {
    let world = World::new();
    let spec = EffectSpec { terms: repeatable(), ..World::spec() };
    world.fails(spec.clone(), || Failure::unknown("the connection broke")).await;
    world.charge(spec).await;
    world.store.notice(World::id(), EventDraft::new(EventKind::KeyConflict)).await.unwrap();
    let found = world.store.read(&World::id()).await.unwrap().unwrap();
    let event = EventDraft::new(EventKind::Evidence).about(Epoch(1), None);
    let change =
        sluice::core::change::Change::of(&found, sluice::core::state::Transition::Witness, event, |set| {
            set.landed.insert(Epoch(1));
        });
    world.store.apply(World::id(), change.unwrap()).await.unwrap();
    world.clock.step_wall(2 * 60 * 60 * 1000);
    world.store.sweep(1).await.unwrap();
    world.tells("double_effect", Liveness::Unknown).await;
}
