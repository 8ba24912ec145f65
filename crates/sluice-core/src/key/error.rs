//! Why was this input refused, and what should be written instead?

use std::borrow::Cow;
use std::fmt;

use super::path;

/// Says why input was refused, where in the value, and what to write instead.
///
/// Neither the message nor any field ever holds a value from the input: arguments may be secret. Names of
/// members appear in the path, shortened to 64 characters and with control characters escaped.
///
/// ```
/// use sluice_core::key::{InputErrorKind, Json};
///
/// let error = Json::parse(br#"{"args":{"id":9007199254740993}}"#).unwrap_err();
/// assert_eq!(error.kind(), InputErrorKind::IntegerOutOfRange);
/// assert_eq!(error.path(), "/args/id");
/// assert_eq!(error.offset(), Some(14));
/// assert_eq!(error.to_string(), "integer beyond 2^53-1 at /args/id: write it as a string");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    // Boxed, so that a result on the path without errors stays as small as its value.
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: InputErrorKind,
    path: String,
    offset: Option<usize>,
    detail: Cow<'static, str>,
}

/// Names what was wrong with an input; the list may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputErrorKind {
    /// The text does not follow RFC 8259.
    NotJson,
    /// The text is not UTF-8.
    NotUtf8,
    /// The text begins with a byte order mark.
    ByteOrderMark,
    /// Something follows the one JSON text.
    SecondText,
    /// One object has two members of the same name, or one part was set twice.
    DuplicateName,
    /// A string holds half of a surrogate pair.
    LoneSurrogate,
    /// An integer lies beyond ±(2^53−1), where doubles skip integers.
    IntegerOutOfRange,
    /// A number is too large for a double.
    NumberOutOfRange,
    /// A number is NaN or infinite.
    NotFinite,
    /// Arrays and objects are nested deeper than the limit.
    TooDeep,
    /// The input is longer than the surface that reads it accepts.
    TooLarge,
    /// A value has no JSON form: bytes, or a map whose keys are not strings.
    NotPlainData,
    /// An intent must be an object and is something else.
    NotAnObject,
    /// A pointer names a member that is not there.
    MissingMember,
    /// A text is not a JSON Pointer, or the pointer leads where it may not.
    BadPointer,
    /// An intent has nothing that could tell it from another.
    NoParts,
    /// None of the other kinds; the message says what.
    Other,
}

impl InputErrorKind {
    fn phrase(self) -> &'static str {
        match self {
            Self::NotJson => "not JSON",
            Self::NotUtf8 => "not UTF-8",
            Self::ByteOrderMark => "byte order mark",
            Self::SecondText => "a second text",
            Self::DuplicateName => "duplicate member name",
            Self::LoneSurrogate => "lone surrogate",
            Self::IntegerOutOfRange => "integer beyond 2^53-1",
            Self::NumberOutOfRange => "number beyond the range of a double",
            Self::NotFinite => "number that is not finite",
            Self::TooDeep => "nested too deep",
            Self::TooLarge => "too large",
            Self::NotPlainData => "not plain data",
            Self::NotAnObject => "not an object",
            Self::MissingMember => "no such member",
            Self::BadPointer => "unusable JSON Pointer",
            Self::NoParts => "no parts",
            Self::Other => "unusable input",
        }
    }

    /// Where the bytes matter more than the place in the value, the message names the byte too.
    fn shows_offset(self) -> bool {
        matches!(self, Self::NotJson | Self::NotUtf8 | Self::SecondText)
    }
}

impl InputError {
    /// Makes an error about the value at `path` (a JSON Pointer, `""` for the whole value).
    ///
    /// `detail` is a lower-case fragment without a full stop that says what to write instead. It must not hold
    /// anything from the input.
    ///
    /// ```
    /// use sluice_core::key::{InputError, InputErrorKind};
    ///
    /// let error = InputError::new(InputErrorKind::TooLarge, "", "send at most 16 MiB");
    /// assert_eq!(error.to_string(), "too large at the whole value: send at most 16 MiB");
    /// ```
    pub fn new(kind: InputErrorKind, path: &str, detail: impl Into<Cow<'static, str>>) -> Self {
        let inner = Inner { kind, path: path::presentable(path), offset: None, detail: detail.into() };
        Self { inner: Box::new(inner) }
    }

    /// Says what was wrong.
    pub fn kind(&self) -> InputErrorKind {
        self.inner.kind
    }

    /// Says where in the value, as a JSON Pointer; `""` is the whole value.
    ///
    /// A name longer than 64 characters is shortened and control characters are escaped, so this is for people
    /// and reports, not for looking the member up.
    pub fn path(&self) -> &str {
        &self.inner.path
    }

    /// Says at which byte of a text, counted from 0; `None` where there was no text.
    pub fn offset(&self) -> Option<usize> {
        self.inner.offset
    }

    pub(super) fn at_byte(mut self, offset: usize) -> Self {
        self.inner.offset = Some(offset);
        self
    }

    /// Text inside a value has its own bytes, whose positions would mislead the reader of the whole.
    pub(super) fn without_offset(mut self) -> Self {
        self.inner.offset = None;
        self
    }

    /// Moves the error one level out, under the member of that name.
    pub(super) fn under(mut self, name: &str) -> Self {
        self.inner.path.insert_str(0, &path::segment(name));
        self
    }

    /// Moves the error one level out, under the element at that index.
    pub(super) fn under_index(mut self, index: usize) -> Self {
        self.inner.path.insert_str(0, &format!("/{index}"));
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, path, offset, detail } = &*self.inner;
        let place = if path.is_empty() { "the whole value" } else { path };
        write!(f, "{} at {place}", kind.phrase())?;
        if let Some(offset) = offset.filter(|_| kind.shows_offset()) {
            write!(f, ", byte {offset}")?;
        }
        if detail.is_empty() { Ok(()) } else { write!(f, ": {detail}") }
    }
}

impl std::error::Error for InputError {}
