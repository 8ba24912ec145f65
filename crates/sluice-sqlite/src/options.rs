//! How a ledger is opened.

use crate::clock::LedgerClock;
use sluice_core::ids::RecordId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How a ledger is opened.
///
/// ```
/// use sluice_sqlite::Options;
/// let options = Options { readers: 1, ..Options::default() };
/// assert_eq!(options.busy_timeout, std::time::Duration::from_secs(10));
/// assert!(options.create);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// How long others that hold the file are waited for; 10 seconds unless told otherwise.
    pub busy_timeout: Duration,
    /// How many records can be read at once; 4 unless told otherwise, at least 1.
    pub readers: usize,
    /// Whether a file that is not there is made. Its folder never is.
    pub create: bool,
    /// The clocks to judge by; those of the host where none are given.
    pub clock: Option<Arc<dyn LedgerClock>>,
    /// Where the secrets of a new ledger come from.
    pub entropy: Entropy,
    /// Called at the moments of a write, for tests.
    pub hook: Option<Hook>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            readers: 4,
            create: true,
            clock: None,
            entropy: Entropy::default(),
            hook: None,
        }
    }
}

/// Draws 32 bytes that nobody can foresee; from the operating system (`getrandom(2)`) unless told otherwise.
#[derive(Clone)]
pub struct Entropy(Arc<dyn Fn() -> std::io::Result<[u8; 32]> + Send + Sync>);

impl Entropy {
    /// Draws from elsewhere, for tests.
    pub fn from_fn(draw: impl Fn() -> [u8; 32] + Send + Sync + 'static) -> Self {
        Self(Arc::new(move || Ok(draw())))
    }

    pub(crate) fn draw(&self) -> std::io::Result<[u8; 32]> {
        (self.0)()
    }
}

impl Default for Entropy {
    fn default() -> Self {
        Self(Arc::new(from_the_system))
    }
}

fn from_the_system() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(more) => filled += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy")
    }
}

/// A moment of a write, for tests that want something to fail or to happen just then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment<'a> {
    /// A change, renewal or notice of this record has been written inside its transaction. Refused: the job fails.
    Written(&'a RecordId),
    /// The transaction is about to be committed. Refused: it is not, and nobody is told so for certain.
    Commit,
    /// It has been committed. Refused: callers hear that the outcome is unknown.
    Committed,
}

/// Is called by the writer thread at every [`Moment`]; false makes that step fail.
#[derive(Clone)]
pub struct Hook(Arc<dyn Fn(Moment<'_>) -> bool + Send + Sync>);

impl Hook {
    /// Makes a hook.
    pub fn new(hook: impl Fn(Moment<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    pub(crate) fn allows(&self, moment: Moment<'_>) -> bool {
        (self.0)(moment)
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_never_draws_the_same_bytes_twice() {
        let entropy = Entropy::default();
        assert_ne!(entropy.draw().unwrap(), entropy.draw().unwrap());
    }
}
