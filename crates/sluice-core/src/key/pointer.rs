//! Which place in a value does a text name?

use std::fmt;
use std::str::FromStr;

use super::error::{InputError, InputErrorKind};

/// Names a place in a value, as RFC 6901 writes it: `/a/b`, with `~0` for `~` and `~1` for `/` inside a name.
///
/// The empty text names the whole value.
///
/// ```
/// use sluice_core::key::JsonPointer;
///
/// let pointer: JsonPointer = "/a~1b/0".parse()?;
/// assert_eq!(pointer.names(), ["a/b", "0"]);
/// assert_eq!(pointer.to_string(), "/a~1b/0");
/// assert!("a".parse::<JsonPointer>().is_err());
/// # Ok::<(), sluice_core::key::InputError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonPointer {
    names: Vec<String>,
}

impl JsonPointer {
    /// Reads a pointer.
    ///
    /// # Errors
    /// [`InputErrorKind::BadPointer`] if the text is neither empty nor begins with `/`, or has a `~` that is not
    /// followed by `0` or `1`.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(bad(text, "begin it with /, as in /order_id"));
        };
        let names = rest.split('/').map(unescape).collect::<Option<_>>();
        names
            .map(|names| Self { names })
            .ok_or_else(|| bad(text, "write ~0 for ~ and ~1 for / inside a name"))
    }

    /// Makes a pointer of the names on the way, unescaped, outermost first.
    ///
    /// ```
    /// use sluice_core::key::JsonPointer;
    ///
    /// assert_eq!(JsonPointer::of_names(["a/b", "0"]).to_string(), "/a~1b/0");
    /// ```
    pub fn of_names(names: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect() }
    }

    /// Returns the names on the way, unescaped, outermost first.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn unescape(name: &str) -> Option<String> {
    let mut pieces = name.split('~');
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let (escaped, rest) = match piece.as_bytes().first()? {
            b'0' => ('~', &piece[1..]),
            b'1' => ('/', &piece[1..]),
            _ => return None,
        };
        text.push(escaped);
        text.push_str(rest);
    }
    Some(text)
}

fn bad(text: &str, detail: &'static str) -> InputError {
    InputError::new(InputErrorKind::BadPointer, text, detail)
}

impl FromStr for JsonPointer {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        Self::parse(text)
    }
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in &self.names {
            write!(f, "/{}", name.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_once_and_only_as_the_standard_says() {
        let names = |text: &str| JsonPointer::parse(text).map(|pointer| pointer.names);
        assert_eq!(names(""), Ok(vec![]));
        assert_eq!(names("/"), Ok(vec![String::new()]));
        assert_eq!(names("/~01"), Ok(vec!["~1".to_owned()]));
        assert_eq!(names("//é"), Ok(vec![String::new(), "é".to_owned()]));
        for text in ["a", "#/a", "/~", "/~2", "/a~", "/~é"] {
            assert_eq!(names(text).map_err(|error| error.kind()), Err(InputErrorKind::BadPointer), "{text}");
        }
    }
}
