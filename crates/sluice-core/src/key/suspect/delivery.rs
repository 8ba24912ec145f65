//! Is it the id of one delivery?
//!
//! An event id is not: a producer that sends an event again sends the same id. So `evt_…`, the `id` of a
//! cloud event, `webhook-id` and GitHub's `X-GitHub-Delivery` are no findings, and neither is a UUID under a name that
//! says nothing.

use super::words::Words;
use crate::key::json::Json;

/// Names that end so are ids of deliveries, whatever comes before.
const ENDINGS: [&str; 25] = [
    "correlation id",
    "trace id",
    "span id",
    "trace parent",
    "trace state",
    "trace context",
    "tool call id",
    "tool use id",
    "invocation id",
    "mcp session id",
    "receipt handle",
    "delivery tag",
    "ack id",
    "lock token",
    "progress token",
    "deduplication id",
    "dedup id",
    "dedupe id",
    "deduplication key",
    "dedup key",
    "dedupe key",
    "idempotency key",
    "idempotency id",
    "idempotency token",
    "cf ray",
];

/// Names that are ids of deliveries alone, and the name of something in the business behind another word: a pull
/// request and a parcel delivery have ids of their own.
const ALONE: [&str; 3] = ["request id", "delivery id", "attempt id"];

const TRANSPORT: [&str; 22] = [
    "x", "http", "api", "aws", "amz", "amzn", "ms", "grpc", "rpc", "json", "jsonrpc", "mcp", "lambda",
    "gateway", "server", "webhook", "hook", "callback", "queue", "message", "checkout", "retry",
];

/// Messages that are a thing in a conversation, which the intent is about.
const CONVERSATION: [&str; 6] = ["reply", "parent", "thread", "root", "quoted", "pinned"];

pub(super) fn is_id(words: &Words, value: &Json) -> bool {
    let text = match value {
        Json::String(text) if !text.is_empty() => Some(text.as_str()),
        Json::Number(_) => None,
        _ => return false,
    };
    if text.is_some_and(|text| text.starts_with("evt_")) || is_github(words) {
        return false;
    }
    is_name(words) || text.is_some_and(|text| is_header(words) || is_look(text))
}

/// GitHub keeps the id of a delivery when it is sent again, so it is the id of an event.
fn is_github(words: &Words) -> bool {
    let text = words.text();
    text.contains("delivery") && (text.contains("github") || text.contains("git hub"))
}

fn is_name(words: &Words) -> bool {
    if words.end_with_any(&["message id", "msg id"]) {
        return !words.hold_any(&CONVERSATION);
    }
    let named = |phrase: &&str| words.is(phrase) || words.end(phrase) && words.hold_any(&TRANSPORT);
    words.end_with_any(&ENDINGS) || ALONE.iter().any(named) || words.end("traceid") || words.end("requestid")
}

/// Names that mean a delivery only where the value is a text: a nonce that is a number may count real transactions.
fn is_header(words: &Words) -> bool {
    let text = words.text();
    text.starts_with("x ") && text.ends_with(" delivery") || text.starts_with("x b3 ") || words.is("nonce")
}

/// Values that say themselves that they belong to one delivery.
pub(super) fn is_look(text: &str) -> bool {
    is_traceparent(text) || is_xray(text) || is_receipt_handle(text) || is_call(text)
}

/// W3C trace context: `00-<32 hex>-<16 hex>-<2 hex>`.
fn is_traceparent(text: &str) -> bool {
    text.len() == 55 && is_hex_groups(text, &[2, 32, 16, 2])
}

/// The trace header of a large cloud: `1-<8 hex>-<24 hex>`, often behind `Root=`.
fn is_xray(text: &str) -> bool {
    let id = text.strip_prefix("Root=").unwrap_or(text);
    let id = id.split(';').next().unwrap_or_default();
    id.starts_with("1-") && id.len() == 35 && is_hex_groups(id, &[1, 8, 24])
}

fn is_hex_groups(text: &str, lengths: &[usize]) -> bool {
    let is_hex = |group: &str| group.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    text.split('-').map(str::len).eq(lengths.iter().copied()) && text.split('-').all(is_hex)
}

fn is_receipt_handle(text: &str) -> bool {
    text.len() >= 100
        && text.starts_with("AQEB")
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
}

/// The ids that models and providers give to one call: long, random, behind a known beginning.
fn is_call(text: &str) -> bool {
    let random = |prefix: &str, length: std::ops::RangeInclusive<usize>| {
        text.strip_prefix(prefix).is_some_and(|rest| length.contains(&rest.len()) && is_random(rest))
    };
    random("toolu_", 20..=40) || random("call_", 24..=24) || random("req_", 14..=40)
}

fn is_random(text: &str) -> bool {
    let has = |class: fn(&u8) -> bool| text.as_bytes().iter().any(class);
    text.bytes().all(|b| b.is_ascii_alphanumeric())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}
