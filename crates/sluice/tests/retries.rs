//! What failed is tried again under one claim, and what may have happened is never told as "it did not".

mod common;

use common::world::{World, in_virtual_time, s};
use sluice::core::downstream::Profile;
use sluice::core::ids::RecordId;
use sluice::core::state::Status;
use sluice::{Code, Ctx, Done, EffectSpec, Error, Failure, Key, Sluice};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn spec(key: &str) -> EffectSpec {
    EffectSpec::new(Key::new(key).unwrap())
}

/// A target that honours keys for so long, and declares nothing as a proof.
fn honours(remembers: Duration) -> Profile {
    let json =
        format!(r#"{{"name":"psp","header":"Idempotency-Key","remembers_ms":{}}}"#, remembers.as_millis());
    Profile::parse(&json).unwrap()
}

/// An effect that ends as planned, attempt by attempt, and when each attempt began.
#[derive(Clone, Default)]
struct Script {
    ends: Arc<Mutex<Vec<Result<u32, Failure>>>>,
    begun: Arc<Mutex<Vec<(Duration, String)>>>,
}

impl Script {
    fn of(ends: impl IntoIterator<Item = Result<u32, Failure>>) -> Self {
        let mut ends: Vec<_> = ends.into_iter().collect();
        ends.reverse();
        Self { ends: Arc::new(Mutex::new(ends)), ..Self::default() }
    }

    async fn run(&self, world: &World, sluice: &Sluice, spec: EffectSpec) -> Result<Done<u32>, Error> {
        let (script, clock) = (self.clone(), world.ports.clock.clone());
        let act = move |ctx: Ctx| {
            let key = ctx.downstream_key().to_owned();
            script.begun.lock().unwrap().push((clock.elapsed(), key));
            let end = script.ends.lock().unwrap().pop().expect("an attempt that was not planned");
            async move { end }
        };
        sluice.run(spec, act).await
    }

    fn attempts(&self) -> usize {
        self.begun.lock().unwrap().len()
    }

    fn pauses(&self) -> Vec<Duration> {
        self.begun.lock().unwrap().windows(2).map(|two| two[1].0.saturating_sub(two[0].0)).collect()
    }
}

async fn status(sluice: &Sluice, key: &str) -> Status {
    let id = RecordId::new(sluice.namespace().unwrap().clone(), Key::new(key).unwrap());
    sluice.look(&id).await.unwrap().unwrap().record.body.status
}

fn down() -> Result<u32, Failure> {
    Err(Failure::transient("down"))
}

fn silent() -> Result<u32, Failure> {
    Err(Failure::unknown("no answer"))
}

fn declined() -> Result<u32, Failure> {
    Err(Failure::permanent("card declined"))
}

/// Plays one script and tells how it ended.
async fn ends(
    spec: EffectSpec,
    ends: Vec<Result<u32, Failure>>,
) -> (Result<Done<u32>, Error>, Status, Script) {
    let world = World::new();
    let sluice = world.worker();
    let script = Script::of(ends);
    let key = spec.key.as_str().to_owned();
    let told = script.run(&world, &sluice, spec).await;
    (told, status(&sluice, &key).await, script)
}

#[test]
fn a_transient_failure_is_tried_three_times_with_growing_jittered_waits() {
    in_virtual_time(async {
        let (told, status, script) = ends(spec("k"), vec![down(), down(), down()]).await;
        let error = told.unwrap_err();
        assert_eq!((error.code(), error.did_not_happen(), status), (Code::Released, true, Status::Released));
        assert!(error.to_string().contains("3 attempts"), "{error}");
        let pauses = script.pauses();
        assert!(pauses.len() == 2 && pauses[0] < s(1) / 5 && pauses[1] < s(1) * 2 / 5, "{pauses:?}");
        let (told, status, script) = ends(spec("k"), vec![down(), Ok(7)]).await;
        assert_eq!((told.unwrap(), status, script.attempts()), (Done::Executed(7), Status::Succeeded, 2));
    });
}

#[test]
fn a_permanent_failure_and_an_unknown_one_are_not_tried_again() {
    in_virtual_time(async {
        let (told, status, script) = ends(spec("k"), vec![declined()]).await;
        assert_eq!((told.unwrap_err().code(), status), (Code::EffectFailed, Status::Failed));
        assert_eq!(script.attempts(), 1);
        let (told, status, script) = ends(spec("k"), vec![silent()]).await;
        assert_eq!((told.unwrap_err().code(), status), (Code::Indeterminate, Status::Indeterminate));
        assert_eq!(script.attempts(), 1);
    });
}

#[test]
fn an_unknown_attempt_is_repeated_where_the_target_honours_the_key_and_under_the_same_one() {
    in_virtual_time(async {
        let spec = EffectSpec { downstream: Some(honours(s(86_400))), ..spec("k") };
        let (told, status, script) = ends(spec, vec![silent(), silent(), Ok(7)]).await;
        assert_eq!((told.unwrap(), status), (Done::Executed(7), Status::Succeeded));
        let keys: Vec<_> = script.begun.lock().unwrap().iter().map(|(_, key)| key.clone()).collect();
        assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]));
    });
}

