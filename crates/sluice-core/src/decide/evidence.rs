//! What an older epoch's late success means for the record.

use crate::outcome::{Kept, NotKept};
use crate::record::Body;

/// The result of an older execution that is known to have landed, if there is one.
///
/// With it, no later "it did not happen" can be true of the intent as a whole.
pub(super) fn landed_before(body: &Body) -> Option<Kept> {
    let older = body.landed.iter().any(|epoch| *epoch < body.epoch);
    older.then(|| body.evidence.clone().unwrap_or_else(|| Kept::absent(NotKept::NeverGiven)))
}
