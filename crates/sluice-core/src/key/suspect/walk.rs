//! Looks at every member of a value, once.

use super::judge::{of_leaf, of_text};
use super::kept::Suspicions;
use super::words::Words;
use crate::key::depth::MAX_LEVELS;
use crate::key::json::Json;
use crate::key::path;

pub(super) fn walk(parts: &Json) -> Suspicions {
    let mut walk = Walk { way: Vec::new(), found: Suspicions::default() };
    walk.value(&Words::default(), parts);
    walk.found
}

enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

struct Walk<'a> {
    way: Vec<Step<'a>>,
    found: Suspicions,
}

impl<'a> Walk<'a> {
    fn value(&mut self, words: &Words, value: &'a Json) {
        match value {
            // Only a tree made by hand can be deeper, and such a tree must not cost the stack.
            Json::Array(_) | Json::Object(_) if self.way.len() >= MAX_LEVELS => {}
            Json::Array(items) => self.elements(words, items),
            Json::Object(members) => members.iter().for_each(|(name, value)| self.member(words, name, value)),
            leaf => of_leaf(words, leaf).for_each(|kind| self.found.add(kind, || shown(&self.way))),
        }
    }

    /// An element of an array is what the array is called.
    fn elements(&mut self, words: &Words, items: &'a [Json]) {
        for (index, item) in items.iter().enumerate() {
            self.way.push(Step::Element(index));
            self.value(words, item);
            self.way.pop();
        }
    }

    fn member(&mut self, around: &Words, name: &'a str, value: &'a Json) {
        // A name may hold an address as well as a value may; its own path would show it, so the object's is told.
        of_text(&Words::default(), name).for_each(|kind| self.found.add(kind, || shown(&self.way)));
        self.way.push(Step::Member(name));
        self.value(&within(around, name), value);
        self.way.pop();
    }
}

/// `{"trace": {"id": …}}` says the same as `{"trace_id": …}`.
fn within(around: &Words, name: &str) -> Words {
    let words = Words::of(name);
    if words.is("id") && (around.is("trace") || around.is("span")) { around.and("id") } else { words }
}

fn shown(way: &[Step<'_>]) -> String {
    let step = |step: &Step<'_>| match step {
        Step::Member(name) => path::segment(name),
        Step::Element(index) => format!("/{index}"),
    };
    way.iter().map(step).collect()
}
