//! How are recorded deliveries read?

use sluice_core::contract::moment_ms;
use sluice_core::key::{Json, JsonPointer};
use std::io::BufRead;

/// The longest line, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// One recorded delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// Its line, counted from 1.
    pub line: u64,
    /// Where the line begins, in bytes from the beginning.
    pub offset: u64,
    /// When it arrived, in milliseconds since 1970, if that is recorded.
    pub at: Option<i64>,
    /// What it asked for, as somebody labelled it; deliveries of one action have the same label.
    pub action: Option<Json>,
    /// The event.
    pub event: Json,
}

/// Why a line is no delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, counted from 1; 0 for the whole.
    pub line: u64,
    /// What is wrong, as a lower-case fragment.
    pub said: String,
    /// Whether the lines cannot be read at all, which is no fault of what stands in them.
    pub is_io: bool,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 { f.write_str(&self.said) } else { write!(f, "line {}: {}", self.line, self.said) }
    }
}

impl std::error::Error for ReadError {}

/// What every line is, decided by the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `{"at", "action", "event"}`.
    Wrapped,
    /// The event itself.
    Raw,
}

/// Reads deliveries, one a line: `{"at": …, "action": LABEL or null, "event": {…}}`, or raw events whose label a pointer names.
///
/// ```
/// use sluice_advice::Deliveries;
///
/// let text = "{\"action\": \"a\", \"event\": {\"id\": 1}}\n{\"action\": null, \"event\": {\"id\": 2}}\n";
/// let all: Vec<_> = Deliveries::new(text.as_bytes(), None).collect::<Result<_, _>>()?;
/// assert_eq!((all[1].line, all[1].action.is_none()), (2, true));
/// let wrong = Deliveries::new("{}\n[]\n".as_bytes(), None).last().unwrap().unwrap_err();
/// assert_eq!(wrong.line, 2);
/// # Ok::<(), sluice_advice::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Deliveries<R> {
    lines: LineReader<R>,
    action: Option<JsonPointer>,
    shape: Option<Shape>,
    is_over: bool,
}

/// Reads JSON values, one a line.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    from: R,
    line: u64,
    offset: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, line: 0, offset: 0, buffer: Vec::new() }
    }

    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn fail(&self, said: impl Into<String>) -> ReadError {
        ReadError { line: self.line, said: said.into(), is_io: false }
    }

    /// Where the next line begins, and what stands in it; nothing at the end.
    pub(crate) fn next_value(&mut self) -> Result<Option<(u64, Json)>, ReadError> {
        let Some(offset) = self.read_line()? else { return self.end() };
        if self.buffer.trim_ascii().is_empty() {
            return self.blank();
        }
        let value = Json::parse(&self.buffer).map_err(|error| self.fail(error.to_string()))?;
        Ok(Some((offset, value)))
    }

    /// The next line without its end; nothing at the end.
    fn read_line(&mut self) -> Result<Option<u64>, ReadError> {
        let begins = self.offset;
        self.buffer.clear();
        self.line += 1;
        let mut limited = std::io::Read::take(&mut self.from, LONGEST as u64 + 2);
        let read = limited.read_until(b'\n', &mut self.buffer);
        let unreadable = |_| ReadError { line: self.line, said: "it cannot be read".to_owned(), is_io: true };
        let read = read.map_err(unreadable)?;
        self.offset += read as u64;
        if read == 0 {
            return Ok(None);
        }
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let length = text.strip_suffix(b"\r").unwrap_or(text).len();
        self.buffer.truncate(length);
        if length > LONGEST {
            return Err(self.fail("it is longer than 16 MiB"));
        }
        Ok(Some(begins))
    }

    /// Blank lines may end the file, and nothing else.
    fn blank(&mut self) -> Result<Option<(u64, Json)>, ReadError> {
        let blank = self.line;
        while self.read_line()?.is_some() {
            if !self.buffer.trim_ascii().is_empty() {
                self.line = blank;
                return Err(self.fail("it is blank, and more follows"));
            }
        }
        self.line = blank;
        self.end()
    }

    fn end(&self) -> Result<Option<(u64, Json)>, ReadError> {
        let empty =
            || ReadError { line: 0, said: "there is nothing in it: it is empty".to_owned(), is_io: false };
        if self.line == 1 { Err(empty()) } else { Ok(None) }
    }
}

