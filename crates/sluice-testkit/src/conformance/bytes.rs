//! What a record holds comes back byte for byte, or not at all.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{body, claim_id, edit, fault, id, place};
use sluice_core::change::LeaseSet;
use sluice_core::failure::FailureClass;
use sluice_core::holder::Holder;
use sluice_core::ids::Epoch;
use sluice_core::key::{Fingerprint, SecretId};
use sluice_core::outcome::{Fault, Kept, NotKept, Outcome, digest};
use sluice_core::record::{Body, Downstream, Labels, Terms};
use sluice_core::state::Status;
use sluice_core::trail::EventKind;
use sluice_core::unresolved::Doubt;
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("texts of any characters come back as they were, NUL and U+2028 among them", odd_texts),
    rule("an empty text is not the same as none", empty_texts),
    rule("results of any bytes come back byte for byte", odd_results),
    rule("a result of a mebibyte comes back byte for byte, and so does late evidence", large_results),
    rule("a label of 64 KiB comes back whole", large_labels),
    rule("every outcome comes back as it was, and every reason for a result not kept", outcomes),
    rule("a fault's detail comes back as it was, long and nested", details),
    rule("holder, terms and marks come back as they were, up to their largest", holders),
    rule("every epoch in doubt and every landed one comes back with its reason", doubts),
    rule("a fingerprint comes back as it was, whatever its secret is called", fingerprints),
];

const ODD: [&str; 9] = [
    "",
    "\0",
    "a\0b",
    "\u{2028}\u{2029}",
    "\u{feff}\u{fffd}\u{10ffff}",
    "'\"\\\\u0000%_;--",
    "\r\n\t\u{1}\u{7f}\u{85}",
    "null",
    " \u{1f469}\u{200d}\u{1f4bb} caf\u{e9} cafe\u{301} ",
];

/// A body placed first, and written over another one, must both times come back equal.
fn comes_back(bench: Bench<'_>, key: &str, body: &Body) -> Verdict {
    let first = bench.applied(&id(key), place(body.clone(), LeaseSet::Keep))?;
    same("the body that was answered", &first.record.body, body)?;
    same("the body that is read", &bench.found(&id(key))?.record.body, body)?;
    let other = format!("{key}, written over");
    let plain = bench.claim(&id(&other))?;
    bench.applied(&id(&other), edit(&plain, EventKind::Evidence, |set| *set = body.clone()))?;
    same("the body that was written over another", &bench.found(&id(&other))?.record.body, body)
}

fn with(edit: impl FnOnce(&mut Body)) -> Body {
    let mut body = body(claim_id());
    edit(&mut body);
    body
}

fn odd_texts(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for (number, text) in ODD.iter().enumerate() {
        let text = || (*text).to_owned();
        let body = with(|set| {
            set.labels = Labels {
                tool: Some(text()),
                actor: Some(text()),
                run_id: Some(text()),
                object_id: Some(text()),
            };
            set.holder.machine = text();
            set.holder.boot = text();
            set.holder.lock = Some(text());
            set.downstream.key = text();
            set.outcome = Outcome::Fault(Fault {
                code: Some(text()),
                message: text(),
                detail: Some(serde_json::Value::String(text()).to_string()),
                ..fault(FailureClass::Permanent)
            });
        });
        comes_back(bench, &format!("text {number}"), &body)?;
    }
    Ok(())
}

fn empty_texts(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let some = |set: bool| set.then(String::new);
    for set in [true, false] {
        let body = with(|body| {
            body.labels =
                Labels { tool: some(set), actor: some(!set), run_id: some(set), object_id: some(!set) };
            body.holder.lock = some(set);
            body.evidence = set.then(|| Kept::within(Vec::new(), 0));
            body.outcome = Outcome::Success(Kept::within(Vec::new(), 0));
        });
        comes_back(bench, &format!("empty {set}"), &body)?;
    }
    Ok(())
}

