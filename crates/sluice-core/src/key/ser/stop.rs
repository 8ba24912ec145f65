//! How does an error travel through serde?

use std::fmt;

use crate::key::error::{InputError, InputErrorKind};

/// Carries an [`InputError`] through serde, whose error trait then need not be on the public type.
#[derive(Debug)]
pub(crate) struct Stop(InputError);

impl Stop {
    pub(crate) fn into_error(self) -> InputError {
        self.0
    }

    pub(crate) fn under(self, name: &str) -> Self {
        Self(self.0.under(name))
    }

    pub(crate) fn under_index(self, index: usize) -> Self {
        Self(self.0.under_index(index))
    }

    /// Content of a variant stands under the variant's name.
    pub(crate) fn in_variant(self, variant: Option<&str>) -> Self {
        match variant {
            Some(name) => self.under(name),
            None => self,
        }
    }
}

pub(crate) fn bytes_refused() -> Stop {
    InputError::new(InputErrorKind::NotPlainData, "", "write bytes as a string, such as hex or base64").into()
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        Self(error)
    }
}

impl serde::ser::Error for Stop {
    /// The message is dropped: an implementation may have put the value itself into it.
    fn custom<T: fmt::Display>(_: T) -> Self {
        InputError::new(InputErrorKind::Other, "", "its Serialize implementation refused the value").into()
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stop {}
