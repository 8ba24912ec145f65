//! Where a row is found by its name. Rows stand in the order in which they were made, and none is ever removed.

use super::rows::Row;
use sluice_core::ids::RecordId;
use sluice_core::key::Secret;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash};

/// The rows of a memory store.
#[derive(Debug)]
pub(super) struct Table {
    places: HashMap<RecordId, usize, Seed>,
    // Boxed, so that growing moves pointers and not records.
    rows: Vec<Box<Row>>,
}

/// What the hashes are keyed with: nobody can choose names that meet, and yet a world that is played again with the same
/// chance hashes alike. The order of the map is never looked at.
struct Seed([u8; 32]);

impl BuildHasher for Seed {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed")
    }
}

impl Table {
    pub fn new(secret: &Secret) -> Self {
        Self { places: HashMap::with_hasher(Seed(secret.bytes)), rows: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Where the row of that name stands.
    pub fn place(&self, id: &RecordId) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub fn at(&self, place: usize) -> Option<&Row> {
        self.rows.get(place).map(Box::as_ref)
    }

    pub fn at_mut(&mut self, place: usize) -> Option<&mut Row> {
        self.rows.get_mut(place).map(Box::as_mut)
    }

    pub fn get(&self, id: &RecordId) -> Option<&Row> {
        self.at(self.place(id)?)
    }

    /// Adds a row of a name that has none.
    pub fn insert(&mut self, row: Row) -> &mut Row {
        let place = self.rows.len();
        self.places.insert(row.record.id.clone(), place);
        self.rows.push(Box::new(row));
        &mut self.rows[place]
    }

    /// The rows before a place, the newest first, each with its place.
    pub fn newest_before(&self, place: usize) -> impl Iterator<Item = (usize, &Row)> {
        let rows = &self.rows[..place.min(self.rows.len())];
        rows.iter().enumerate().rev().map(|(place, row)| (place, row.as_ref()))
    }
}
