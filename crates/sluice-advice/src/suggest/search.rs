//! Which minimal sets of columns tell all actions apart?
//!
//! Level by level: a set that tells them apart is minimal where no smaller one in it does. What a set does not tell apart is
//! kept as groups of more than one action; adding a column splits the groups, and most vanish soon. Pairs of actions that
//! some set did not tell apart are kept as the columns in which they differ: a set without any of those columns cannot do it
//! either, and need not be looked into.

use super::Limits;
use super::table::Table;

/// How many pairs are kept.
const PAIRS: usize = 512;

/// What a search came to.
pub(super) struct Searched {
    pub sets: Vec<Vec<usize>>,
    /// Two actions that agree in every column.
    pub proof: Option<[usize; 2]>,
    pub is_cut_off: bool,
}

/// Groups of actions that are not told apart, one after the other.
#[derive(Clone, Debug, Default)]
struct Groups {
    actions: Vec<u32>,
    /// Where each group ends.
    ends: Vec<usize>,
}

impl Groups {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.actions[start..*end])
    }
}

impl Groups {
    /// Takes in the parts of a group that hold more than one action; `part_of` says which part each action is in.
    fn take_in(&mut self, group: &[u32], part_of: &[u32], counts: &[usize]) {
        let start = self.actions.len();
        let mut next = Vec::with_capacity(counts.len());
        let mut end = start;
        for count in counts {
            next.push(end);
            if *count > 1 {
                end += count;
                self.ends.push(end);
            }
        }
        self.actions.resize(end, 0);
        for (action, part) in group.iter().zip(part_of) {
            let part = *part as usize;
            if counts[part] > 1 {
                self.actions[next[part]] = *action;
                next[part] += 1;
            }
        }
    }
}

/// What was seen under each value of a column, with the group it was seen in: nothing has to be cleared between groups.
#[derive(Debug, Default)]
struct Seen {
    group: u32,
    /// By value: the group, and a number.
    by_value: Vec<(u32, u32)>,
}

impl Seen {
    fn next_group(&mut self) {
        self.group = self.group.checked_add(1).unwrap_or_else(|| {
            self.by_value.clear();
            1
        });
    }

    fn get(&mut self, value: u32) -> Option<&mut u32> {
        let at = value as usize;
        if at >= self.by_value.len() {
            self.by_value.resize(at + 1, (0, 0));
        }
        let group = self.group;
        self.by_value.get_mut(at).filter(|(seen, _)| *seen == group).map(|(_, number)| number)
    }

    fn set(&mut self, value: u32, number: u32) {
        if let Some(place) = self.by_value.get_mut(value as usize) {
            *place = (self.group, number);
        }
    }
}

struct Search<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    pairs: Vec<Columns>,
    found: Vec<Columns>,
    /// By column: the bits of the found sets that have it, one set after the other.
    found_with: Vec<Vec<u64>>,
    seen: Seen,
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
    let whole = Groups { ends: vec![all.len()], actions: all };
    let mut search = Search {
        table,
        found_with: vec![Vec::new(); columns.len()],
        columns,
        pairs: Vec::new(),
        found: Vec::new(),
        seen: Seen::default(),
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
        let largest = groups.iter().map(<[u32]>::len).max().unwrap_or(1);
        for column in from..self.columns.len() {
            let with = set.with(column);
            // A set that holds a found one is not minimal.
            if self.is_more_than_found(&with, column) || more == 1 && !self.may_separate(&with) {
                continue;
            }
            // Columns come with the most values first, so what follows splits a group into so many parts at most.
            let parts = self.parts(column + 1, more - 1);
            if largest > parts.saturating_mul(self.table.width(self.columns[column])) {
                return;
            }
            if self.looked_into >= self.limits.looked_into {
                self.is_cut_off = true;
                return;
            }
            self.looked_into += 1;
            // Splitting is what costs most, and often no last column is left that could be enough.
            if more == 2 && !self.has_last(&with, column + 1) {
                continue;
            }
            if more > 1 {
                let rest = self.split(groups, column);
                self.extend(&with, &rest, column + 1, more - 1);
                continue;
            }
            match self.undecided(groups, column) {
                None => self.keep(with),
                Some(pair) => self.learn(pair),
            }
        }
    }

    /// Whether one column more, from there on, may make a minimal set of this one.
    fn has_last(&self, set: &Columns, from: usize) -> bool {
        (from..self.columns.len()).any(|last| {
            let with = set.with(last);
            self.may_separate(&with) && !self.is_more_than_found(&with, last)
        })
    }

    /// Into how many parts a group can be split by so many of the columns from there on.
    fn parts(&self, from: usize, columns: usize) -> usize {
        let widths = self.columns.iter().skip(from).take(columns).map(|column| self.table.width(*column));
        widths.fold(1, usize::saturating_mul)
    }

    /// The set without its last column holds no found one, or it would not have come this far.
    fn is_more_than_found(&self, set: &Columns, last: usize) -> bool {
        let words = set.0.len();
        let holds = |found: &[u64]| set.0.iter().zip(found).all(|(a, b)| a & b == *b);
        self.found_with[last].chunks_exact(words).any(holds)
    }

    fn keep(&mut self, set: Columns) {
        for column in (0..self.columns.len()).filter(|column| set.has(*column)) {
            self.found_with[column].extend(&set.0);
        }
        self.found.push(set);
    }

    fn may_separate(&self, set: &Columns) -> bool {
        self.pairs.iter().all(|pair| set.meets(pair))
    }

    fn split(&mut self, groups: &Groups, column: usize) -> Groups {
        let mut rest = Groups::default();
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        for group in groups.iter() {
            self.seen.next_group();
            values.clear();
            counts.clear();
            for action in group {
                let value = self.value(column, *action);
                if let Some(part) = self.seen.get(value) {
                    values.push(*part);
                    counts[*part as usize] += 1;
                } else {
                    let part = u32::try_from(counts.len()).unwrap_or(u32::MAX);
                    self.seen.set(value, part);
                    values.push(part);
                    counts.push(1_usize);
                }
            }
            rest.take_in(group, &values, &counts);
        }
        rest
    }

    /// Two actions that the column leaves together, if there are any.
    fn undecided(&mut self, groups: &Groups, column: usize) -> Option<[u32; 2]> {
        for group in groups.iter() {
            self.seen.next_group();
            for action in group {
                let value = self.value(column, *action);
                if let Some(other) = self.seen.get(value) {
                    return Some([*other, *action]);
                }
                self.seen.set(value, *action);
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
    fn unseparated(&mut self, whole: &Groups) -> Option<[usize; 2]> {
        let mut groups = whole.clone();
        for column in 0..self.columns.len() {
            groups = self.split(&groups, column);
        }
        first_pair(&groups)
    }

    /// Where no small set does it: two actions that the columns telling most apart leave together.
    fn closest(&mut self, whole: &Groups) -> Option<[usize; 2]> {
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
