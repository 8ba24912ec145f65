//! What is said on stderr about a key that may change with every delivery, or tells about people.
//!
//! A warning changes neither the key nor the exit status. It names places and never shows what stands there.

use crate::report::say;
use crate::text::printable;
use serde_json::{Value, json};
use sluice::core::key::{Suspicion, SuspicionKind, Suspicions};

/// So many places are named; whoever mends those finds the others.
const SHOWN: usize = 2;

/// Says what was found in the parts of a key.
pub fn of_parts(found: &Suspicions) {
    let groups = SuspicionKind::ALL.iter().filter(|kind| found.count(**kind) > 0);
    tell(groups.map(|kind| {
        let places: Vec<_> = places(found.kept(), *kind).take(SHOWN).collect();
        let subject = match found.count(*kind) {
            1 => format!("{} looks like {}", places.concat(), kind.noun()),
            count => {
                let list = list(&places, &more(count - places.len()));
                format!("{count} members look like {} ({list})", kind.noun())
            }
        };
        (subject, *kind)
    }));
}

/// Says what was found in a key that was made by hand.
pub fn of_key(found: &Suspicions) {
    let groups = found.kept().iter().map(Suspicion::kind);
    tell(groups.map(|kind| (format!("the key holds what looks like {}", kind.noun()), kind)));
}

/// The same for `--json` and `--outcome`.
pub fn document(found: &Suspicions) -> Value {
    let one = |one: &Suspicion| json!({"kind": one.kind().as_str(), "path": one.path(), "advice": one.kind().advice()});
    found.kept().iter().map(one).collect()
}

/// Gathers what is found in many lines, in the memory of a few places.
#[derive(Debug, Default)]
pub struct Lines {
    total: usize,
    kinds: [OfKind; SuspicionKind::ALL.len()],
}

#[derive(Debug, Default)]
struct OfKind {
    lines: usize,
    places: Vec<String>,
    more: bool,
}

impl Lines {
    pub fn add(&mut self, found: &Suspicions) {
        self.total += 1;
        for (of_kind, kind) in self.kinds.iter_mut().zip(SuspicionKind::ALL) {
            of_kind.lines += usize::from(found.count(kind) > 0);
            of_kind.more |= found.count(kind) > places(found.kept(), kind).count();
            places(found.kept(), kind).for_each(|place| of_kind.note(place));
        }
    }

    pub fn say(&self) {
        let groups = self.kinds.iter().zip(SuspicionKind::ALL).filter(|(of_kind, _)| of_kind.lines > 0);
        tell(groups.map(|(of_kind, kind)| {
            let list = list(&of_kind.places, if of_kind.more { " and more" } else { "" });
            let (lines, total) = (of_kind.lines, self.total);
            (format!("{lines} of {total} lines hold what looks like {} ({list})", kind.noun()), kind)
        }));
    }
}

impl OfKind {
    fn note(&mut self, place: String) {
        if self.places.contains(&place) {
            return;
        }
        if self.places.len() < SHOWN { self.places.push(place) } else { self.more = true }
    }
}

fn places(found: &[Suspicion], kind: SuspicionKind) -> impl Iterator<Item = String> {
    found.iter().filter(move |one| one.kind() == kind).map(|one| match one.path() {
        "" => "the whole value".to_owned(),
        path => printable(path),
    })
}

fn more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

fn list(places: &[String], more: &str) -> String {
    format!("{}{more}", places.join(", "))
}

/// One line a kind, and in the end how to be rid of them where everything is meant as it is.
fn tell(groups: impl Iterator<Item = (String, SuspicionKind)>) {
    let mut lines: Vec<_> =
        groups.map(|(subject, kind)| format!("warning: {subject}: {}", kind.advice())).collect();
    if let Some(last) = lines.last_mut() {
        last.push_str("\n  where it is meant so: --no-warn");
    }
    for line in lines {
        say(&line);
    }
}
