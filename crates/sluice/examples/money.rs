//! Money between two accounts that lie in the ledger's own file: moved exactly once, whatever happens and how often it is
//! asked for.
//!
//! ```sh
//! cargo run --example money
//! ```

use sluice::{Code, Done, Error, Failure, Sluice};
use sluice_sqlite::{SqliteStore, Statements};

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT";
const TAKE: &str = "UPDATE accounts SET cents = cents - ?2 WHERE name = ?1 AND cents >= ?2";
const GIVE: &str = "UPDATE accounts SET cents = cents + ?2 WHERE name = ?1";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let store = SqliteStore::open(folder.path().join("bank.db")).await?;
        let sluice = Sluice::open(store.clone()).build();
        open_accounts(&sluice, &store).await?;
        // The same instruction arrives three times.
        for delivery in 1..=3 {
            let done = transfer(&sluice, &store, "transfer 17", 2_500).await?;
            println!("delivery {delivery}: {}", if done.ran_now() { "moved" } else { "was moved before" });
        }
        // Another one cannot be paid: it fails for good, and nothing of it stays.
        let refused = transfer(&sluice, &store, "transfer 18", 99_999).await.unwrap_err();
        assert_eq!(refused.code(), Code::EffectFailed);
        println!("transfer 18: {refused}");
        assert_eq!(balances(&sluice, &store).await?, (7_500, 2_500));
        println!("ada has 7500 cents, bob 2500");
        Ok(())
    })
}

async fn open_accounts(sluice: &Sluice, store: &SqliteStore) -> Result<(), Error> {
    let open = |db: &Statements<'_>| {
        db.execute(TABLE, [])?;
        db.execute("INSERT INTO accounts VALUES ('ada', 10000), ('bob', 0)", [])?;
        Ok(())
    };
    sluice.effect("open accounts").no_fingerprint().run_in(store, open).await.map(drop)
}

async fn transfer(sluice: &Sluice, store: &SqliteStore, name: &str, cents: i64) -> Result<Done<i64>, Error> {
    let work = move |db: &Statements<'_>| {
        if db.execute(TAKE, ("ada", cents))? == 0 {
            return Err(Failure::permanent("ada does not have that much"));
        }
        db.execute(GIVE, ("bob", cents))?;
        Ok(cents)
    };
    sluice.effect(name).fingerprint(&cents).run_in(store, work).await
}

/// Reads are an effect of their own here, each under its own name; an application reads with a connection of its own.
async fn balances(sluice: &Sluice, store: &SqliteStore) -> Result<(i64, i64), Error> {
    let read = |db: &Statements<'_>| {
        let of =
            |name: &str| db.query_row("SELECT cents FROM accounts WHERE name = ?1", [name], |row| row.get(0));
        Ok((of("ada")?, of("bob")?))
    };
    let done = sluice.effect("look").no_fingerprint().run_in(store, read).await?;
    Ok(done.value().unwrap_or_default())
}
