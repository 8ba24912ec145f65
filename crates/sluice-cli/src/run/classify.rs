//! What a command's end means for its intent (RULINGS 16).

use crate::child::watch::End;
use std::str::FromStr;

/// What an end means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It happened.
    Succeeded,
    /// It did not happen and would fail again.
    Failed,
    /// It did not happen.
    Released,
    /// Nobody knows, as the caller said.
    Unknown,
    /// Nobody said what it means. A marked command without a mark did nothing then; else nobody knows.
    Unclassified,
}

/// A caller's own word on what some exit statuses mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitRule {
    ranges: Vec<(i32, i32)>,
    meaning: Meaning,
}

impl FromStr for ExitRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (codes, word) = text.split_once('=').ok_or("it takes the form 3,10-12=failed")?;
        let meaning = match word {
            "failed" => Meaning::Failed,
            "released" => Meaning::Released,
            "unknown" => Meaning::Unknown,
            _ => return Err("a status means failed, released or unknown".to_owned()),
        };
        let ranges = codes.split(',').map(range).collect::<Result<_, _>>()?;
        Ok(Self { ranges, meaning })
    }
}

fn range(text: &str) -> Result<(i32, i32), String> {
    let code = |text: &str| {
        text.trim().parse::<u8>().map(i32::from).map_err(|_| format!("{text:?} is no exit status"))
    };
    let (from, to) = match text.split_once('-') {
        Some((from, to)) => (code(from)?, code(to)?),
        None => (code(text)?, code(text)?),
    };
    if from == 0 {
        return Err("exit status 0 always means that it happened".to_owned());
    }
    if from > to { Err(format!("{text:?} runs backwards")) } else { Ok((from, to)) }
}

/// Says what an end means. The first rule that names the status counts. A command that we ended ourselves, for its time
/// was over, says nothing by its status: many exit 0 when they are asked to end.
pub fn meaning(end: End, rules: &[ExitRule]) -> Meaning {
    if end.timed_out {
        return Meaning::Unclassified;
    }
    match end.exit {
        Some(0) => Meaning::Succeeded,
        Some(code) => rules
            .iter()
            .find(|rule| rule.ranges.iter().any(|(from, to)| (*from..=*to).contains(&code)))
            .map_or(Meaning::Unclassified, |rule| rule.meaning),
        None => Meaning::Unclassified,
    }
}

#[cfg(test)]
mod tests {
    use super::Meaning::{Failed, Released, Unclassified};
    use super::*;

    fn end(exit: Option<i32>) -> End {
        End { exit, signal: None, timed_out: false, was_asked: false }
    }

    #[test]
    fn zero_is_success_and_an_unnamed_status_is_unknown() {
        assert_eq!(meaning(end(Some(0)), &[]), Meaning::Succeeded);
        assert_eq!(meaning(end(Some(1)), &[]), Unclassified);
        assert_eq!(meaning(end(None), &["1-255=failed".parse().unwrap()]), Unclassified);
        let ended_by_us = End { timed_out: true, ..end(Some(0)) };
        assert_eq!(meaning(ended_by_us, &[]), Unclassified);
    }

    #[test]
    fn a_named_status_means_what_it_was_named() {
        let rules = [
            "3,10-12=failed".parse().unwrap(),
            "75=released".parse().unwrap(),
            "12=unknown".parse().unwrap(),
        ];
        let seen = [3, 9, 10, 12, 13, 75].map(|code| meaning(end(Some(code)), &rules));
        assert_eq!(seen, [Failed, Unclassified, Failed, Failed, Unclassified, Released]);
    }

    #[test]
    fn a_rule_that_says_nothing_clear_is_refused() {
        for text in [
            "",
            "3",
            "3=",
            "x=failed",
            "256=failed",
            "0=failed",
            "0-3=failed",
            "9-3=failed",
            "3=gone",
            "-1=failed",
        ] {
            assert!(text.parse::<ExitRule>().is_err(), "{text}");
        }
    }
}
