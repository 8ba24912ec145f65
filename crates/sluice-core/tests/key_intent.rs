//! Intents: parts, the selection of arguments, names.

use serde_json::json;
use sluice_core::key::{
    InputErrorKind, Intent, Json, JsonPointer, Key, KeyError, Namespace, idempotency_key,
};

const VECTOR: &str = "aafba8bf689d13477a5e9d3e16577d328cea7e75964a4c1d71fcfe444222f57a";

fn args() -> serde_json::Value {
    json!({"order": {"id": "o-1", "at": "now"}, "type": "standard", "lines": [{"sku": 1}], "nonce": 7})
}

fn refusal(intent: &Intent) -> (InputErrorKind, String) {
    let error = intent.key().unwrap_err();
    assert_eq!(intent.parts().unwrap_err(), error);
    (error.kind(), error.path().to_owned())
}

#[test]
fn one_intent_has_one_key_on_every_route() {
    let args = json!({"to": "customer@example.com", "template": "receipt"});
    let value = json!({"tool": "send_email", "actor": "agent-42", "runId": "run_8f21", "args": args});
    let built = Intent::new().tool("send_email").actor("agent-42").run_id("run_8f21").args(&args);
    let text = Intent::from_text(value.to_string().as_bytes()).unwrap();
    let serialized = Intent::from_serialize(&value).unwrap();
    for intent in [built, text, serialized] {
        assert_eq!(intent.key().unwrap().as_str(), VECTOR);
        assert_eq!(intent.parts().unwrap().key().as_str(), VECTOR);
        assert_eq!(
            (intent.get_tool(), intent.get_actor(), intent.get_run_id()),
            (Some("send_email"), Some("agent-42"), Some("run_8f21"))
        );
        assert_eq!(intent.get_args().unwrap().get("template"), Some(&Json::from("receipt")));
    }
}

