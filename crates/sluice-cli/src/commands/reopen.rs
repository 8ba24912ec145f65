//! `sluice effects reopen`: a person gives a failed intent another chance.

use super::find::OneKey;
use super::person::Person;
use crate::exit;
use crate::report::Fail;
use crate::text::{in_words, printable};
use clap::Args;
use sluice::{Reopened, Sluice};

#[derive(Args, Debug)]
pub struct ReopenArgs {
    #[command(flatten)]
    which: OneKey,
    #[command(flatten)]
    person: Person,
}

pub async fn reopen(args: ReopenArgs) -> Result<u8, Fail> {
    let (by, reason) = args.person.word()?;
    let found = args.which.find().await?;
    let id = found.snapshot.record.id.clone();
    let sluice = Sluice::open_shared(found.store).build();
    let key = printable(id.key.as_str());
    match sluice.reopen(&id, &by, &reason).await? {
        Reopened::Taken(_) => {
            crate::report::tell!("{key}: failed → released by {}; the next delivery runs it", printable(&by));
            Ok(exit::OK)
        }
        Reopened::Already(_) => {
            crate::report::tell!("{key}: already released; the next delivery runs it");
            Ok(exit::OK)
        }
        Reopened::NotFailed(found) => Err(Fail::Status(
            exit::CONFLICT,
            format!(
                "the record is {}; only a failed one can be reopened\n  look: sluice explain {}",
                found.record.body.status,
                in_words(&id)
            ),
        )),
        Reopened::NoRecord => Err(Fail::Status(exit::BAD_INPUT, "the record is gone".to_owned())),
    }
}
