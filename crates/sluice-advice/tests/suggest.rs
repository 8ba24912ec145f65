//! Every minimal set, and no other: beside a search that tries them all.

use proptest::prelude::*;
use sluice_advice::Deliveries;
use sluice_advice::suggest::{Limits, Suggested, suggest};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn found(text: &str) -> Suggested {
    suggest(Deliveries::new(text.as_bytes(), None), Limits::default()).unwrap()
}

fn sets(text: &str) -> BTreeSet<Vec<String>> {
    found(text).sets.into_iter().map(|set| set.members).collect()
}

/// Deliveries of numbered actions, with a value or none for each member.
type Rows = Vec<(u8, Vec<Option<u8>>)>;

fn lines(rows: &Rows) -> String {
    let mut text = String::new();
    for (action, values) in rows {
        let members =
            values.iter().enumerate().filter_map(|(at, value)| Some(format!("\"m{at}\":{}", (*value)?)));
        writeln!(
            text,
            r#"{{"action":{action},"event":{{"in":{{{}}}}}}}"#,
            members.collect::<Vec<_>>().join(",")
        )
        .unwrap();
    }
    text
}

/// Tries every set of up to four members.
fn tried(rows: &Rows, members: usize) -> BTreeSet<Vec<String>> {
    let mut minimal: Vec<u32> = Vec::new();
    let mut masks: Vec<u32> = (1..1_u32 << members).filter(|mask| mask.count_ones() <= 4).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    for mask in masks {
        if minimal.iter().any(|known| mask & known == *known) {
            continue;
        }
        if separates(rows, mask) {
            minimal.push(mask);
        }
    }
    let named =
        |mask: &u32| (0..members).filter(|at| mask & 1 << at != 0).map(|at| format!("in.m{at}")).collect();
    minimal.iter().map(named).collect()
}

fn separates(rows: &Rows, mask: u32) -> bool {
    let mut by_action: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (action, values) in rows {
        let chosen: Option<Vec<u8>> = values
            .iter()
            .enumerate()
            .filter(|(at, _)| mask & 1 << at != 0)
            .map(|(_, value)| *value)
            .collect();
        let Some(chosen) = chosen else { return false };
        if by_action.entry(*action).or_insert_with(|| chosen.clone()) != &chosen {
            return false;
        }
    }
    let different: BTreeSet<_> = by_action.values().collect();
    different.len() == by_action.len()
}

proptest! {
    #[test]
    fn the_sets_are_those_that_trying_all_of_them_finds(
        rows in proptest::collection::vec((0..9_u8, proptest::collection::vec(proptest::option::weighted(0.97, 0..4_u8), 7)), 2..25),
        is_constant in any::<bool>(),
    ) {
        let mut rows = rows;
        if is_constant {
            let mut first: BTreeMap<u8, Vec<Option<u8>>> = BTreeMap::new();
            for (action, values) in &mut rows {
                let known = first.entry(*action).or_insert_with(|| values.clone());
                values[1..].clone_from_slice(&known[1..]);
            }
        }
        prop_assert_eq!(sets(&lines(&rows)), tried(&rows, 7));
    }
}

/// A number that looks drawn, from what it is drawn for.
fn drawn(a: usize, b: usize, below: usize) -> usize {
    let mixed = (a.wrapping_mul(0x9E37_79B9).wrapping_add(b.wrapping_mul(0x85EB_CA6B)) ^ 0x27D4_EB2F)
        .wrapping_mul(0xC2B2_AE35);
    (mixed >> 7) % below
}

/// Data whose identity is known: its members count the actions in a mixed base, so that only all of them together tell
/// two apart; beside them stand what many share, what changes with every delivery, and what is missing now and then.
fn generated(identity: usize, noise: usize, actions: usize) -> (String, Vec<String>) {
    let base = (2..100).find(|base: &usize| base.pow(u32::try_from(identity).unwrap()) >= actions).unwrap();
    let mut text = String::new();
    for action in 0..actions {
        for delivery in 0..=drawn(action, 1, 3) {
            let key = (0..identity).map(|at| {
                format!("\"k{at}\":{{\"id\":\"v{}\"}}", action / base.pow(u32::try_from(at).unwrap()) % base)
            });
            let shared = (0..noise).map(|at| match at % 3 {
                0 => format!("\"n{at}\":{}", drawn(0, at, 2)),
                1 => format!(
                    "\"n{at}\":\"d{}-{}\"",
                    action * 10 + delivery,
                    drawn(action, delivery + at, 1000)
                ),
                _ if drawn(action, at, 5) == 0 => format!("\"x{at}\":1"),
                _ => format!("\"n{at}\":{action}"),
            });
            let members: Vec<_> = key.chain(shared).collect();
            writeln!(text, r#"{{"action":"a{action}","event":{{{}}}}}"#, members.join(",")).unwrap();
        }
    }
    (text, (0..identity).map(|at| format!("k{at}.id")).collect())
}

#[test]
fn the_identity_of_generated_data_is_the_one_it_was_made_with() {
    let mut tried = 0;
    for identity in 1..=4 {
        for noise in [1, 2, 5, 11, 29, 56] {
            let actions = [60, 64, 81, 256][identity - 1];
            let (text, members) = generated(identity, noise, actions);
            let found = found(&text);
            assert_eq!(found.sets.first().map(|set| &set.members), Some(&members), "{identity} of {noise}");
            assert_eq!((found.actions, found.is_cut_off), (actions, false));
            tried += 1;
        }
    }
    assert!(tried >= 20);
}

#[test]
fn where_nothing_separates_two_deliveries_prove_it() {
    let text = concat!(
        "{\"action\":1,\"event\":{\"order\":7,\"message\":1}}\n",
        "{\"action\":1,\"event\":{\"order\":7,\"message\":2}}\n",
        "{\"action\":2,\"event\":{\"order\":7,\"message\":3}}\n"
    );
    let found = found(text);
    assert_eq!(
        (found.sets.len(), found.proof, found.unstable),
        (0, Some([1, 3]), vec!["message".to_owned()])
    );
}

#[test]
fn what_is_stable_and_private_comes_first() {
    let line = |n: u8| {
        format!(
            r#"{{"action":{n},"event":{{"message_id":"m-{n}","email":"p{n}@example.org","order":{{"id":"o-{n}"}},"created_at":"2026-11-30T10:00:0{n}Z"}}}}"#
        )
    };
    let found = found(&[line(1), line(2), line(3)].join("\n"));
    let ranked: Vec<_> = found.sets.iter().map(|set| set.members[0].as_str()).collect();
    assert_eq!(ranked[0], "order.id");
    assert_eq!(ranked.len(), 4);
    assert!(found.sets[0].against.is_empty() && found.sets[1..].iter().all(|set| !set.against.is_empty()));
}