#[test]
fn only_the_named_arguments_enter_the_key_at_their_places() {
    let expected =
        idempotency_key(&json!({"tool": "t", "args": {"order": {"id": "o-1"}, "type": "standard"}})).unwrap();
    let pointers = ["/order/id", "/type"];
    let before = Intent::new().args_only(pointers).args(&args()).tool("t");
    let after = Intent::new().tool("t").args(&args()).args_only(pointers);
    let read = Intent::from_serialize(&json!({"tool": "t", "args": args()}))
        .unwrap()
        .args_only(["/type", "/order/id"]);
    for intent in [before, after, read] {
        assert_eq!(intent.key().unwrap(), expected);
        assert_eq!(intent.get_args().unwrap().canonical(), r#"{"order":{"id":"o-1"},"type":"standard"}"#);
    }
}

#[test]
fn a_pointer_to_a_whole_keeps_all_of_it_and_excuses_no_other() {
    let only = |pointers: &[&str]| Intent::new().args(&args()).args_only(pointers);
    assert_eq!(only(&[""]).key(), Intent::new().args(&args()).key());
    assert_eq!(only(&["/order", "/order/id"]).key(), only(&["/order"]).key());
    assert_eq!(only(&["/lines"]).get_args().unwrap().canonical(), r#"{"lines":[{"sku":1}]}"#);
    assert_eq!(refusal(&only(&["", "/missing"])).0, InputErrorKind::MissingMember);
}

#[test]
fn a_pointer_that_cannot_be_followed_is_an_error_that_names_it() {
    let only = |pointer: &str| refusal(&Intent::new().args(&args()).args_only([pointer]));
    assert_eq!(only("/order/nr"), (InputErrorKind::MissingMember, "/args/order/nr".to_owned()));
    assert_eq!(only("/type/x"), (InputErrorKind::MissingMember, "/args/type/x".to_owned()));
    assert_eq!(only("/lines/0"), (InputErrorKind::BadPointer, "/args/lines/0".to_owned()));
    assert_eq!(only("order"), (InputErrorKind::BadPointer, "order".to_owned()));
    assert_eq!(
        refusal(&Intent::new().tool("t").args_only(["/a"])),
        (InputErrorKind::MissingMember, "/args".to_owned())
    );
    let none: [&str; 0] = [];
    assert_eq!(
        refusal(&Intent::new().args(&args()).args_only(none)),
        (InputErrorKind::NoParts, "/args".to_owned())
    );
    assert_eq!(refusal(&Intent::new().args(&7).args_only(["/a"])).0, InputErrorKind::MissingMember);
}

#[test]
fn an_intent_without_parts_and_a_part_set_twice_are_errors() {
    assert_eq!(refusal(&Intent::new()), (InputErrorKind::NoParts, String::new()));
    assert_eq!(refusal(&Intent::from_text(b"{}").unwrap()).0, InputErrorKind::NoParts);
    let twice = Intent::new().tool("a").part("tool", "a").actor("x");
    assert_eq!(refusal(&twice), (InputErrorKind::DuplicateName, "/tool".to_owned()));
    let first = Intent::new().part("x", &f64::NAN).tool("a").tool("b");
    assert_eq!(refusal(&first), (InputErrorKind::NotFinite, "/x".to_owned()));
    let restricted = Intent::new().args(&args()).args_only(["/type"]).args_only(["/type"]);
    assert_eq!(refusal(&restricted).0, InputErrorKind::DuplicateName);
}

#[test]
fn an_intent_is_an_object() {
    for text in ["[]", "null", "\"a\"", "1"] {
        assert_eq!(Intent::from_text(text.as_bytes()).unwrap_err().kind(), InputErrorKind::NotAnObject);
    }
    assert_eq!(Intent::from_serialize(&("a", 1)).unwrap_err().kind(), InputErrorKind::NotAnObject);
    assert_eq!(Intent::from_text(br#"{"tool":1}"#).unwrap().get_tool(), None);
}

#[test]
fn debugging_an_intent_shows_names_and_no_values() {
    let shown = format!("{:?}", Intent::new().tool("hunter2").args(&json!({"password": "hunter2"})));
    assert!(shown.contains("tool") && shown.contains("args") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_pointer_follows_objects_and_arrays_as_the_standard_says() {
    let json = Json::parse(br#"{"a/b":{"~":[10,20]},"":{"":1},"0":{"-1":2}}"#).unwrap();
    let at = |pointer: &str| json.pointer(&pointer.parse::<JsonPointer>().unwrap()).map(Json::canonical);
    assert_eq!(at("").as_deref(), Some(json.canonical().as_str()));
    assert_eq!(at("/a~1b/~0/1").as_deref(), Some("20"));
    assert_eq!(at("//").as_deref(), Some("1"));
    assert_eq!(at("/0/-1").as_deref(), Some("2"));
    for missing in
        ["/a~1b/~0/2", "/a~1b/~0/01", "/a~1b/~0/-", "/a~1b/~0/+1", "/a~1b/~0/", "/a~1b/~0/1/x", "/x"]
    {
        assert_eq!(at(missing), None, "{missing}");
    }
}

#[test]
fn a_key_is_one_to_two_hundred_utf16_units_without_control_characters() {
    assert!(Key::new("\u{1f600}".repeat(100)).is_ok());
    for text in [
        String::new(),
        "a".repeat(201),
        "\u{1f600}".repeat(101),
        "a\u{7f}".into(),
        "\u{85}".into(),
        "a\0".into(),
    ] {
        let error: KeyError = Key::new(text.clone()).unwrap_err();
        assert_eq!(error.units(), text.encode_utf16().count());
        assert!(!error.is_about_namespace());
        assert!(Namespace::new(text).unwrap_err().to_string().starts_with("namespace of "));
    }
    assert!(!Key::new("hunter2\n").unwrap_err().to_string().contains("hunter2"));
}

#[test]
fn a_key_read_by_serde_follows_the_same_rule() {
    assert_eq!(serde_json::from_str::<Key>("\"order-1\"").unwrap(), "order-1".parse().unwrap());
    assert_eq!(serde_json::to_string(&Key::new("order-1").unwrap()).unwrap(), "\"order-1\"");
    assert!(serde_json::from_str::<Key>("\"\"").is_err());
    assert!(serde_json::from_str::<Namespace>(r#""a\u0000""#).is_err());
}

#[test]
fn a_tree_made_by_hand_is_held_to_the_rules_of_parsed_ones() {
    let member = |name: &str| (name.to_owned(), Json::Null);
    let unsorted = Intent::from_json(Json::Object(vec![member("b"), member("a")])).unwrap();
    assert_eq!(unsorted.parts().unwrap().canonical(), r#"{"a":null,"b":null}"#);
    assert_eq!(Json::Object(vec![member("b"), member("a")]).canonical(), r#"{"a":null,"b":null}"#);
    let twice = Json::Object(vec![member("a"), member("b"), member("a")]);
    assert_eq!(Intent::from_json(twice).unwrap_err().kind(), InputErrorKind::DuplicateName);
    let deep = (0..128).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
    let deep = Json::object(vec![("a".to_owned(), deep)]).unwrap();
    assert_eq!(Intent::from_json(deep).unwrap_err().kind(), InputErrorKind::TooDeep);
}
