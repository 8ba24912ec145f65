//! Makes a small world of a large one in which the same invariant breaks.

use crate::invariants::Invariant;
use crate::plants::How;
use crate::world::{Mishap, Plan, TargetFate, TargetPlan, Weather, World};

/// Takes away whatever is not needed for one of these invariants to break, until nothing can be taken away any more.
pub fn shrink(plan: &Plan, planted: Option<How>, broken: &[Invariant]) -> Plan {
    let mut smallest = plan.clone();
    loop {
        let smaller = candidates(&smallest).into_iter().find(|candidate| breaks(candidate, planted, broken));
        match smaller {
            Some(smaller) => smallest = smaller,
            None => return smallest,
        }
    }
}

fn breaks(plan: &Plan, planted: Option<How>, broken: &[Invariant]) -> bool {
    let world = match planted {
        Some(how) => World::with(plan.clone(), how),
        None => World::new(plan.clone()),
    };
    world.run().violations.iter().any(|violation| broken.contains(&violation.invariant))
}

/// Every plan that is one step smaller, the largest steps first.
fn candidates(plan: &Plan) -> Vec<Plan> {
    let mut all = Vec::new();
    let mut with = |edit: &dyn Fn(&mut Plan)| {
        let mut candidate = plan.clone();
        edit(&mut candidate);
        if candidate != *plan {
            all.push(candidate);
        }
    };
    with(&|plan| plan.weather = Weather::default());
    with(&|plan| plan.target = TargetPlan::default());
    // What the target draws depends on everything before it, so that little can be left out; what is planned does not.
    for nth in 1..=3 {
        for fate in [TargetFate::LandsSilently, TargetFate::Lost, TargetFate::Down, TargetFate::Declines] {
            with(&|plan| {
                if plan.target.silent + plan.target.down + plan.target.declines > 0 {
                    (plan.target.silent, plan.target.down, plan.target.declines) = (0, 0, 0);
                    plan.mishaps.push(Mishap::Target(nth, fate));
                }
            });
        }
    }
    with(&|plan| plan.operators.clear());
    with(&|plan| plan.mishaps.truncate(plan.mishaps.len() / 2));
    with(&|plan| plan.deliveries.truncate(plan.deliveries.len() / 2));
    for at in 0..plan.intents.len() {
        with(&|plan| without_intent(plan, at));
    }
    for at in 0..plan.mishaps.len() {
        with(&|plan| {
            plan.mishaps.remove(at);
        });
    }
    for at in 0..plan.operators.len() {
        with(&|plan| {
            plan.operators.remove(at);
        });
    }
    for at in 0..plan.deliveries.len() {
        with(&|plan| {
            plan.deliveries.remove(at);
        });
    }
    with(&|plan| plan.workers.iter_mut().for_each(|worker| worker.drift_ppm = 0));
    with(&|plan| plan.intents.iter_mut().for_each(|intent| intent.timeout = None));
    with(&|plan| plan.intents.iter_mut().for_each(|intent| intent.think_ms = (1, 1)));
    all
}

fn without_intent(plan: &mut Plan, at: usize) {
    if plan.intents.len() == 1 {
        return;
    }
    plan.intents.remove(at);
    plan.deliveries.retain(|delivery| delivery.intent != at);
    for delivery in &mut plan.deliveries {
        if delivery.intent > at {
            delivery.intent -= 1;
        }
    }
}

/// A test to paste, for a plan in which something broke.
///
/// ```
/// use sluice_testkit::{chaos, scenarios::Scenario, world::Plan};
/// let plan = Scenario::Orphan.plan(1);
/// let test = chaos::as_test("an_orphan", &plan);
/// let json = test.split("r#\"").nth(1).unwrap().split("\"#").next().unwrap();
/// assert_eq!(Plan::from_json(json).unwrap(), plan);
/// ```
pub fn as_test(name: &str, plan: &Plan) -> String {
    format!(
        "#[test]\nfn {name}() {{\n    let plan = Plan::from_json(r#\"{}\"#).unwrap();\n    let told = \
         World::new(plan).run();\n    assert!(told.violations.is_empty(), \"{{told}}\");\n}}\n",
        plan.to_json()
    )
}
