//! Faults that people reported of stored results; each is closed as a kind.

mod common;

use common::{Counter, Ledger, on_every_ledger, spec, status};
use serde::{Deserialize, Serialize};
use sluice::core::state::Status;
use sluice::{Done, Failure, Reason};

async fn twice<T>(ledger: &Ledger, text: &str, value: T) -> (Done<T>, usize)
where
    T: Serialize + serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    let effects = Counter::default();
    let sluice = ledger.sluice();
    let mut last = None;
    for _ in 0..2 {
        let (effects, value) = (effects.clone(), value.clone());
        let done = sluice
            .run(spec(text), move |_| {
                effects.bump();
                let value = value.clone();
                async move { Ok(value) }
            })
            .await;
        last = Some(done.unwrap());
    }
    assert_eq!(status(&sluice, text).await, Status::Succeeded);
    (last.unwrap(), effects.get())
}

#[test]
fn b06_a_success_survives_a_result_that_is_too_large() {
    on_every_ledger(|ledger| async move {
        let text = "x".repeat(20 * 1024 * 1024);
        let (done, effects) = twice(&ledger, "large", text).await;
        assert_eq!(effects, 1);
        let Done::WithoutValue(meta) = done else { panic!("a stand-in") };
        let Some(Reason::NotKept { bytes: Some(bytes), sha256: Some(digest) }) = meta.reason else {
            panic!("no reason")
        };
        assert_eq!((bytes, digest.len()), (20 * 1024 * 1024 + 2, 64));
    });
}

#[test]
fn b06_odd_texts_come_back_as_they_were() {
    on_every_ledger(|ledger| async move {
        for (n, text) in ["a\0b", "\u{2028}\u{2029}", "\\ud800", "\u{10ffff}\u{fffe}", "\r\n\t\u{7f}", ""]
            .into_iter()
            .enumerate()
        {
            let (done, effects) = twice(&ledger, &format!("text {n}"), text.to_owned()).await;
            assert_eq!((done.value().as_deref(), effects), (Some(text), 1));
        }
        let digits = "9".repeat(400);
        assert_eq!(twice(&ledger, "digits", digits.clone()).await.0.value(), Some(digits));
        assert_eq!(twice(&ledger, "largest", u64::MAX).await.0.value(), Some(u64::MAX));
        assert_eq!(
            twice(&ledger, "edge", "y".repeat(64 * 1024 - 2)).await.0.value().map(|text| text.len()),
            Some(65_534)
        );
    });
}

#[test]
fn b06_what_cannot_be_written_down_is_never_replayed_as_something_else() {
    on_every_ledger(|ledger| async move {
        #[derive(Clone, Serialize, Deserialize)]
        struct Rate {
            rate: Option<f64>,
        }
        let (done, effects) = twice(&ledger, "nan", Rate { rate: Some(f64::NAN) }).await;
        assert_eq!(effects, 1);
        assert!(matches!(done, Done::WithoutValue(_)), "NaN must not come back as an absent rate");
        let message = "broke\0here";
        let sluice = ledger.sluice();
        for _ in 0..2 {
            let error = sluice
                .run(spec("nul error"), move |_| async move { Err::<u32, _>(Failure::permanent(message)) })
                .await
                .unwrap_err();
            assert_eq!(error.details().fault.as_ref().unwrap().message, message);
        }
    });
}

#[test]
fn b06_a_result_of_another_type_is_given_back_raw() {
    on_every_ledger(|ledger| async move {
        let sluice = ledger.sluice();
        let _ = sluice.run(spec("k"), |_| async { Ok::<_, Failure>(str::to_owned("text")) }).await.unwrap();
        let done = sluice.run(spec("k"), |_| async { Ok::<u32, Failure>(1) }).await.unwrap();
        let Done::WithoutValue(meta) = done else { panic!("a stand-in") };
        assert_eq!(meta.reason, Some(Reason::Unreadable { raw: "\"text\"".to_owned() }));
    });
}
