//! What does the name of a member say of it?

use crate::key::{Json, SuspicionKind, Suspicions, Words};

const RANDOM: [&str; 8] = ["nonce", "random", "rand", "salt", "jitter", "seed", "random value", "random id"];
const HOSTS: [&str; 16] = [
    "host",
    "hostname",
    "host name",
    "pod",
    "pod name",
    "node name",
    "machine",
    "machine name",
    "worker",
    "worker id",
    "server name",
    "instance",
    "instance id",
    "container id",
    "pid",
    "process id",
];
const EVENTS: [&str; 9] = [
    "event id",
    "webhook id",
    "svix id",
    "ce id",
    "cloudevent id",
    "cloud event id",
    "notification id",
    "evt id",
    "x git hub delivery",
];
const RUNS: [&str; 11] = [
    "run id",
    "runid",
    "workflow run id",
    "execution id",
    "session id",
    "thread id",
    "conversation id",
    "workflow id",
    "job run id",
    "task run id",
    "attempt run id",
];
const FREE_TEXTS: [&str; 22] = [
    "prompt",
    "text",
    "message",
    "subject",
    "description",
    "note",
    "notes",
    "comment",
    "comments",
    "reason",
    "summary",
    "title",
    "content",
    "query",
    "question",
    "instruction",
    "instructions",
    "body text",
    "memo",
    "explanation",
    "rationale",
    "markdown",
];
const VALUES: [&str; 33] = [
    "amount",
    "amount cents",
    "amount minor",
    "total",
    "subtotal",
    "price",
    "cents",
    "currency",
    "email",
    "e mail",
    "email address",
    "status",
    "state",
    "type",
    "kind",
    "category",
    "country",
    "region",
    "locale",
    "language",
    "plan",
    "quantity",
    "qty",
    "count",
    "color",
    "size",
    "name",
    "phone",
    "method",
    "action",
    "priority",
    "channel",
    "template",
];
const PARTIES: [&str; 18] = [
    "customer id",
    "customer",
    "user id",
    "user",
    "account id",
    "account",
    "tenant id",
    "tenant",
    "org id",
    "organization id",
    "organisation id",
    "merchant id",
    "member id",
    "client id",
    "actor",
    "actor id",
    "contact id",
    "buyer id",
];
const TENANTS: [&str; 20] = [
    "tenant id",
    "tenant",
    "org id",
    "org",
    "organization id",
    "organisation id",
    "organization",
    "organisation",
    "account id",
    "account",
    "workspace id",
    "workspace",
    "shop id",
    "shop",
    "installation id",
    "repository id",
    "team id",
    "company id",
    "workflow id",
    "livemode",
];
const PERSONAL: [&str; 30] = [
    "email",
    "e mail",
    "email address",
    "mail address",
    "phone",
    "phone number",
    "mobile",
    "mobile number",
    "first name",
    "last name",
    "full name",
    "given name",
    "family name",
    "surname",
    "birthday",
    "birth date",
    "date of birth",
    "dob",
    "street",
    "street address",
    "postal address",
    "ssn",
    "social security number",
    "passport number",
    "iban",
    "card number",
    "pan",
    "ip",
    "ip address",
    "remote addr",
];
const WHOLE: [&str; 7] = ["body", "payload", "event", "data", "message body", "raw body", "raw"];
const WHOLE_ARGS: [&str; 6] = ["args", "arguments", "input", "params", "parameters", "tool input"];

/// What a member is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Delivery,
    Attempt,
    Clock,
    Random,
    Host,
    EventId,
    RunId,
    FreeText,
    /// A value that many actions have in common.
    Value,
    /// Who it is about; one party has many actions.
    Party,
    Whole,
    WholeArgs,
    /// Whatever else: taken for an id of the business.
    Business,
}

