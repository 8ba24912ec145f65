//! Delivers an event and a variant of it to an empty ledger, and says what the second one heard.

use sluice::core::contract::{Contract, IdentityKeys};
use sluice::core::key::Json;
use sluice::{Code, Failure, MemoryStore, Sluice};

/// What the second delivery heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The effect ran for it.
    Ran,
    /// It was told the first one's result.
    Replayed,
    /// It was refused, since the key belongs to a different request.
    Conflict,
    /// It has no key.
    NoKey,
    /// Anything else.
    Other(Code),
}

impl Seen {
    /// Says it in a few words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ran => "runs",
            Self::Replayed => "replays",
            Self::Conflict => "is refused as a key conflict",
            Self::NoKey => "has no key",
            Self::Other(code) => code.as_str(),
        }
    }
}

/// Delivers both to a ledger of their own.
pub(super) async fn play(contract: &Contract, keys: &IdentityKeys, first: &Json, second: &Json) -> Seen {
    let sluice = Sluice::open(MemoryStore::new()).build();
    match deliver(&sluice, contract, keys, first).await {
        Seen::Ran => deliver(&sluice, contract, keys, second).await,
        other => other,
    }
}

async fn deliver(sluice: &Sluice, contract: &Contract, keys: &IdentityKeys, event: &Json) -> Seen {
    let effect = match sluice.contract(contract).identity_keys(keys.clone()).event(event) {
        Ok(effect) => effect,
        Err(error) if error.code() == Code::InvalidInput => return Seen::NoKey,
        Err(error) => return Seen::Other(error.code()),
    };
    match effect.run(|_ctx| async { Ok::<_, Failure>(()) }).await {
        Ok(done) if done.ran_now() => Seen::Ran,
        Ok(_) => Seen::Replayed,
        Err(error) if error.code() == Code::KeyConflict => Seen::Conflict,
        Err(error) => Seen::Other(error.code()),
    }
}