fn odd_results(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let every_byte: Vec<u8> = (0..=255).collect();
    let texts = ODD.iter().map(|text| text.as_bytes().to_vec());
    let digits = "9".repeat(400).into_bytes();
    let more = [every_byte, br#"{"s":"a\u0000b"}"#.to_vec(), vec![0xff, 0xfe], vec![0; 70], digits];
    for (number, result) in texts.chain(more).enumerate() {
        let body = with(|set| {
            set.status = Status::Succeeded;
            set.evidence = Some(Kept::within(result.clone(), usize::MAX));
            set.outcome = Outcome::Success(Kept::within(result, usize::MAX));
        });
        comes_back(bench, &format!("result {number}"), &body)?;
    }
    Ok(())
}

fn large_results(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let result: Vec<u8> = (0..1_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut evidence = result.clone();
    evidence.reverse();
    let body = with(|set| {
        set.status = Status::Succeeded;
        set.outcome = Outcome::Success(Kept::within(result, usize::MAX));
        set.evidence = Some(Kept::within(evidence, usize::MAX));
    });
    comes_back(bench, "k", &body)
}

fn large_labels(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let long = |of: &str| Some(of.repeat(64 * 1024 / of.len()));
    let body = with(|set| {
        set.labels = Labels {
            tool: long("t"),
            actor: long("\u{e9}"),
            run_id: long("\u{1f600}"),
            object_id: long("'"),
        };
        set.downstream.key = "d".repeat(64 * 1024);
    });
    comes_back(bench, "k", &body)
}

fn outcomes(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut all = vec![Outcome::None, Outcome::Success(Kept::within(b"1".to_vec(), 10))];
    for reason in NotKept::ALL {
        all.push(Outcome::Success(Kept::absent(reason)));
        all.push(Outcome::Success(Kept {
            bytes: Some(i64::MAX.unsigned_abs()),
            sha256: Some(digest(b"x")),
            value: Err(reason),
        }));
    }
    // Nothing says that size and digest are there together.
    all.push(Outcome::Success(Kept { bytes: None, sha256: None, value: Ok(b"1".to_vec()) }));
    for class in
        [FailureClass::Permanent, FailureClass::Transient, FailureClass::NotStarted, FailureClass::Unknown]
    {
        all.push(Outcome::Fault(fault(class)));
        all.push(Outcome::Fault(Fault { code: None, ..fault(class) }));
    }
    for (number, outcome) in all.into_iter().enumerate() {
        let evidence = match &outcome {
            Outcome::Success(kept) => Some(kept.clone()),
            _ => None,
        };
        let body = with(|set| {
            set.outcome = outcome;
            set.evidence = evidence;
        });
        comes_back(bench, &format!("outcome {number}"), &body)?;
    }
    Ok(())
}

fn details(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let nested = (0..100).fold(serde_json::json!("inside"), |inner, _| serde_json::json!([inner]));
    let many: serde_json::Map<_, _> = (0..2_000).map(|at| (format!("member \u{0}{at}"), at.into())).collect();
    let details = [
        nested,
        serde_json::Value::Object(many),
        serde_json::json!("x".repeat(100_000)),
        serde_json::json!([0, -1, u64::MAX, i64::MIN, 0.1, 1e300, -0.0, 5e-324, true, null, {}, []]),
        serde_json::json!({"": {"\0": "\u{2028}"}}),
    ];
    for (number, detail) in details.into_iter().enumerate() {
        let body = with(|set| {
            set.status = Status::Failed;
            set.outcome =
                Outcome::Fault(Fault { detail: Some(detail.to_string()), ..fault(FailureClass::Permanent) });
        });
        comes_back(bench, &format!("detail {number}"), &body)?;
    }
    Ok(())
}

fn holders(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let most = with(|set| {
        set.holder = Holder {
            machine: "0123456789abcdef0123456789abcdef".into(),
            boot: "1f9a5ad5-6f0d-4a8b-9a4f-1f3a1e1b6f7c".into(),
            pid: u32::MAX,
            pid_start: Some(i64::MAX.unsigned_abs()),
            process_group: Some(u32::MAX),
            lock: Some("clm_00".into()),
        };
        set.terms = Terms {
            lease: Duration::from_millis(i64::MAX.unsigned_abs()),
            attempt_timeout: Some(Duration::from_millis(1)),
            declares_marks: true,
            repeatable: true,
            keep_result: Duration::from_millis(i64::MAX.unsigned_abs()),
            remember: Duration::from_millis(i64::MAX.unsigned_abs()),
        };
        set.marked = true;
        set.downstream = Downstream { key: "k".into(), rotation: u32::MAX, first_used: None };
        set.epoch = Epoch(i64::MAX.unsigned_abs());
    });
    comes_back(bench, "most", &most)?;
    let least = with(|set| {
        set.holder = Holder::default();
        set.terms = Terms {
            lease: Duration::ZERO,
            attempt_timeout: Some(Duration::ZERO),
            declares_marks: false,
            repeatable: false,
            keep_result: Duration::ZERO,
            remember: Duration::ZERO,
        };
        set.holder.pid_start = Some(0);
        set.holder.process_group = Some(0);
        set.downstream = Downstream::default();
    });
    comes_back(bench, "least", &least)
}

fn doubts(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let largest = i64::MAX.unsigned_abs();
    for count in [0, 1, 2, 500] {
        let body = with(|set| {
            let doubt = |at| {
                if at % 3 == 0 { Doubt::Unknown } else { Doubt::Lapsed }
            };
            set.unresolved = (0..count).map(|at| (Epoch(largest - at), doubt(at))).collect();
            set.landed = (1..=count).map(Epoch).collect();
        });
        comes_back(bench, &format!("{count} epochs"), &body)?;
    }
    Ok(())
}

fn fingerprints(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    for (number, name) in ["f1", "", "a:b", ":", "\0", "caf\u{e9}"].into_iter().enumerate() {
        let body = with(|set| {
            set.fingerprint =
                Some(Fingerprint { secret_id: SecretId(name.into()), mac: digest(name.as_bytes()) });
        });
        comes_back(bench, &format!("fingerprint {number}"), &body)?;
    }
    comes_back(bench, "none", &with(|set| set.fingerprint = None))
}
