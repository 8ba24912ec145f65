//! A ledger that somebody else holds for a while.

use sluice::{Code, EffectSpec, Failure, Key, Sluice};
use sluice_sqlite::SqliteStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_begins_after_the_deadline_however_long_the_claim_took() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let sluice = Sluice::open(SqliteStore::open(&path).await.unwrap()).build();
    let ledger = rusqlite::Connection::open(&path).unwrap();
    ledger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let deadline = Some(Duration::from_millis(300));
    let spec = EffectSpec { deadline, ..EffectSpec::new(Key::new("k").unwrap()) };
    let late = tokio::spawn(async move {
        let effect = move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Ok::<_, Failure>(1_u32))
        };
        sluice.run(spec, effect).await
    });
    // Until long after the deadline, and shorter than a busy ledger is waited for.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    ledger.execute_batch("ROLLBACK").unwrap();
    let error = late.await.unwrap().unwrap_err();
    assert!(matches!(error.code(), Code::Released | Code::Deadline), "{error}");
    assert!(error.did_not_happen() || error.code() == Code::Deadline, "{error}");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}
