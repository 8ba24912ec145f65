//! Which minimal sets of columns tell all actions apart?
//!
//! Level by level: a set that tells them apart is minimal where no smaller one in it does. What a set does not tell apart is
//! kept as groups of more than one action; adding a column splits the groups, and most vanish soon. Pairs of actions that
//! some set did not tell apart are kept as the columns in which they differ: a set without any of those columns cannot do it
//! either, and need not be looked into.

use super::Limits;
use super::table::Table;
use std::collections::HashMap;

/// How many pairs are kept.
const PAIRS: usize = 512;

/// What a search came to.
pub(super) struct Searched {
    pub sets: Vec<Vec<usize>>,
    /// Two actions that agree in every column.
    pub proof: Option<[usize; 2]>,
    pub is_cut_off: bool,
}

/// Groups of actions that are not told apart.
type Groups = Vec<Vec<u32>>;

struct Search<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    pairs: Vec<Columns>,
    found: Vec<Columns>,
    limits: Limits,
    looked_into: usize,
    is_cut_off: bool,
}

/// A set of columns, one bit each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Columns(Vec<u64>);

impl Columns {
    fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, column: usize) {
        self.0[column / 64] |= 1 << (column % 64);
    }

    fn with(&self, column: usize) -> Self {
        let mut with = self.clone();
        with.add(column);
        with
    }

    fn has(&self, column: usize) -> bool {
        self.0[column / 64] & 1 << (column % 64) != 0
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn holds(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }
}

pub(super) fn search(table: &Table, columns: &[usize], limits: Limits) -> Searched {
    let mut columns = columns.to_vec();
    // What tells most apart first: its groups are the smallest, and every set below it is soon looked into.
    columns.sort_by_key(|column| (std::cmp::Reverse(table.width(*column)), *column));
    let all: Vec<u32> = (0..table.actions()).filter_map(|action| u32::try_from(action).ok()).collect();
    let whole: Groups = if all.len() > 1 { vec![all] } else { Vec::new() };
    let mut search = Search {
        table,
        columns,
        pairs: Vec::new(),
        found: Vec::new(),
        limits,
        looked_into: 0,
        is_cut_off: false,
    };
    if let Some(proof) = search.unseparated(&whole) {
        return Searched { sets: Vec::new(), proof: Some(proof), is_cut_off: false };
    }
    for size in 1..=limits.fields {
        let none = Columns::none(search.columns.len());
        search.extend(&none, &whole, 0, size);
    }
    let sets = search.found.iter().map(|set| search.named(set)).collect();
    let proof = if search.found.is_empty() { search.closest(&whole) } else { None };
    Searched { sets, proof, is_cut_off: search.is_cut_off }
}

impl Search<'_> {
    /// Looks into every set that has `more` columns more, from a column on.
    fn extend(&mut self, set: &Columns, groups: &Groups, from: usize, more: usize) {
        for column in from..self.columns.len() {
            let with = set.with(column);
            // A set that holds a found one is not minimal.
            if self.found.iter().any(|found| with.holds(found)) || more == 1 && !self.may_separate(&with) {
                continue;
            }
            if self.looked_into >= self.limits.looked_into {
                self.is_cut_off = true;
                return;
            }
            self.looked_into += 1;
            if more > 1 {
                let rest = self.split(groups, column);
                self.extend(&with, &rest, column + 1, more - 1);
                continue;
            }
            match self.undecided(groups, column) {
                None => self.found.push(with),
                Some(pair) => self.learn(pair),
            }
        }
    }

    fn may_separate(&self, set: &Columns) -> bool {
        self.pairs.iter().all(|pair| set.meets(pair))
    }

    fn split(&self, groups: &Groups, column: usize) -> Groups {
        let mut rest = Groups::new();
        for group in groups {
            let mut parts: HashMap<u32, Vec<u32>> = HashMap::new();
            for action in group {
                parts.entry(self.value(column, *action)).or_default().push(*action);
            }
            rest.extend(parts.into_values().filter(|part| part.len() > 1));
        }
        rest
    }

    /// Two actions that the column leaves together, if there are any.
    fn undecided(&self, groups: &Groups, column: usize) -> Option<[u32; 2]> {
        let mut seen: HashMap<u32, u32> = HashMap::new();
        for group in groups {
            seen.clear();
            for action in group {
                if let Some(other) = seen.insert(self.value(column, *action), *action) {
                    return Some([other, *action]);
                }
            }
        }
        None
    }

    /// Keeps in which columns two actions differ; what says the least is what rules out the most.
    fn learn(&mut self, [a, b]: [u32; 2]) {
        let mut differ = Columns::none(self.columns.len());
        for column in
            (0..self.columns.len()).filter(|column| self.value(*column, a) != self.value(*column, b))
        {
            differ.add(column);
        }
        if self.pairs.iter().any(|known| differ.holds(known)) {
            return;
        }
        self.pairs.retain(|known| !known.holds(&differ));
        if self.pairs.len() < PAIRS {
            self.pairs.push(differ);
        }
    }

    /// Two actions that agree in every column.
    fn unseparated(&self, whole: &Groups) -> Option<[usize; 2]> {
        let mut groups = whole.clone();
        for column in 0..self.columns.len() {
            groups = self.split(&groups, column);
        }
        first_pair(&groups)
    }

    /// Where no small set does it: two actions that the columns telling most apart leave together.
    fn closest(&self, whole: &Groups) -> Option<[usize; 2]> {
        let mut groups = whole.clone();
        for column in 0..self.columns.len().min(self.limits.fields) {
            groups = self.split(&groups, column);
        }
        first_pair(&groups)
    }

    fn value(&self, column: usize, action: u32) -> u32 {
        self.table.value(self.columns[column], action as usize)
    }

    fn named(&self, set: &Columns) -> Vec<usize> {
        (0..self.columns.len()).filter(|column| set.has(*column)).map(|column| self.columns[column]).collect()
    }
}

fn first_pair(groups: &Groups) -> Option<[usize; 2]> {
    groups.iter().filter_map(|group| Some([*group.first()? as usize, *group.get(1)? as usize])).min()
}