#[test]
fn a_later_definite_answer_never_launders_an_unknown_attempt() {
    in_virtual_time(async {
        let refused = || Err(Failure::transient("connection refused"));
        let laundered = [
            vec![silent(), refused(), refused()],
            vec![silent(), Err(Failure::permanent("422: other parameters"))],
            vec![silent(), Err(Failure::not_started("stopped")), refused()],
        ];
        for script in laundered {
            let spec = EffectSpec { downstream: Some(honours(s(86_400))), ..spec("k") };
            let (told, status, _) = ends(spec, script).await;
            let error = told.unwrap_err();
            assert_eq!((error.code(), status), (Code::Indeterminate, Status::Indeterminate));
            assert!(
                !error.did_not_happen() && error.to_string().contains("an earlier attempt may have happened")
            );
        }
    });
}

#[test]
fn an_answer_that_the_profile_takes_for_a_proof_clears_the_doubt() {
    in_virtual_time(async {
        let spec = EffectSpec { downstream: Some(honours(s(86_400))), ..spec("k") };
        let proof = Failure::permanent("never seen").proving_no_earlier_one_landed();
        let (told, status, _) = ends(spec, vec![silent(), Err(proof)]).await;
        assert_eq!((told.unwrap_err().code(), status), (Code::EffectFailed, Status::Failed));
    });
}

#[test]
fn nothing_is_repeated_past_the_window_of_the_target() {
    in_virtual_time(async {
        // Of two minutes one is relied on, and an attempt without a bound is given a minute of its own.
        let short = EffectSpec { downstream: Some(honours(s(120))), ..spec("k") };
        let (told, status, script) = ends(short, vec![silent()]).await;
        assert_eq!((script.attempts(), status), (1, Status::Indeterminate));
        assert!(told.unwrap_err().to_string().contains("may soon have forgotten the key"));
        let mut bounded = EffectSpec { downstream: Some(honours(s(120))), ..spec("k") };
        bounded.terms.attempt_timeout = Some(s(5));
        let (told, _, script) = ends(bounded, vec![silent(), Ok(7)]).await;
        assert_eq!((told.unwrap(), script.attempts()), (Done::Executed(7), 2));
    });
}

#[test]
fn what_an_answer_asks_for_is_waited_for_or_ends_the_attempts_at_once() {
    in_virtual_time(async {
        let asked = |wait: u64| Err(Failure::transient("busy").with_retry_after(s(wait)));
        let (told, _, script) = ends(spec("k"), vec![asked(20), Ok(7)]).await;
        assert_eq!(told.unwrap(), Done::Executed(7));
        assert!(script.pauses()[0] >= s(20));
        let (told, status, script) = ends(spec("k"), vec![asked(61)]).await;
        let error = told.unwrap_err();
        assert_eq!((script.attempts(), status, error.code()), (1, Status::Released, Code::Released));
        assert_eq!(error.details().safe_after, Some(s(61)));
        let bounded = EffectSpec { deadline: Some(s(10)), ..spec("k") };
        let (told, status, script) = ends(bounded, vec![asked(20)]).await;
        assert_eq!((script.attempts(), status), (1, Status::Released));
        assert!(told.unwrap_err().did_not_happen());
    });
}

#[test]
fn the_deadline_ends_attempts_that_did_not_happen_as_a_deadline_and_the_others_as_unknown() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        // What runs when the deadline passes is told to stop, and nobody knows.
        let spec = EffectSpec { deadline: Some(s(5)), ..spec("slow") };
        let told = sluice.run(spec.clone(), |ctx: Ctx| async move {
            ctx.cancelled().await;
            Err::<u32, _>(Failure::unknown("stopped"))
        });
        assert_eq!(told.await.unwrap_err().code(), Code::Indeterminate);
        let waiting = EffectSpec { deadline: Some(s(5)), ..EffectSpec::new(Key::new("held").unwrap()) };
        let holder = sluice.clone();
        let held = waiting.key.clone();
        let task = tokio::spawn(async move {
            holder
                .run(EffectSpec::new(held), |_| async {
                    tokio::time::sleep(s(20)).await;
                    Ok(7_u32)
                })
                .await
        });
        tokio::task::yield_now().await;
        let told = sluice.run(waiting, |_| async { Ok(8_u32) }).await.unwrap_err();
        assert_eq!(told.code(), Code::Deadline);
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(7));
    });
}

