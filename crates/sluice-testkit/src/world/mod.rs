//! A deterministic world: the real runtime and the real rules over virtual time, a network that loses things, a target with
//! books of its own, processes that die, and people who are wrong.
//!
//! One seed gives one trace, always. A [`Plan`] says who lives in a world and what goes wrong there; [`World::run`] plays it
//! and gives a [`Told`]: what happened, and which invariant broke, if one did.
//!
//! ```
//! use sluice_testkit::scenarios::Scenario;
//! use sluice_testkit::world::World;
//! let plan = Scenario::DuplicateDelivery.plan(7);
//! let told = World::new(plan.clone()).run();
//! assert!(told.violations.is_empty(), "{told}");
//! assert_eq!(told.trace, World::new(plan).run().trace, "one seed, one trace");
//! ```

mod dice;
mod handler;
mod life;
mod net;
mod plan;
mod play;
mod ports;
mod scheduler;
mod stage;
mod target;

pub use dice::{Dice, SeededChance};
pub use handler::{Handled, Handler, Line};
pub use net::NetStore;
pub use plan::{
    Care, Delivered, Fate, Intended, Mishap, Op, Operator, Plan, Point, TargetFate, TargetPlan, Weather,
    Worker,
};
pub use play::{Told, World};
pub use ports::HostClock;
pub use scheduler::{Nap, Owner, Scheduler};
pub use stage::Stage;
pub use target::{Landing, Reply, Request, Target};

use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
