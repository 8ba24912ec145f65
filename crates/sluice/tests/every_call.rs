//! Every call to the ledger fails once in every way, one after the other: whatever is answered is true, and the effect
//! happens once at most.

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::ids::RecordId;
use sluice::core::outcome::Outcome;
use sluice::core::record::{Record, Terms};
use sluice::core::state::Status;
use sluice::{Ctx, Done, EffectSpec, Error, Failure, Key, Namespace, Sluice};
use sluice_testkit::faults::{Call, Fault};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What an effect does.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Succeeds,
    MarksAndSucceeds,
    TakesLong,
    IsDeclined,
    IsDown,
    DoesNotKnow,
}

const EFFECTS: [Effect; 6] = [
    Effect::Succeeds,
    Effect::MarksAndSucceeds,
    Effect::TakesLong,
    Effect::IsDeclined,
    Effect::IsDown,
    Effect::DoesNotKnow,
];

impl Effect {
    fn spec(self) -> EffectSpec {
        let terms =
            Terms { lease: s(3), declares_marks: matches!(self, Self::MarksAndSucceeds), ..Terms::default() };
        EffectSpec { terms, ..EffectSpec::new(Key::new("k").unwrap()) }
    }

    async fn perform(self, ctx: Ctx, landed: Arc<AtomicUsize>) -> Result<u32, Failure> {
        match self {
            Self::MarksAndSucceeds => ctx.mark().await.map_err(|_| Failure::not_started("no mark"))?,
            // Longer than the lease: it is renewed meanwhile.
            Self::TakesLong => tokio::time::sleep(s(7)).await,
            Self::IsDeclined => return Err(Failure::permanent("declined")),
            Self::IsDown => return Err(Failure::transient("down")),
            Self::Succeeds | Self::DoesNotKnow => {}
        }
        landed.fetch_add(1, Ordering::SeqCst);
        if matches!(self, Self::DoesNotKnow) { Err(Failure::unknown("the line broke")) } else { Ok(7) }
    }
}

struct Case {
    world: World,
    effect: Effect,
    landed: Arc<AtomicUsize>,
}

impl Case {
    fn new(effect: Effect) -> Self {
        Self { world: World::new(), effect, landed: Arc::default() }
    }

    async fn deliver(&self, sluice: &Sluice) -> Result<Done<u32>, Error> {
        let (effect, landed) = (self.effect, self.landed.clone());
        sluice.run(effect.spec(), move |ctx| effect.perform(ctx, landed.clone())).await
    }

    /// Two deliveries at once, and two more when all is quiet.
    async fn play(&self) {
        let (one, other) = (self.world.worker(), self.world.worker());
        let (first, second) = tokio::join!(self.deliver(&one), self.deliver(&other));
        self.check(&first);
        self.check(&second);
        one.drain(s(600)).await;
        other.drain(s(600)).await;
        tokio::time::sleep(s(100)).await;
        // The fault may only come up now, so that the last word is one delivery later.
        for _ in 0..2 {
            let later = self.deliver(&one).await;
            self.check(&later);
            one.drain(s(600)).await;
            tokio::time::sleep(s(100)).await;
        }
        // What nobody delivers again lapses when somebody recovers.
        one.recover().await.unwrap();
        self.check_record(self.record().await.as_ref());
    }

    async fn record(&self) -> Option<Record> {
        let id = RecordId::new(Namespace::default(), Key::new("k").unwrap());
        self.world.store.inner().read(&id).await.unwrap().map(|found| found.record)
    }

    fn landed(&self) -> usize {
        self.landed.load(Ordering::SeqCst)
    }

    fn check(&self, told: &Result<Done<u32>, Error>) {
        match told {
            Ok(done) => {
                assert_eq!(self.landed(), 1, "a success that did not happen");
                let value = match done {
                    Done::Executed(value) | Done::Replayed(value, _) => *value,
                    Done::WithoutValue(_) => 7,
                };
                assert_eq!(value, 7);
            }
            Err(error) if error.did_not_happen() => {
                assert_eq!(self.landed(), 0, "{} of what happened", error.code());
            }
            Err(_) => {}
        }
    }

    fn check_record(&self, record: Option<&Record>) {
        assert!(self.landed() <= 1, "it happened {} times", self.landed());
        let Some(record) = record else { return assert_eq!(self.landed(), 0) };
        match record.body.status {
            Status::Succeeded => {
                assert!(self.landed() == 1 && matches!(record.body.outcome, Outcome::Success(_)));
            }
            Status::Failed | Status::Released => assert_eq!(self.landed(), 0, "{}", record.body.status),
            Status::Indeterminate => {}
            Status::InFlight => panic!("something is still in flight when all is quiet"),
        }
    }
}

#[test]
fn whatever_call_fails_in_whatever_way_no_answer_is_untrue_and_nothing_happens_twice() {
    let mut played = 0;
    for effect in EFFECTS {
        let calls = count(effect);
        for (call, number) in &calls {
            for fault in [Fault::Before, Fault::Lost, Fault::After, Fault::Twice] {
                println!("{effect:?}: {fault:?} at {call:?} {number}");
                in_virtual_time(async {
                    let case = Case::new(effect);
                    case.world.store.plan(*call, *number, fault.clone());
                    Box::pin(case.play()).await;
                });
                played += 1;
            }
        }
    }
    assert!(played > 200, "only {played} faults were played");
}

/// Every call that the play makes where nothing fails, and two more of each kind: a fault can lead to more.
fn count(effect: Effect) -> Vec<(Call, usize)> {
    let mut calls = Vec::new();
    in_virtual_time(async {
        let case = Case::new(effect);
        Box::pin(case.play()).await;
        for call in [Call::Read, Call::Apply, Call::Renew, Call::Notice] {
            let made = case.world.store.calls(call);
            calls.extend((1..=made + 2).map(|number| (call, number)));
        }
    });
    calls
}

#[test]
fn a_ledger_that_goes_away_at_any_call_and_comes_back_makes_no_answer_untrue() {
    for effect in EFFECTS {
        for (call, number) in count(effect) {
            for away in [Duration::from_millis(500), s(10), s(90)] {
                println!("{effect:?}: away for {away:?} from {call:?} {number} on");
                in_virtual_time(async {
                    let case = Case::new(effect);
                    let gate = sluice_testkit::faults::Gate::new();
                    case.world.store.plan(call, number, Fault::HoldBefore(gate.clone()));
                    let (store, opened) = (case.world.store.clone(), gate.clone());
                    let outage = tokio::spawn(async move {
                        gate.arrived(1).await;
                        store.set_away(true);
                        opened.open();
                        tokio::time::sleep(away).await;
                        store.set_away(false);
                    });
                    Box::pin(case.play()).await;
                    outage.abort();
                });
            }
        }
    }
}
