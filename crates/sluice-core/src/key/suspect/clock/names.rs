//! Which names tell the time?

use crate::key::suspect::words::Words;

const LAST: [&str; 26] = [
    "at",
    "on",
    "timestamp",
    "timestamps",
    "ts",
    "time",
    "date",
    "datetime",
    "now",
    "today",
    "when",
    "since",
    "epoch",
    "created",
    "updated",
    "modified",
    "changed",
    "sent",
    "received",
    "published",
    "occurred",
    "expires",
    "iat",
    "exp",
    "nbf",
    "clock",
];

/// Names that are written as one word.
const JOINED: [&str; 12] = [
    "created at",
    "updated at",
    "deleted at",
    "modified at",
    "sent at",
    "received at",
    "published at",
    "occurred at",
    "started at",
    "expires at",
    "time stamp",
    "unix time",
];

/// Units and forms that may stand behind a name of a time.
const UNITS: [&str; 17] = [
    "ms",
    "msec",
    "millis",
    "milliseconds",
    "s",
    "sec",
    "secs",
    "seconds",
    "us",
    "micros",
    "microseconds",
    "ns",
    "nanos",
    "nano",
    "unix",
    "utc",
    "gmt",
];

/// Times that were agreed on: whoever sends the intent again means the same time.
const PLANNED: [&str; 18] = [
    "due",
    "schedule",
    "scheduled",
    "planned",
    "appointment",
    "departure",
    "departs",
    "arrival",
    "arrives",
    "birth",
    "birthday",
    "effective",
    "billing",
    "starts",
    "begins",
    "ends",
    "maturity",
    "reservation",
];

pub(super) fn tell_time(words: &Words) -> bool {
    !are_planned(words) && (LAST.contains(&last_but_units(words)) || words.end_with_any(&JOINED))
}

/// Names whose value is the moment at which somebody asked, so that even a bare date is a clock's.
pub(super) fn tell_this_moment(words: &Words) -> bool {
    let last = last_but_units(words);
    matches!(last, "at" | "timestamp" | "ts" | "now" | "today") && !are_planned(words)
        || words.end_with_any(&["current date", "current time", "created at", "updated at", "sent at"])
}

pub(super) fn are_planned(words: &Words) -> bool {
    words.hold_any(&PLANNED)
}

fn last_but_units(words: &Words) -> &str {
    let mut backwards = words.text().rsplit(' ').skip_while(|word| UNITS.contains(word));
    backwards.next().unwrap_or_default()
}
