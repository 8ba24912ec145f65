//! The handler: one order is charged once.

use crate::answer;
use crate::stripe::Stripe;
use axum::Router;
use axum::extract::{Json, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sluice::core::downstream::Profile;
use sluice::core::http::{Answer, Table, Transport, classify, transport};
use sluice::core::record::LedgerTime;
use sluice::{Ctx, Done, Error, Failure, Intent, Sluice, Wait};
use std::sync::Arc;
use std::time::Duration;

/// What the handler works with.
#[derive(Clone, Debug)]
pub struct Shop {
    /// The ledger.
    pub sluice: Sluice,
    /// The provider.
    pub stripe: Arc<Stripe>,
}

/// What is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The order: there is one charge for each.
    pub order: String,
    /// Which card.
    pub card: String,
    /// How much, in cents.
    pub cents: u64,
}

/// The shop's routes.
pub fn routes(shop: Shop) -> Router {
    Router::new().route("/charges", post(charge)).with_state(shop)
}

/// `POST /charges`. A message id or trace header may come along: it tells deliveries apart, and never names the intent.
async fn charge(State(shop): State<Shop>, headers: HeaderMap, Json(order): Json<Order>) -> Response {
    let delivery = headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    answer::of(pay(&shop, order, delivery.as_deref()).await)
}

async fn pay(shop: &Shop, order: Order, delivery: Option<&str>) -> Result<Done<String>, Error> {
    let stripe = Profile::known("stripe").unwrap_or_default();
    let table = Table::for_target(&stripe);
    // The intent is the order. Card and amount are compared, so that one order is never charged in two ways.
    let intent = Intent::new().tool("charge_card").args(&json!({"order": order.order}));
    let mut effect = shop
        .sluice
        .effect(intent)
        .fingerprint(&order)
        .downstream(stripe)
        .wait(Wait::For(Duration::from_secs(5)))
        .deadline(Duration::from_secs(30));
    if let Some(delivery) = delivery {
        effect = effect.delivery(delivery);
    }
    let (provider, order) = (shop.stripe.clone(), Arc::new(order));
    effect
        .run(move |ctx| {
            let (provider, order, table) = (provider.clone(), order.clone(), table.clone());
            async move { send(&provider, &order, &table, &ctx) }
        })
        .await
}

/// Sends one request, and says what its answer tells of the effect.
fn send(stripe: &Stripe, order: &Order, table: &Table, ctx: &Ctx) -> Result<String, Failure> {
    ctx.may_send().map_err(Failure::not_begun)?;
    let Some(answer) = stripe.charge(ctx.downstream_key(), &order.card, order.cents) else {
        return Err(transport(Transport::ResetAfterSending).into());
    };
    let headers: Vec<_> = answer.headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
    let said = Answer { status: answer.status, headers: &headers, code: answer.code };
    // A wait given as a date needs a clock; this provider gives seconds.
    classify(&said, table, ctx.attempt() == 1 && ctx.epoch().0 == 1, LedgerTime(0)).map_err(Failure::from)?;
    let charge =
        answer.charge.ok_or_else(|| Failure::unknown("the provider says it is done, and not what"))?;
    ctx.object_id(charge.clone());
    Ok(charge)
}
