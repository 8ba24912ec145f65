//! Deliveries as columns of small numbers: equal numbers are equal values.

use crate::deliveries::Delivery;
use sha2::{Digest, Sha256};
use sluice_core::contract::MemberPath;
use sluice_core::key::{Json, lower_hex};
use std::collections::HashMap;

/// A longer value is told apart by its hash.
const INTERNED: usize = 64;

/// One column: a member, with what stands in it for each action.
#[derive(Debug)]
pub(super) struct Column {
    pub path: String,
    /// By action; 0 is missing.
    values: Vec<u32>,
    known: HashMap<String, u32>,
    /// In how many deliveries it is there.
    present: usize,
    changed: bool,
    /// One of its values, to judge its look by.
    pub sample: Json,
}

/// The members of every action.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub columns: Vec<Column>,
    by_path: HashMap<String, usize>,
    by_label: HashMap<String, usize>,
    lines: Vec<u64>,
    deliveries: usize,
    pub unlabelled: usize,
}

/// Which columns can be in an identity, and why others cannot.
pub(super) struct Lasting {
    pub columns: Vec<usize>,
    pub missing: Vec<String>,
    pub unstable: Vec<String>,
}

impl Table {
    pub(super) fn add(&mut self, delivery: &Delivery) {
        let Some(label) = &delivery.action else {
            self.unlabelled += 1;
            return;
        };
        self.deliveries += 1;
        let next = self.lines.len();
        let action = *self.by_label.entry(interned(label)).or_insert(next);
        let is_first = action == next;
        if is_first {
            self.lines.push(delivery.line);
        }
        self.walk(&delivery.event, &mut Vec::new(), action, is_first);
    }

    fn walk(&mut self, value: &Json, way: &mut Vec<String>, action: usize, is_first: bool) {
        match value {
            Json::Object(members) => {
                for (name, value) in members {
                    way.push(name.clone());
                    self.walk(value, way, action, is_first);
                    way.pop();
                }
            }
            Json::Null => {}
            Json::String(text) if text.is_empty() => {}
            leaf => self.leaf(leaf, way, action, is_first),
        }
    }

    fn leaf(&mut self, leaf: &Json, way: &[String], action: usize, is_first: bool) {
        let Ok(path) = MemberPath::of_names(way) else { return };
        let at = match self.by_path.get(path.as_str()) {
            Some(at) => *at,
            None => self.begin(path.as_str(), leaf),
        };
        let column = &mut self.columns[at];
        column.present += 1;
        let next = u32::try_from(column.known.len() + 1).unwrap_or(u32::MAX);
        let value = *column.known.entry(interned(leaf)).or_insert(next);
        column.values.resize(column.values.len().max(action + 1), 0);
        if is_first {
            column.values[action] = value;
        }
        // What is missing in the first delivery of an action and there in a later one is missing in one.
        column.changed |= column.values[action] != value;
    }

    fn begin(&mut self, path: &str, leaf: &Json) -> usize {
        let at = self.columns.len();
        self.by_path.insert(path.to_owned(), at);
        let column = Column {
            path: path.to_owned(),
            values: Vec::new(),
            known: HashMap::new(),
            present: 0,
            changed: false,
            sample: leaf.clone(),
        };
        self.columns.push(column);
        at
    }

    pub(super) fn lasting(&self) -> Lasting {
        let mut lasting = Lasting { columns: Vec::new(), missing: Vec::new(), unstable: Vec::new() };
        for (at, column) in self.columns.iter().enumerate() {
            match () {
                () if column.present < self.deliveries => lasting.missing.push(column.path.clone()),
                () if column.changed => lasting.unstable.push(column.path.clone()),
                () => lasting.columns.push(at),
            }
        }
        lasting
    }

    pub(super) fn actions(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn line_of(&self, action: usize) -> u64 {
        self.lines.get(action).copied().unwrap_or_default()
    }

    pub(super) fn value(&self, column: usize, action: usize) -> u32 {
        self.columns[column].values.get(action).copied().unwrap_or_default()
    }

    /// How many different values a column has.
    pub(super) fn width(&self, column: usize) -> usize {
        self.columns[column].known.len()
    }
}

fn interned(value: &Json) -> String {
    let text = value.canonical();
    if text.len() <= INTERNED { text } else { lower_hex(&Sha256::digest(text)) }
}
