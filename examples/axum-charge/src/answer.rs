//! What sluice knows, as HTTP.
//!
//! | sluice | status | what the client does |
//! |---|---|---|
//! | done, now or before | 200 | nothing; `idempotent-replayed: true` where it was done before |
//! | the key belongs to a different request | 422 | sends another order |
//! | it runs elsewhere | 409 and `retry-after` | asks again, unchanged |
//! | it did not happen, and may be asked for again | 503 and `retry-after` | asks again, unchanged |
//! | the target is in trouble | 503 and `retry-after` | the same |
//! | it failed for good | 402 | another card, as another order |
//! | nobody knows | 202 | waits: it is being looked into. Never a 5xx, which clients take for "try again with a new key" |
//! | bad input | 400 | mends it |

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sluice::{Code, Done, Error};
use std::time::Duration;

/// Turns an outcome into a response.
pub fn of(outcome: Result<Done<String>, Error>) -> Response {
    match outcome {
        Ok(Done::Executed(charge)) => said(StatusCode::OK, &json!({"charge": charge})),
        Ok(Done::Replayed(charge, _)) => replayed(&json!({"charge": charge})),
        Ok(Done::WithoutValue(meta)) => replayed(&json!({"charge": meta.object_id})),
        Err(error) => refused(&error),
    }
}

fn replayed(body: &Value) -> Response {
    let mut response = said(StatusCode::OK, body);
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    response
}

fn refused(error: &Error) -> Response {
    let status = match error.code() {
        Code::KeyConflict => StatusCode::UNPROCESSABLE_ENTITY,
        Code::InFlight | Code::WaitTimeout | Code::Duplicate => StatusCode::CONFLICT,
        Code::EffectFailed => StatusCode::PAYMENT_REQUIRED,
        Code::Indeterminate => StatusCode::ACCEPTED,
        Code::TooLate => StatusCode::GONE,
        Code::InvalidKey | Code::InvalidInput => StatusCode::BAD_REQUEST,
        Code::Config => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let body = json!({
        "error": error.code().as_str(),
        "said": error.to_string(),
        "did_not_happen": error.did_not_happen(),
        "what_now": error.advice(),
    });
    let mut response = said(status, &body);
    if matches!(status, StatusCode::CONFLICT | StatusCode::SERVICE_UNAVAILABLE) {
        let wait = error.details().safe_after.unwrap_or(Duration::from_secs(1));
        let seconds = HeaderValue::from(wait.as_secs().max(1));
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

fn said(status: StatusCode, body: &Value) -> Response {
    (status, Json(body.clone())).into_response()
}
