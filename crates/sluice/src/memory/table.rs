//! Where a row is found by its name, and in which order rows were made.

use super::rows::Row;
use crate::seed::Seed;
use sluice_core::ids::RecordId;
use sluice_core::key::Secret;
use std::collections::{BTreeMap, HashMap};

/// The rows of a memory store. Each has a number of its own that is never used again.
#[derive(Debug)]
pub(super) struct Table {
    numbers: HashMap<RecordId, u64, Seed>,
    // Boxed, so that the tree moves pointers and not records.
    rows: BTreeMap<u64, Box<Row>>,
    last: u64,
}

impl Table {
    pub fn new(secret: &Secret) -> Self {
        Self { numbers: HashMap::with_hasher(Seed::new(&secret.bytes)), rows: BTreeMap::new(), last: 0 }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of the row of that name.
    pub fn number(&self, id: &RecordId) -> Option<u64> {
        self.numbers.get(id).copied()
    }

    pub fn at(&self, number: u64) -> Option<&Row> {
        self.rows.get(&number).map(Box::as_ref)
    }

    pub fn at_mut(&mut self, number: u64) -> Option<&mut Row> {
        self.rows.get_mut(&number).map(Box::as_mut)
    }

    pub fn get(&self, id: &RecordId) -> Option<&Row> {
        self.at(self.number(id)?)
    }

    pub fn get_mut(&mut self, id: &RecordId) -> Option<&mut Row> {
        self.at_mut(self.number(id)?)
    }

    /// Adds a row of a name that has none; answers its number too.
    pub fn insert(&mut self, row: Row) -> (u64, &mut Row) {
        self.last += 1;
        self.numbers.insert(row.record.id.clone(), self.last);
        (self.last, self.rows.entry(self.last).or_insert(Box::new(row)))
    }

    pub fn remove(&mut self, number: u64) {
        if let Some(row) = self.rows.remove(&number) {
            self.numbers.remove(&row.record.id);
        }
    }

    /// The rows before a number, the newest first.
    pub fn newest_before(&self, number: u64) -> impl Iterator<Item = (u64, &Row)> {
        self.rows.range(..number).rev().map(|(number, row)| (*number, row.as_ref()))
    }
}
