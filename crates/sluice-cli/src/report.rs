//! From an error to a sentence, a hint and an exit status.

use crate::exit;
use crate::text::{in_words, lines, verdicts};
use sluice::core::error::About;
use sluice::{Code, Error};
use std::process::ExitCode;

/// Why a command ends without having done what it was asked for.
#[derive(Debug)]
pub enum Fail {
    /// The arguments do not fit together.
    Usage(String),
    /// Something about the input, the ledger or the intent.
    Error(Box<Error>),
    /// A status with a sentence of its own.
    Status(u8, String),
}

impl From<Error> for Fail {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<sluice::core::store::StoreError> for Fail {
    fn from(error: sluice::core::store::StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<sluice::core::key::InputError> for Fail {
    fn from(error: sluice::core::key::InputError) -> Self {
        Error::from(error).into()
    }
}

impl From<sluice::core::key::KeyError> for Fail {
    fn from(error: sluice::core::key::KeyError) -> Self {
        Error::from(error).into()
    }
}

impl Fail {
    pub fn usage(said: impl Into<String>) -> Self {
        Self::Usage(said.into())
    }

    /// Says it on stderr and answers the status.
    pub fn report(&self) -> u8 {
        match self {
            Self::Usage(said) => {
                say(&format!("{said}\n  for help: sluice --help"));
                exit::USAGE
            }
            Self::Error(error) => {
                say(&sentence(error, true));
                status(error)
            }
            Self::Status(status, said) => {
                say(said);
                *status
            }
        }
    }
}

/// A missing or newer ledger and an unsuitable place are settings; everything else about a store is the store.
pub fn status(error: &Error) -> u8 {
    use sluice::core::store::StoreErrorKind as Kind;
    match error.store_kind() {
        Some(Kind::Newer | Kind::Unsuitable) => exit::CONFIG,
        _ => exit::of(error),
    }
}

/// Writes one line to stdout. Whoever should read it may be gone, or have no room; what was done stays done.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout().lock(), $($words)*);
    }};
}
pub(crate) use tell;

/// Writes one message to stderr. A closed stderr is no reason to fail.
pub fn say(message: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "sluice: {message}");
}

pub fn bug(said: &str) -> ExitCode {
    say(&format!("{said}\n  this is a bug in sluice"));
    ExitCode::from(exit::BUG)
}

/// The sentence, what is safe, what to type next, and from when on, where that matters to the reader.
pub fn sentence(error: &Error, when: bool) -> String {
    let about = error.details();
    let mut said = vec![format!("{}: {error}", error.code())];
    if about.is_spooled {
        said.push("what now: run the same command again once the ledger answers.".to_owned());
    } else {
        said.push(format!("what now: {}", error.advice()));
    }
    said.extend(next(error, about, when));
    lines(&said)
}

fn next(error: &Error, about: &About, when: bool) -> Vec<String> {
    let Some(id) = &about.id else { return Vec::new() };
    let place = in_words(id);
    let mut next = Vec::new();
    if let Some(pid) = about.pid {
        next.push(format!("process {pid} still runs it"));
    }
    match error.code() {
        Code::Indeterminate if about.is_spooled => {
            next.push(
                "its outcome is kept aside, and the next sluice run on this ledger takes it in".to_owned(),
            );
        }
        Code::Indeterminate => {
            next.push(format!("look: sluice explain {place}"));
            let [landed, did_not] = verdicts(id, about.unresolved.iter().copied());
            next.push(format!("it happened: {landed}"));
            next.push(format!("it did not: {did_not}"));
            if let Some(after) = about.safe_after.filter(|_| when) {
                next.push(format!("\"did not land\" is taken in {}", crate::text::rough(after)));
            }
        }
        Code::KeyConflict | Code::Duplicate | Code::EffectFailed | Code::InFlight | Code::WaitTimeout => {
            next.push(format!("look: sluice explain {place}"));
        }
        Code::CircuitOpen | Code::Released | Code::RetryBudget => {
            if let Some(after) = about.safe_after {
                next.push(format!("not before {} from now", crate::text::rough(after)));
            }
        }
        _ => {}
    }
    next
}
