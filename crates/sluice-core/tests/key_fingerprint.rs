//! Fingerprints and downstream keys.

use std::collections::HashSet;

use sluice_core::key::{
    Fingerprint, Json, Key, Match, Namespace, Request, Secret, SecretId, compare, downstream_key,
};

fn secret(id: &str, byte: u8) -> Secret {
    Secret { id: SecretId(id.to_owned()), bytes: [byte; 32] }
}

#[test]
fn every_pairing_of_here_and_there_has_its_own_answer() {
    let (old, new) = (secret("s:1", 1), secret("s:2", 2));
    let (request, other) = (Request::bytes(["a"]), Request::bytes(["b"]));
    let recorded = request.fingerprint(&old);
    let secrets = [new.clone(), old];
    assert_eq!(compare(Some(&request), Some(&recorded), &secrets), Match::Same);
    assert_eq!(compare(Some(&other), Some(&recorded), &secrets), Match::Different);
    assert_eq!(compare(Some(&request), None, &secrets), Match::OnlyHere);
    assert_eq!(compare(None, Some(&recorded), &secrets), Match::OnlyThere);
    assert_eq!(compare(None, None, &[]), Match::Neither);
    assert_eq!(compare(Some(&request), Some(&recorded), &[new]), Match::SecretMissing);
}

#[test]
fn requests_of_different_kinds_and_splits_never_meet() {
    let json = |text: &str| Request::json_value(&Json::parse(text.as_bytes()).unwrap());
    let none: [&str; 0] = [];
    let plain = Request::bytes(["a", "b"]);
    let all = [
        json("[]"),
        json("\"a\""),
        json("[\"a\",\"b\"]"),
        Request::bytes(none),
        Request::bytes([""]),
        Request::bytes(["", ""]),
        Request::bytes(["[]"]),
        Request::bytes(["ab"]),
        plain.clone(),
        plain.and("", [0; 32]),
        plain.and("a", [0; 32]),
        plain.and("a", [1; 32]),
        plain.and("a", [0; 32]).and("b", [0; 32]),
        plain.and("b", [0; 32]).and("a", [0; 32]),
    ];
    let texts: HashSet<String> = all.iter().cloned().map(String::from).collect();
    assert_eq!(texts.len(), all.len());
}

#[test]
fn a_fingerprint_and_a_request_survive_their_texts() {
    let request = Request::json(&("send", 1)).unwrap();
    let fingerprint = request.fingerprint(&secret("a:b", 3));
    assert_eq!(fingerprint.to_string().parse::<Fingerprint>(), Ok(fingerprint.clone()));
    assert_eq!(fingerprint.secret_id, SecretId("a:b".to_owned()));
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(text.len(), 66);
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
    assert!(serde_json::from_str::<Request>("\"00\"").is_err());
    for text in ["", "a", "a:", "a:00", &fingerprint.to_string().to_uppercase()] {
        assert!(text.parse::<Fingerprint>().is_err(), "{text}");
    }
}

#[test]
fn the_same_request_under_two_secrets_has_two_fingerprints() {
    let request = Request::bytes([b"a"]);
    assert_ne!(request.fingerprint(&secret("s", 1)).mac, request.fingerprint(&secret("s", 2)).mac);
    assert!(!format!("{:?}", secret("s", 42)).contains("42"));
}

/// Computed apart from this code, with Python's `hmac` and `json`.
#[test]
fn a_downstream_key_is_the_hmac_of_the_canonical_triple() {
    let key = Key::new("order-17").unwrap();
    let sent = downstream_key(&secret("d", 7), &Namespace::default(), &key, 0, 255).unwrap();
    assert_eq!(sent, "f63278681455723fe2305ccc7e69f2ebbcbfa4ec223187a3e2ee1eecd801d396");
}

#[test]
fn a_downstream_key_differs_with_each_of_its_parts_and_is_never_too_short() {
    let derive = |namespace: &str, key: &str, rotation, max_len| {
        let (namespace, key) = (Namespace::new(namespace).unwrap(), Key::new(key).unwrap());
        downstream_key(&secret("d", 7), &namespace, &key, rotation, max_len)
    };
    let all = [
        derive("a", "b:c", 0, 32),
        derive("a:b", "c", 0, 32),
        derive("a", "b:c", 1, 32),
        derive("b:c", "a", 0, 32),
    ];
    let texts: HashSet<String> = all.into_iter().map(Result::unwrap).collect();
    assert_eq!(texts.len(), 4);
    assert!(texts.iter().all(|text| text.len() == 32));
    assert!(derive("a", "b", 0, 31).is_err());
    assert_eq!(derive("a", "b", 0, usize::MAX).unwrap().len(), 64);
}