/// The role of a member by its name, and by what stands there where there is a sample.
pub(super) fn role(names: &[String], sample: Option<&Json>) -> Role {
    let last = names.last().map(String::as_str).unwrap_or_default();
    let words = Words::of(last);
    let is_header = names.first().is_some_and(|first| first == "headers");
    let is = |list: &[&str]| list.iter().any(|phrase| words.is(phrase));
    let ends = |list: &[&str]| words.end_with_any(list);
    if is_event_id(names, &words, sample) {
        return Role::EventId;
    }
    if let Some(role) = suspected(names, sample) {
        return role;
    }
    match () {
        () if ends(&RANDOM) => Role::Random,
        () if ends(&HOSTS) && !(is_header && words.is("host")) || sample.is_some_and(is_host) => Role::Host,
        () if ends(&RUNS) => Role::RunId,
        () if names.len() == 1 && is(&WHOLE) => Role::Whole,
        () if names.len() == 1 && is(&WHOLE_ARGS) => Role::WholeArgs,
        () if ends(&FREE_TEXTS) || sample.is_some_and(is_prose) => Role::FreeText,
        () if is(&PARTIES) => Role::Party,
        () if ends(&VALUES) => Role::Value,
        () => Role::Business,
    }
}

/// A producer's event id stays when the event is sent again, so it is right where one event is one action.
fn is_event_id(names: &[String], words: &Words, sample: Option<&Json>) -> bool {
    let below_event = names.len() >= 2 && words.is("id") && names[names.len() - 2] == "event";
    let looks = matches!(sample, Some(Json::String(text)) if text.starts_with("evt_"));
    looks || below_event || words.end_with_any(&EVENTS)
}

/// The kinds that are already told at a run, by name alone where there is no sample.
fn suspected(names: &[String], sample: Option<&Json>) -> Option<Role> {
    let placeholders = [Json::from("x"), number("1"), number("1764493200"), Json::from("2026-11-30")];
    let values = sample.map_or(&placeholders[..], std::slice::from_ref);
    values.iter().find_map(|value| {
        let found = Suspicions::of_parts(&value.clone().within(names));
        found.kept().iter().find_map(|one| match one.kind() {
            SuspicionKind::DeliveryId => Some(Role::Delivery),
            SuspicionKind::Attempt => Some(Role::Attempt),
            SuspicionKind::Clock => Some(Role::Clock),
            _ => None,
        })
    })
}

fn number(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or(Json::Null)
}

/// Whether a redelivery brings another value there: ids of deliveries, counters of attempts, clocks.
pub(super) fn is_of_delivery(names: &[String], value: &Json) -> bool {
    holds_any(names, value, &[SuspicionKind::DeliveryId, SuspicionKind::Attempt, SuspicionKind::Clock])
}

fn holds_any(names: &[String], value: &Json, kinds: &[SuspicionKind]) -> bool {
    let found = Suspicions::of_parts(&value.clone().within(names));
    kinds.iter().any(|kind| found.count(*kind) > 0)
}

/// Whether it tells about people.
pub(super) fn is_personal(names: &[String], sample: Option<&Json>) -> bool {
    let words = Words::of(names.last().map(String::as_str).unwrap_or_default());
    let kinds = [SuspicionKind::Email, SuspicionKind::Phone, SuspicionKind::PaymentCard];
    let looks = |value: &Json| holds_any(names, value, &kinds);
    words.end_with_any(&PERSONAL) || sample.is_some_and(looks)
}

/// Whether it names a boundary within which ids are unique.
pub(super) fn is_boundary(names: &[String]) -> bool {
    let last = names.last().map(String::as_str).unwrap_or_default();
    let words = match (last, names.len()) {
        ("id", 2..) => Words::of(&names[names.len() - 2]),
        _ => Words::of(last),
    };
    TENANTS.iter().any(|phrase| words.is(phrase))
}

/// `ip-10-0-0-1`, `something.internal`, and the name of a pod: what a scheduler gives out anew.
fn is_host(value: &Json) -> bool {
    let Json::String(text) = value else { return false };
    let is_address = text
        .strip_prefix("ip-")
        .is_some_and(|rest| rest.split('-').take(4).filter(|part| part.parse::<u8>().is_ok()).count() == 4);
    let is_inner =
        [".internal", ".local", ".lan", ".svc.cluster.local"].iter().any(|ending| text.ends_with(ending));
    is_address || is_inner || is_pod(text)
}

/// `name-<8 to 10 hex digits>-<5 letters or digits>`.
fn is_pod(text: &str) -> bool {
    let mut parts = text.rsplit('-');
    let (Some(last), Some(set), Some(_)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let is_random = |part: &str| {
        part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_digit())
    };
    last.len() == 5 && is_random(last) && (8..=10).contains(&set.len()) && is_random(set)
}

/// Four words or more are a sentence that somebody, or a model, worded.
fn is_prose(value: &Json) -> bool {
    matches!(value, Json::String(text) if text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() >= 4)
}
