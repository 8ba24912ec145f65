//! What does this answer say of the effect?

use super::answer::Answer;
use super::fault::HttpFault;
use super::gateway;
use super::table::{Meaning, Table};
use crate::downstream::Said;
use crate::failure::FailureClass;
use crate::record::LedgerTime;
use crate::retry::RetryAfter;
use std::time::Duration;

/// Says what an answer means: nothing for a success, or what is known of the effect.
///
/// `first_attempt` says that no earlier request, of whichever claim, carried this key: then "same key, other
/// parameters" cannot be the answer, and only then. Whether an earlier attempt leaves the effect in doubt is not looked
/// at here; a class says what *this* request did, and unknown is sticky elsewhere.
///
/// In this order:
/// 1. The target's answer to "same key, other parameters" is unknown, with the code `http_key_conflict`: something with
///    that key may have happened. Where the status alone could be that answer, and a code that would tell was not read,
///    it is taken for it, except on a first attempt.
/// 2. What was said for the target counts.
/// 3. The defaults count ([`super::DEFAULTS`]). Where something on the way looks to have made the answer, what they call
///    definite is unknown, but for 407 and 429, which are a gateway's own: a gateway may show a page of its own instead
///    of an answer of the target, and some look at answers and refuse them.
/// 4. `Stripe-Should-Retry: true` makes what would be permanent transient. `false` stops retries, and so does
///    `Idempotent-Replayed: true`, since the same answer would be replayed again; neither changes what is known.
///
/// # Errors
/// What is known, where it is no success.
///
/// ```
/// use sluice_core::FailureClass;
/// use sluice_core::http::{Answer, Table, classify};
/// use sluice_core::record::LedgerTime;
/// let (table, now) = (Table::default(), LedgerTime(0));
/// let answer = |status| Answer { status, headers: &[("Retry-After", b"2")], code: None };
/// assert_eq!(classify(&answer(201), &table, true, now), Ok(()));
/// let busy = classify(&answer(429), &table, true, now).unwrap_err();
/// assert_eq!((busy.class, busy.retry_after.unwrap().as_secs()), (FailureClass::Transient, 2));
/// let broken = classify(&answer(500), &table, true, now).unwrap_err();
/// assert_eq!(broken.class, FailureClass::Unknown);
/// ```
pub fn classify(
    answer: &Answer<'_>,
    table: &Table,
    first_attempt: bool,
    now: LedgerTime,
) -> Result<(), HttpFault> {
    let by_gateway = gateway::made_it(answer, table.answers_in_json) || answer.status == 407;
    let mut fault = if is_mismatch(answer, table, first_attempt) {
        conflict()
    } else {
        let meaning = table.said(answer.status).unwrap_or_else(|| by_default(answer, table, by_gateway));
        let Some(class) = meaning.class() else { return Ok(()) };
        plain(class, answer.status, by_gateway)
    };
    fault.from_target = !by_gateway;
    fault.is_replayed = answer.flag("idempotent-replayed") == Some(true);
    let proves = |said: &Said| {
        said.status == answer.status && said.code.as_deref().is_none_or(|code| answer.code == Some(code))
    };
    fault.proves_not_landed = !by_gateway && !fault.is_conflict && table.proves_not_landed.iter().any(proves);
    fault.retry_after = wait(answer, &fault, now);
    Err(fault)
}

fn plain(class: FailureClass, status: u16, by_gateway: bool) -> HttpFault {
    let who = if by_gateway { "something on the way to the target" } else { "the target" };
    HttpFault::new(class, format!("http_{status}"), format!("{who} answered with status {status}"))
}

fn conflict() -> HttpFault {
    let message = "the target knows the key from a request with other parameters";
    let code = "http_key_conflict".to_owned();
    HttpFault { is_conflict: true, ..HttpFault::new(FailureClass::Unknown, code, message) }
}

fn is_mismatch(answer: &Answer<'_>, table: &Table, first_attempt: bool) -> bool {
    let Some(said) = table.mismatch.as_ref().filter(|said| said.status == answer.status) else {
        return false;
    };
    match (said.code.as_deref(), answer.code) {
        (Some(code), Some(read)) => code == read,
        _ => !first_attempt,
    }
}

fn by_default(answer: &Answer<'_>, table: &Table, by_gateway: bool) -> Meaning {
    match table.meaning(answer.status) {
        Meaning::Permanent | Meaning::Transient if by_gateway && !matches!(answer.status, 407 | 429) => {
            Meaning::Unknown
        }
        Meaning::Permanent if answer.flag("stripe-should-retry") == Some(true) => Meaning::Transient,
        meaning => meaning,
    }
}

fn wait(answer: &Answer<'_>, fault: &HttpFault, now: LedgerTime) -> Option<Duration> {
    let is_vain = match answer.flag("stripe-should-retry") {
        Some(should) => !should,
        None => fault.is_replayed || fault.is_conflict,
    };
    if is_vain { Some(Duration::MAX) } else { RetryAfter::of(answer.header("retry-after"), now) }
}
