//! What clients of the shop see, and what the provider's books say.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum_charge::shop::{Shop, routes};
use axum_charge::stripe::{Stripe, Weather};
use serde_json::{Value, json};
use sluice::{Asked, Failure, Probe, Prober, Sluice};
use sluice_sqlite::SqliteStore;
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;

struct Here {
    _folder: TempDir,
    shop: Router,
    sluice: Sluice,
    stripe: Arc<Stripe>,
}

async fn here() -> Here {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("ledger.db")).await.unwrap();
    let (sluice, stripe) = (Sluice::open(store).build(), Arc::new(Stripe::default()));
    let shop = routes(Shop { sluice: sluice.clone(), stripe: stripe.clone() });
    Here { _folder: folder, shop, sluice, stripe }
}

impl Here {
    async fn post(&self, order: &str, card: &str, cents: u64) -> (StatusCode, Value, Option<String>) {
        let body = json!({"order": order, "card": card, "cents": cents}).to_string();
        let request = Request::post("/charges").header("content-type", "application/json");
        let response = self.shop.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        let (status, retry_after) = (response.status(), response.headers().get("retry-after").cloned());
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let retry_after = retry_after.map(|value| value.to_str().unwrap().to_owned());
        (status, serde_json::from_slice(&body).unwrap(), retry_after)
    }
}

#[tokio::test]
async fn one_order_is_charged_once_however_often_it_is_posted() {
    let here = here().await;
    for _ in 0..3 {
        let (status, body, _) = here.post("o-1", "tok_visa", 1999).await;
        assert_eq!((status, &body["charge"]), (StatusCode::OK, &json!("ch_1")));
    }
    let (status, body, _) = here.post("o-1", "tok_other", 1999).await;
    assert_eq!((status, &body["error"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("E_KEY_CONFLICT")));
    assert_eq!(here.stripe.charges().len(), 1);
}

#[tokio::test]
async fn an_answer_that_got_lost_is_asked_for_again_under_the_same_key() {
    let here = here().await;
    here.stripe.plan([Weather::Silent, Weather::Silent]);
    let (status, body, _) = here.post("o-1", "tok_visa", 1999).await;
    assert_eq!((status, &body["charge"]), (StatusCode::OK, &json!("ch_1")));
    assert_eq!(here.stripe.charges(), [("tok_visa".to_owned(), 1999)]);
}

#[tokio::test]
async fn a_declined_card_is_told_and_a_rate_limit_is_waited_for() {
    let here = here().await;
    here.stripe.plan([Weather::TooMany, Weather::Declined]);
    let (status, body, _) = here.post("o-1", "tok_visa", 1999).await;
    assert_eq!((status, &body["did_not_happen"]), (StatusCode::PAYMENT_REQUIRED, &json!(true)));
    assert_eq!(here.post("o-1", "tok_visa", 1999).await.0, StatusCode::PAYMENT_REQUIRED);
    assert_eq!(here.stripe.charges(), []);
}

#[tokio::test]
async fn a_provider_that_breaks_down_leaves_it_unknown_until_somebody_finds_out() {
    let here = here().await;
    // The same key gives the same 500 for ever, so that no retry of it helps.
    here.stripe.plan([Weather::BreaksDown]);
    let (status, body, _) = here.post("o-1", "tok_visa", 1999).await;
    assert_eq!((status, &body["error"]), (StatusCode::ACCEPTED, &json!("E_INDETERMINATE")));
    assert_eq!(here.post("o-1", "tok_visa", 1999).await.0, StatusCode::ACCEPTED);
    let prober = Prober::new(|_: Asked| async { Ok::<Probe<String>, Failure>(Probe::DidNotLand) });
    assert_eq!(here.sluice.probe_all(&prober).await.unwrap(), 1);
    // It is known now that it did not happen, and the key stays: the provider goes on to answer 500 under it.
    let (status, _, _) = here.post("o-1", "tok_visa", 1999).await;
    assert_eq!((status, here.stripe.charges().len()), (StatusCode::ACCEPTED, 0));
}

#[tokio::test]
async fn a_target_in_trouble_is_spared_with_a_time() {
    let here = here().await;
    for order in 0..6 {
        here.stripe.plan([Weather::TooMany, Weather::TooMany, Weather::TooMany]);
        here.post(&format!("o-{order}"), "tok_visa", 1999).await;
    }
    let (status, body, retry_after) = here.post("o-9", "tok_visa", 1999).await;
    assert_eq!((status, &body["error"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("E_CIRCUIT_OPEN")));
    assert!(retry_after.unwrap().parse::<u64>().unwrap() > 5);
}

#[tokio::test]
async fn what_is_no_order_is_refused_before_anything_is_claimed() {
    let here = here().await;
    let request = Request::post("/charges").header("content-type", "application/json");
    let response = here.shop.clone().oneshot(request.body(Body::from("{")).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
}
