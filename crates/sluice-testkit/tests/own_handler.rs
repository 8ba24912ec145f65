//! A handler of one's own in the world, with a payment target: the one that is right, and one that many write.

use sluice::{Ctx, Failure};
use sluice_testkit::scenarios::Scenario;
use sluice_testkit::world::{Handled, Handler, Line, Reply, World};
use std::sync::Arc;

/// Charges a card, and says what it knows: silence is no answer.
async fn charge(line: Line, ctx: Ctx) -> Result<String, Failure> {
    ctx.may_send().map_err(Failure::not_begun)?;
    match line.send(&ctx).await {
        Some(Reply::Receipt(receipt)) => Ok(receipt),
        Some(Reply::Declined) => Err(Failure::permanent("the card was declined")),
        Some(Reply::Down) => Err(Failure::transient("the provider is down")),
        None => Err(Failure::unknown("the provider did not answer")),
    }
}

/// The same, but a provider that says nothing is taken for one that did nothing.
async fn charge_carelessly(line: Line, ctx: Ctx) -> Result<String, Failure> {
    match line.send(&ctx).await {
        Some(Reply::Receipt(receipt)) => Ok(receipt),
        _ => Err(Failure::transient("the provider did not answer, so try again")),
    }
}

fn handler(careless: bool) -> Handler {
    Arc::new(move |handled: Handled| {
        let Handled { sluice, spec, line } = handled;
        Box::pin(async move {
            sluice
                .run(spec, move |ctx| {
                    let line = line.clone();
                    async move {
                        if careless { charge_carelessly(line, ctx).await } else { charge(line, ctx).await }
                    }
                })
                .await
        })
    })
}

/// How many of so many worlds broke a promise with that handler.
fn broken(scenario: Scenario, careless: bool) -> usize {
    let worlds = (0..40).map(|seed| World::new(scenario.plan(seed)).handled_by(handler(careless)).run());
    worlds.filter(|told| !told.violations.is_empty()).count()
}

#[test]
fn a_handler_that_says_what_it_knows_breaks_nothing() {
    for scenario in [Scenario::DuplicateDelivery, Scenario::KeyReuse, Scenario::Orphan, Scenario::StoreOutage]
    {
        assert_eq!(broken(scenario, false), 0, "{}", scenario.as_str());
    }
}

#[test]
fn a_handler_that_takes_silence_for_a_failure_charges_twice_and_is_caught() {
    assert!(broken(Scenario::KeyReuse, true) > 0);
}
