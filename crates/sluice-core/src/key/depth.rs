//! How deep may data be nested?

use super::error::{InputError, InputErrorKind};

/// Levels of arrays and objects that a key may be derived from.
pub(super) const MAX_LEVELS: usize = 128;

/// Wrappers that leave no trace in JSON (`Some`, newtypes) and still cost stack: a recursive type made only of
/// them would otherwise never reach the limit of levels.
const MAX_WRAPPERS: usize = 256;

/// Counts the way down into a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    level: usize,
    wrappers: usize,
    limit: usize,
}

impl Depth {
    pub(super) fn new(level: usize, limit: usize) -> Self {
        Self { level, wrappers: 0, limit }
    }

    pub(super) fn level(self) -> usize {
        self.level
    }

    pub(super) fn limit(self) -> usize {
        self.limit
    }

    /// Steps into an array or object.
    pub(super) fn enter(self) -> Result<Self, InputError> {
        if self.level >= self.limit {
            return Err(too_deep(self.limit));
        }
        Ok(Self { level: self.level + 1, ..self })
    }

    /// Steps into an array or object that may be the content of a variant, which has an object of its own around it.
    pub(super) fn enter_variant(self, variant: Option<&str>) -> Result<Self, InputError> {
        let depth = self.enter()?;
        if variant.is_some() { depth.enter() } else { Ok(depth) }
    }

    /// Steps into a wrapper that JSON does not show.
    pub(super) fn unwrap_one(self) -> Result<Self, InputError> {
        if self.wrappers >= MAX_WRAPPERS {
            return Err(too_deep(self.limit));
        }
        Ok(Self { wrappers: self.wrappers + 1, ..self })
    }
}

pub(super) fn too_deep(limit: usize) -> InputError {
    InputError::new(InputErrorKind::TooDeep, "", format!("nest arrays and objects at most {limit} levels"))
}
