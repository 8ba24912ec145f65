//! `sluice mark`: the point of no return of a script.

use crate::exit;
use crate::open::place;
use crate::report::{Fail, say};
use clap::Args;
use sluice::core::ids::{ClaimId, Epoch, RecordId};
use sluice::{Key, MarkAnswer, Namespace, Sluice};

/// Makes the point of no return durable: `sluice mark || exit 75`, right before the side effect.
#[derive(Args, Debug)]
pub struct MarkArgs {
    #[command(flatten)]
    store: super::StoreArg,
}

pub async fn mark(args: MarkArgs) -> Result<u8, Fail> {
    let outside = || {
        Fail::usage(
            "sluice mark works inside a command that sluice run started: it reads SLUICE_CLAIM and the like",
        )
    };
    let variable = |name: &str| std::env::var(name).map_err(|_| outside());
    let claim = ClaimId::parse(&variable("SLUICE_CLAIM")?).ok_or_else(outside)?;
    let epoch = Epoch(variable("SLUICE_EPOCH")?.parse().map_err(|_| outside())?);
    let id =
        RecordId::new(Namespace::new(variable("SLUICE_NAMESPACE")?)?, Key::new(variable("SLUICE_KEY")?)?);
    let store = place(args.store.store.as_deref())?.open_existing().await?;
    match Sluice::open_shared(store).build().mark(&id, claim, epoch).await? {
        MarkAnswer::Marked => Ok(exit::OK),
        MarkAnswer::Lost => {
            say(
                "E_LEASE_LOST: the right to execute ended\n  what now: do nothing more; another delivery may hold it now",
            );
            Ok(exit::AGAIN)
        }
    }
}
