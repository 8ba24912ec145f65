//! What does a client hand over of an answer?

/// An answer, as far as it is looked at.
///
/// ```
/// use sluice_core::http::Answer;
/// let headers = [("Retry-After", &b"2"[..]), ("retry-after", b"3")];
/// let answer = Answer { status: 429, headers: &headers, code: None };
/// assert_eq!(answer.header("RETRY-AFTER").collect::<Vec<_>>(), [b"2", b"3"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The status, whatever number it is.
    pub status: u16,
    /// Names and values of all headers, in any order; names without regard to case, values as bytes.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// The target's own code for what went wrong, where the client has read it from the body: `card_declined`.
    pub code: Option<&'a str>,
}

impl<'a> Answer<'a> {
    /// All values of a header.
    pub fn header(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }

    /// What a header says that is either true or false; nothing where it is neither, or both.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let mut said = self.header(name).map(|value| match value.trim_ascii() {
            value if value.eq_ignore_ascii_case(b"true") => Some(true),
            value if value.eq_ignore_ascii_case(b"false") => Some(false),
            _ => None,
        });
        let first = said.next()??;
        said.all(|again| again == Some(first)).then_some(first)
    }
}
