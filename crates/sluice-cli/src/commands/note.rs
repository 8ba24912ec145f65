//! `sluice effects note`: a person's words in an intent's trail.

use super::find::OneKey;
use super::person::Person;
use crate::exit;
use crate::report::Fail;
use crate::text::printable;
use clap::Args;
use sluice::core::outcome::cut;
use sluice::core::store::Store;
use sluice::core::trail::{EventDraft, EventKind};

/// Longest note, in bytes; the rest is cut.
const LONGEST: usize = 1024;

#[derive(Args, Debug)]
pub struct NoteArgs {
    #[command(flatten)]
    which: OneKey,
    #[command(flatten)]
    person: Person,
}

pub async fn note(args: NoteArgs) -> Result<u8, Fail> {
    let (by, reason) = args.person.word()?;
    let found = args.which.find().await?;
    let event = EventDraft::new(EventKind::Note).by(by).because(cut(&reason, LONGEST));
    found.store.notice(found.snapshot.record.id.clone(), event).await?;
    crate::report::tell!("{}: noted", printable(found.snapshot.record.id.key.as_str()));
    Ok(exit::OK)
}
