//! The tables in `docs/downstreams.md` are written from what the code has.

use sluice_core::downstream::{KeyForm, Profile, Said, known_names, margin};
use sluice_core::http::{DEFAULTS, Row, Transport};
use std::time::Duration;

const DOCUMENTED: &str = include_str!("../../../docs/downstreams.md");

fn span(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    match (minutes % (24 * 60), minutes % 60) {
        (0, _) if minutes > 24 * 60 => format!("{} d", minutes / (24 * 60)),
        (_, 0) => format!("{} h", minutes / 60),
        _ if minutes > 60 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{minutes} min"),
    }
}

fn place(profile: &Profile) -> String {
    match (&profile.header, &profile.body) {
        (Some(header), _) => format!("header `{header}`{}", if profile.quoted { ", quoted" } else { "" }),
        (_, Some(member)) => format!("body `{member}`"),
        _ => unreachable!("a profile has a place for the key"),
    }
}

fn said(said: &Said) -> String {
    said.code.as_ref().map_or_else(|| said.status.to_string(), |code| format!("{} `{code}`", said.status))
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn profiles() -> String {
    let mut rows = vec![
        "| name | key in | length | remembers | relied on | replays failures | other parameters | source |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    for profile in known_names().into_iter().filter_map(Profile::known) {
        let relied_on = profile.remembers.map(|time| span(time.saturating_sub(margin(time))));
        let form = if profile.form == KeyForm::Uuid { ", UUID" } else { "" };
        rows.push(format!(
            "| `{}` | {} | {}{form} | {} | {} | {} | {} | [{}]({}) |",
            profile.name,
            place(&profile),
            profile.max_key_len,
            profile.remembers.map_or_else(|| "not known".to_owned(), span),
            relied_on.unwrap_or_else(|| "nothing".to_owned()),
            yes(profile.replays_failures),
            profile.mismatch.as_ref().map_or_else(|| "not said".to_owned(), said),
            profile.date,
            profile.source,
        ));
    }
    rows.join("\n")
}

fn statuses() -> String {
    let mut rows = vec!["| status | means | because |".to_owned(), "|---|---|---|".to_owned()];
    for Row { statuses, meaning, why } in &DEFAULTS {
        let (first, last) = (*statuses.start(), *statuses.end());
        let written = match (first, last) {
            (0, u16::MAX) => "any other".to_owned(),
            (400, 498) => "other 4xx".to_owned(),
            _ if first == last => first.to_string(),
            _ => format!("{first}–{last}"),
        };
        let meaning = serde_json::to_value(meaning).unwrap();
        rows.push(format!("| {written} | {} | {why} |", meaning.as_str().unwrap()));
    }
    rows.join("\n")
}

fn transports() -> String {
    let mut rows = vec!["| the request | means | code |".to_owned(), "|---|---|---|".to_owned()];
    for ended in Transport::ALL {
        let class = serde_json::to_value(ended.class()).unwrap();
        rows.push(format!("| {} | {} | `{}` |", ended.message(), class.as_str().unwrap(), ended.code()));
    }
    rows.join("\n")
}

#[test]
fn the_tables_of_the_docs_are_those_of_the_code() {
    for table in [profiles(), statuses(), transports()] {
        assert!(DOCUMENTED.contains(&table), "docs/downstreams.md has to say:\n{table}");
    }
}

#[test]
fn every_built_in_profile_says_in_the_docs_what_a_person_should_know() {
    for profile in known_names().into_iter().filter_map(Profile::known) {
        let note = format!("- `{}` ({}): {}", profile.name, profile.scope, profile.notes);
        assert!(DOCUMENTED.contains(&note), "docs/downstreams.md has to say:\n{note}");
    }
}
