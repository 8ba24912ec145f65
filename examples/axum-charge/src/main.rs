//! Serves the shop on a port of this host, with a ledger beside it.
//!
//! ```sh
//! cargo run -p axum-charge
//! curl -s -X POST localhost:8717/charges -H 'content-type: application/json' \
//!     -d '{"order":"o-17","card":"tok_visa","cents":1999}'      # as often as you like: one charge
//! ```

use axum_charge::shop::{Shop, routes};
use axum_charge::stripe::Stripe;
use sluice::Sluice;
use sluice_sqlite::SqliteStore;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ledger = std::env::temp_dir().join("axum-charge.db");
    let sluice = Sluice::open(SqliteStore::open(&ledger).await?).build();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8717").await?;
    println!("http://{} with the ledger {}", listener.local_addr()?, ledger.display());
    axum::serve(listener, routes(Shop { sluice, stripe: Arc::new(Stripe::default()) })).await?;
    Ok(())
}
