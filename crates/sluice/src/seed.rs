//! What maps are hashed with.

use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash};

/// What the hashes are keyed with: nobody can choose names that meet, and yet a world that is played again with the same
/// chance hashes alike. The order of such a map is never looked at.
#[derive(Clone)]
pub(crate) struct Seed(DefaultHasher);

impl Seed {
    pub fn new(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self(hasher)
    }
}

impl BuildHasher for Seed {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        self.0.clone()
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed")
    }
}