#[test]
fn a_seed_gives_exactly_one_sequence_of_waits() {
    in_virtual_time(async {
        let mut spec = spec("k");
        spec.retry.backoff.tries = 6;
        let script = || (0..6).map(|_| down()).collect();
        let (_, _, first) = ends(spec.clone(), script()).await;
        let (_, _, second) = ends(spec, script()).await;
        assert_eq!(first.pauses(), second.pauses());
        assert_eq!(first.pauses().len(), 5);
    });
}

#[test]
fn a_context_of_an_earlier_attempt_may_start_nothing_more() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let seen: Arc<Mutex<Vec<Ctx>>> = Arc::default();
        let earlier = seen.clone();
        let told = sluice.run(spec("k"), move |ctx: Ctx| {
            let before = earlier.lock().unwrap().last().cloned();
            earlier.lock().unwrap().push(ctx.clone());
            async move {
                match before {
                    None => Err(Failure::transient("down")),
                    Some(before) => {
                        assert!(before.is_cancelled() && before.may_send().is_err());
                        before.cancelled().await;
                        assert!(ctx.may_send().is_ok() && !ctx.is_cancelled());
                        Ok(ctx.attempt())
                    }
                }
            }
        });
        assert_eq!(told.await.unwrap(), Done::Executed(2));
    });
}

#[test]
fn a_lease_is_not_renewed_for_ever() {
    in_virtual_time(async {
        let world = World::new();
        let sluice = world.worker();
        let mut spec = EffectSpec { max_lease: s(120), ..spec("k") };
        spec.terms.lease = s(30);
        let runner = sluice.clone();
        let task = tokio::spawn(async move {
            runner
                .run(spec, |_| async {
                    tokio::time::sleep(s(600)).await;
                    Ok(7_u32)
                })
                .await
        });
        tokio::time::sleep(s(110)).await;
        assert_eq!(status(&sluice, "k").await, Status::InFlight);
        assert_eq!(sluice.recover().await.unwrap().lapsed, 0);
        tokio::time::sleep(s(60)).await;
        assert_eq!(sluice.recover().await.unwrap().lapsed, 1);
        assert_eq!(status(&sluice, "k").await, Status::Indeterminate);
        // What it did all the same is believed.
        assert_eq!(task.await.unwrap().unwrap(), Done::Executed(7));
        assert_eq!(status(&sluice, "k").await, Status::Succeeded);
    });
}

#[test]
fn neither_budget_nor_circuit_nor_deadline_launders_an_unknown_attempt() {
    use sluice::core::retry::Budget;
    in_virtual_time(async {
        let honoured = || EffectSpec { downstream: Some(honours(s(86_400))), ..spec("k") };
        let world = World::new();
        let empty = Budget { per_call_milli: 0, per_second_milli: 0, reserve: 0, most: 0 };
        let no_budget = world.builder().retry_budget(empty).build();
        let told = Script::of([silent()]).run(&world, &no_budget, honoured()).await.unwrap_err();
        assert_eq!((told.code(), told.did_not_happen()), (Code::Indeterminate, false));
        assert!(told.to_string().contains("no more retries"), "{told}");

        let world = World::new();
        let sluice = world.worker();
        // Four in trouble already: the fifth opens the circuit while it is in doubt itself.
        for call in 0..4 {
            let other = EffectSpec { circuit: Some("psp".into()), ..spec(&format!("other {call}")) };
            Script::of([silent()]).run(&world, &sluice, other).await.unwrap_err();
        }
        let script = Script::of([silent()]);
        let told = script.run(&world, &sluice, honoured()).await.unwrap_err();
        assert_eq!((told.code(), script.attempts()), (Code::Indeterminate, 1));
        assert!(told.to_string().contains("target is in trouble"), "{told}");

        let world = World::new();
        let sluice = world.worker();
        let soon = EffectSpec { deadline: Some(Duration::from_millis(1)), ..honoured() };
        let script = Script::of([silent()]);
        let told = script.run(&world, &sluice, soon).await.unwrap_err();
        assert_eq!((told.code(), script.attempts()), (Code::Indeterminate, 1));

        let world = World::new();
        let sluice = world.worker();
        let asked = Err(Failure::unknown("503").with_retry_after(s(600)));
        let told = Script::of([asked]).run(&world, &sluice, honoured()).await.unwrap_err();
        assert_eq!((told.code(), told.did_not_happen()), (Code::Indeterminate, false));
    });
}