impl<R: BufRead> Deliveries<R> {
    /// Reads from there; with a pointer the lines are raw events, and it leads to the label in each.
    pub fn new(from: R, action: Option<JsonPointer>) -> Self {
        let shape = action.as_ref().map(|_| Shape::Raw);
        Self { lines: LineReader::new(from), action, shape, is_over: false }
    }

    /// Returns how many bytes have been read.
    pub fn bytes_read(&self) -> u64 {
        self.lines.offset
    }

    fn fail(&self, said: impl Into<String>) -> ReadError {
        self.lines.fail(said)
    }

    fn delivery(&mut self) -> Result<Option<Delivery>, ReadError> {
        let Some((offset, value)) = self.lines.next_value()? else { return Ok(None) };
        if !matches!(value, Json::Object(_)) {
            return Err(self.fail("a delivery is an object"));
        }
        self.read(value, offset).map(Some)
    }

    fn read(&mut self, value: Json, offset: u64) -> Result<Delivery, ReadError> {
        let is_wrapped = is_wrapped(&value);
        let shape = *self.shape.get_or_insert(if is_wrapped { Shape::Wrapped } else { Shape::Raw });
        match shape {
            Shape::Wrapped if !is_wrapped => {
                Err(self.fail("the lines before are {\"at\", \"action\", \"event\"}, and this one is not"))
            }
            Shape::Raw if is_wrapped && self.action.is_none() => {
                Err(self
                    .fail("the lines before are raw events, and this one is {\"at\", \"action\", \"event\"}"))
            }
            Shape::Wrapped => self.unwrapped(value, offset),
            Shape::Raw => {
                let label = self.action.as_ref().map(|pointer| value.pointer(pointer).cloned());
                let action = match label {
                    Some(None) => return Err(self.fail("the pointer of --action leads to nothing here")),
                    Some(Some(Json::Null)) | None => None,
                    Some(label) => label,
                };
                Ok(Delivery { line: self.lines.line, offset, at: None, action, event: value })
            }
        }
    }

    fn unwrapped(&self, value: Json, offset: u64) -> Result<Delivery, ReadError> {
        let Json::Object(members) = value else { return Err(self.fail("a delivery is an object")) };
        let mut delivery =
            Delivery { line: self.lines.line, offset, at: None, action: None, event: Json::Null };
        for (name, value) in members {
            match (name.as_str(), value) {
                ("event", event) => delivery.event = event,
                (_, Json::Null) => {}
                ("action", label @ (Json::String(_) | Json::Number(_))) => delivery.action = Some(label),
                ("action", _) => {
                    return Err(
                        self.fail("action is a text or number that deliveries of one action share, or null")
                    );
                }
                (_, at) => {
                    let at = moment_ms(&at);
                    delivery.at = Some(at.ok_or_else(|| {
                        self.fail(
                            "at is a point in time: RFC 3339 with an offset, or milliseconds since 1970",
                        )
                    })?);
                }
            }
        }
        Ok(delivery)
    }
}

impl<R: BufRead> Iterator for Deliveries<R> {
    type Item = Result<Delivery, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.delivery().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

fn is_wrapped(value: &Json) -> bool {
    let Json::Object(members) = value else { return false };
    let is_known = |name: &String| matches!(name.as_str(), "at" | "action" | "event");
    members.iter().all(|(name, _)| is_known(name)) && matches!(value.get("event"), Some(Json::Object(_)))
}
