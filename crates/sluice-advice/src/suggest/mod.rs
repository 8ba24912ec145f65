//! Searches recorded, labelled deliveries for the members that could be an identity.
//!
//! A set of members can be one where it is equal within every action and different between any two. Only minimal sets are
//! found: without any one of its members a set no longer tells all actions apart.

mod rank;
mod search;
mod table;

pub use rank::Suggestion;
pub(crate) use rank::is_id;

use crate::deliveries::{Delivery, ReadError};
use search::Searched;
use table::Table;

/// How a search is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many members a set has at most.
    pub fields: usize,
    /// How many sets are looked into before the search is cut off, and says so.
    pub looked_into: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fields: 4, looked_into: 2_000_000 }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggested {
    /// Every minimal set, the best first.
    pub sets: Vec<Suggestion>,
    /// Actions among the deliveries.
    pub actions: usize,
    /// Deliveries that nobody labelled, which say nothing here.
    pub unlabelled: usize,
    /// Members that no set can have, since they are missing or empty in a delivery.
    pub missing: Vec<String>,
    /// Members that change within an action.
    pub unstable: Vec<String>,
    /// Where nothing separates: the lines of two deliveries of different actions that agree in every lasting member.
    pub proof: Option<[u64; 2]>,
    /// Whether the search was cut off before every set was looked into.
    pub is_cut_off: bool,
}

/// Searches for every minimal set.
///
/// # Errors
/// The first [`ReadError`] among the deliveries.
///
/// ```
/// use sluice_advice::Deliveries;
/// use sluice_advice::suggest::{Limits, suggest};
///
/// let line = |action: u8, message: u8| format!("{{\"action\":{action},\"event\":{{\"order\":{action},\"message\":{message}}}}}\n");
/// let text = [line(1, 1), line(1, 2), line(2, 3)].concat();
/// let found = suggest(Deliveries::new(text.as_bytes(), None), Limits::default())?;
/// assert_eq!(found.sets[0].members, ["order"]);
/// assert_eq!(found.unstable, ["message"]);
/// # Ok::<(), sluice_advice::ReadError>(())
/// ```
pub fn suggest(
    deliveries: impl IntoIterator<Item = Result<Delivery, ReadError>>,
    limits: Limits,
) -> Result<Suggested, ReadError> {
    let mut table = Table::default();
    for delivery in deliveries {
        table.add(&delivery?);
    }
    let lasting = table.lasting();
    let Searched { sets, proof, is_cut_off } = search::search(&table, &lasting.columns, limits);
    let judge = rank::Judge::new(&table);
    let mut sets: Vec<_> = sets.iter().map(|set| judge.judge(&table, set)).collect();
    sets.sort_by_cached_key(rank::measure);
    let proof = if sets.is_empty() { proof.map(|rows| rows.map(|row| table.line_of(row))) } else { None };
    Ok(Suggested {
        sets,
        actions: table.actions(),
        unlabelled: table.unlabelled,
        missing: lasting.missing,
        unstable: lasting.unstable,
        proof,
        is_cut_off,
    })
}
