//! Pairs of events of which somebody says whether they are one action.

use super::why::{in_key, outside};
use crate::deliveries::{LineReader, ReadError};
use sluice_core::contract::{Contract, IdentityKeys};
use sluice_core::key::Json;
use std::io::BufRead;

/// A pair whose keys say something else than its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongPair {
    /// Its line.
    pub line: u64,
    /// The members of the key that changed, or those outside it that tell the two apart.
    pub members: Vec<String>,
}

/// What was found in one file of pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// How many pairs there are.
    pub count: u64,
    /// Those that are wrong.
    pub wrong: Vec<WrongPair>,
}

/// Looks at pairs, one a line, each an array of two events; `are_same` says what the file says of all of them.
///
/// # Errors
/// [`ReadError`] for a line that is no pair, and for an event without a key.
///
/// ```
/// use sluice_advice::check::pairs;
/// use sluice_core::contract::{Contract, IdentityKeys};
///
/// let contract = Contract::builder("pay").identity(["id"]).build().unwrap();
/// let text = "[{\"id\": 1, \"n\": 1}, {\"id\": 1, \"n\": 2}]\n";
/// let keys = IdentityKeys::default();
/// assert!(pairs(text.as_bytes(), true, &contract, &keys)?.wrong.is_empty());
/// assert_eq!(pairs(text.as_bytes(), false, &contract, &keys)?.wrong[0].members, ["n"]);
/// # Ok::<(), sluice_advice::ReadError>(())
/// ```
pub fn pairs<R: BufRead>(
    from: R,
    are_same: bool,
    contract: &Contract,
    keys: &IdentityKeys,
) -> Result<Pairs, ReadError> {
    let mut lines = LineReader::new(from);
    let mut found = Pairs::default();
    while let Some((_, value)) = lines.next_value()? {
        let Json::Array(pair) = &value else { return Err(lines.fail("a pair is an array of two events")) };
        let [a, b] = pair.as_slice() else { return Err(lines.fail("a pair is an array of two events")) };
        found.count += 1;
        let key = |event| contract.key(event, keys).map_err(|error| lines.fail(error.to_string()));
        if (key(a)? == key(b)?) != are_same {
            let members = if are_same { in_key(contract, a, b) } else { outside(contract, a, b) };
            found.wrong.push(WrongPair { line: lines.line(), members });
        }
    }
    Ok(found)
}
