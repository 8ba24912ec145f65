//! Plays a key over recorded deliveries, as a ledger would.
//!
//! Everything that is kept of a delivery has a fixed size, and is sorted in memory up to a limit and in files beyond it: once
//! by key, which shows what a ledger would have done with each, and once by action, which shows what became of each action.

mod pairs;
mod record;
mod report;
mod sort;
mod tally;
mod twin;
mod why;

pub use pairs::{Pairs, WrongPair, pairs};
pub use report::{Example, Findings, Keyless, Report};

use crate::deliveries::{Deliveries, ReadError};
use record::{ByKey, NO_TIME};
use sha2::{Digest, Sha256};
use sluice_core::contract::{Contract, IdentityKeys};
use sluice_core::key::{Json, JsonPointer, Request};
use sort::Sorter;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use why::Sought;

/// How a check is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the label of an action is in a raw event.
    pub action: Option<JsonPointer>,
    /// How many deliveries are held in memory; twice so many records of 65 bytes.
    pub in_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { action: None, in_memory: 500_000 }
    }
}

/// Plays the contract's key over the deliveries; `seen` hears now and then how many bytes were read.
///
/// # Errors
/// [`ReadError`] for a line that is no delivery, and where neither the deliveries nor temporary files can be read or written.
///
/// ```
/// use sluice_advice::check::{Options, check};
/// use sluice_core::contract::{Contract, IdentityKeys};
///
/// let text = "{\"action\":\"a\",\"event\":{\"order\":1,\"message\":1}}\n{\"action\":\"a\",\"event\":{\"order\":1,\"message\":2}}\n";
/// let mut file = std::io::Cursor::new(text);
/// let by = |member: &str| Contract::builder("pay").identity([member]).build().unwrap();
/// let keys = IdentityKeys::default();
/// let good = check(&mut file, &by("order"), &keys, &Options::default(), |_| {})?;
/// assert_eq!((good.deliveries, good.actions, good.ran_twice), (2, 1, 0));
/// let bad = check(&mut file, &by("message"), &keys, &Options::default(), |_| {})?;
/// assert_eq!((bad.ran_twice, bad.unstable.examples[0].lines), (1, [1, 2]));
/// assert_eq!(bad.unstable.examples[0].members, ["message"]);
/// # Ok::<(), sluice_advice::ReadError>(())
/// ```
pub fn check<R: Read + Seek>(
    from: &mut R,
    contract: &Contract,
    keys: &IdentityKeys,
    options: &Options,
    seen: impl FnMut(u64),
) -> Result<Report, ReadError> {
    from.seek(SeekFrom::Start(0)).map_err(|error| lost(&error))?;
    let mut report = Report::default();
    let by_key = read(from, contract, keys, options, &mut report, seen)?;
    tally::tally(by_key, contract, options.in_memory, &mut report).map_err(|error| lost(&error))?;
    let mut explain = |sought, findings: &mut Findings| {
        why::explain(from, options.action.as_ref(), contract, sought, findings);
    };
    explain(Sought::InKey, &mut report.unstable);
    explain(Sought::InKey, &mut report.retries);
    explain(Sought::Outside, &mut report.collisions);
    explain(Sought::Outside, &mut report.varying);
    Ok(report)
}

fn lost(_: &io::Error) -> ReadError {
    let said = "the deliveries, or a temporary file for sorting them, cannot be read or written: is there room in TMPDIR?";
    ReadError { line: 0, said: said.to_owned(), is_io: true }
}

fn read<R: Read + Seek>(
    from: &mut R,
    contract: &Contract,
    keys: &IdentityKeys,
    options: &Options,
    report: &mut Report,
    mut seen: impl FnMut(u64),
) -> Result<Sorter<ByKey>, ReadError> {
    let mut by_key = Sorter::new(options.in_memory);
    let mut deliveries = Deliveries::new(BufReader::with_capacity(1 << 18, from), options.action.clone());
    while let Some(delivery) = deliveries.next() {
        let delivery = delivery?;
        report.deliveries += 1;
        report.labelled += u64::from(delivery.action.is_some());
        if report.deliveries.is_multiple_of(4096) {
            seen(deliveries.bytes_read());
        }
        let derived =
            contract.key(&delivery.event, keys).and_then(|key| Ok((key, contract.request(&delivery.event)?)));
        let (key, request) = match derived {
            Ok(derived) => derived,
            Err(error) => {
                let begin = || Keyless { count: 0, first_line: delivery.line };
                report.keyless.entry(error.to_string()).or_insert_with(begin).count += 1;
                continue;
            }
        };
        let action = match &delivery.action {
            Some(label) => hash(label),
            None => hash(&twin::lasting(&delivery.event)),
        };
        let record = ByKey {
            key: u128::from_str_radix(key.as_str().get(..32).unwrap_or_default(), 16).unwrap_or_default(),
            line: delivery.line,
            offset: delivery.offset,
            at: delivery.at.unwrap_or(NO_TIME),
            action,
            request: request.as_ref().map_or(0, request_hash),
            is_guess: delivery.action.is_none(),
        };
        by_key.push(record).map_err(|error| lost(&error))?;
    }
    Ok(by_key)
}

fn hash(value: &Json) -> u128 {
    let digest: [u8; 32] = Sha256::digest(value.canonical()).into();
    digest.iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

fn request_hash(request: &Request) -> u64 {
    request.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
