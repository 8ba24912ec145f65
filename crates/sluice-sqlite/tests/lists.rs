//! Records by what they are, newest first, page by page.

mod common;

use common::*;
use sluice_core::key::Namespace;
use sluice_core::state::Status;
use sluice_core::store::{Page, Query, Store, StoreErrorKind};
use sluice_sqlite::SqliteStore;
use std::time::Duration;

fn keys(page: &Page) -> Vec<&str> {
    page.items.iter().map(|found| found.record.id.key.as_str()).collect()
}

fn list(store: &SqliteStore, query: Query) -> Page {
    wait(store.list(query)).unwrap()
}

fn with_prefix(prefix: &str) -> Query {
    Query { key_prefix: Some(prefix.into()), ..Query::default() }
}

#[test]
fn pages_follow_each_other_newest_first_without_holes_or_repeats() {
    let place = Place::new();
    let store = place.open();
    for number in 0..25 {
        claim(&store, &format!("k{number}"));
    }
    let mut seen = Vec::new();
    let mut after = None;
    for length in [10, 10, 5] {
        let page = list(&store, Query { limit: 10, after, ..Query::default() });
        assert_eq!(page.items.len(), length);
        seen.extend(keys(&page).into_iter().map(str::to_owned));
        // What is new meanwhile stands before the first page.
        claim(&store, &format!("new {length} {}", seen.len()));
        after = page.next;
    }
    assert_eq!(after, None, "the last page says so");
    assert_eq!(seen, (0..25).rev().map(|number| format!("k{number}")).collect::<Vec<_>>());
}

#[test]
fn a_page_that_is_just_full_has_no_next_one() {
    let place = Place::new();
    let store = place.open();
    (0..50).for_each(|number| drop(claim(&store, &format!("k{number}"))));
    let page = list(&store, Query::default());
    assert_eq!((page.items.len(), page.next), (50, None));
}

#[test]
fn every_filter_holds_alone_and_together() {
    let (place, clock) = (Place::new(), FakeClock::new());
    let store = open(&place.path, clock.options());
    let old = claim(&store, "old");
    clock.pass(Duration::from_secs(100));
    let done = claim(&store, "done");
    apply(&store, "done", success(&done, b"1"));
    let mut change = first_claim(claim_id());
    change.set.labels.tool = Some("mail".into());
    let mut other = id("mail");
    other.namespace = Namespace::new("other").unwrap();
    applied(wait(store.apply(other.clone(), change)));

    let of = |query| list(&store, query);
    assert_eq!(keys(&of(Query::default())), ["mail", "done", "old"]);
    let open = vec![Status::InFlight, Status::Indeterminate];
    assert_eq!(keys(&of(Query { statuses: open, ..Query::default() })), ["mail", "old"]);
    assert_eq!(keys(&of(Query { statuses: vec![Status::Succeeded], ..Query::default() })), ["done"]);
    assert_eq!(keys(&of(Query { tool: Some("charge".into()), ..Query::default() })), ["done", "old"]);
    assert_eq!(keys(&of(Query { namespace: Some(other.namespace), ..Query::default() })), ["mail"]);
    let within = Some(Duration::from_secs(99));
    assert_eq!(keys(&of(Query { within, ..Query::default() })), ["mail", "done"]);
    assert_eq!(keys(&of(Query { within: Some(Duration::MAX), ..Query::default() })).len(), 3);
    let query = Query {
        namespace: Some(id("x").namespace),
        statuses: vec![Status::InFlight, Status::Failed],
        tool: Some("charge".into()),
        key_prefix: Some("o".into()),
        within: Some(Duration::from_secs(100)),
        ..Query::default()
    };
    assert_eq!(of(query).items[0].record, old.record);
}

#[test]
fn a_prefix_is_taken_as_it_is_written() {
    let place = Place::new();
    let store = place.open();
    let all = ["a", "ab", "aB", "a%", "a_", "b", "a\u{10ffff}", "a\u{10ffff}z", "\u{e9}"];
    for key in all {
        claim(&store, key);
    }
    for prefix in ["a", "a%", "a_", "A", "a\u{10ffff}", "", "\u{e9}", "\u{10ffff}"] {
        let mut found =
            keys(&list(&store, with_prefix(prefix))).into_iter().map(str::to_owned).collect::<Vec<_>>();
        found.reverse();
        let wanted: Vec<_> = all.into_iter().filter(|key| key.starts_with(prefix)).collect();
        assert_eq!(found, wanted, "{prefix:?}");
    }
}

#[test]
fn a_place_that_no_page_gave_is_refused() {
    let place = Place::new();
    let error = wait(place.open().list(Query { after: Some("x".into()), ..Query::default() })).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Invalid);
    assert!(error.to_string().contains("the place to go on from"), "{error}");
}

#[test]
fn what_needs_a_person_is_found_through_its_own_small_index() {
    let place = Place::new();
    drop(place.open());
    let plan = |terms: &str| -> String {
        let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM records WHERE {terms} ORDER BY id DESC LIMIT 50");
        place.raw().query_row(&sql, [], |row| row.get(3)).unwrap()
    };
    let open = plan("status IN ('in_flight', 'indeterminate') AND status IN ('indeterminate')");
    assert!(open.contains("records_open"), "{open}");
    let prefix = plan("namespace = 'x' AND key >= 'a' AND key < 'b'");
    assert!(prefix.contains("namespace=?"), "{prefix}");
    let newest = plan("+namespace = 'x'");
    assert!(newest.starts_with("SCAN records") && !newest.contains("INDEX"), "{newest}");
}
