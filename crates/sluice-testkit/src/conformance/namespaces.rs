//! A record is one namespace and one key, compared byte by byte.

use super::{Bench, Rule, Subject, Verdict, rule, same};
use crate::sample::{claim_id, id_in, next_claim, release};
use sluice_core::ids::RecordId;
use sluice_core::key::Namespace;
use sluice_core::store::{Query, Renewed};
use std::time::Duration;

pub(super) const RULES: &[Rule] = &[
    rule("two namespaces never see each other's records", apart),
    rule("a namespace and a key are never joined into one name", not_joined),
    rule("two keys that differ in case or in Unicode normalisation are two records", bytewise),
    rule("a name of any characters comes back as it was given", odd_names),
];

/// Claims every name and sees that each is a record of its own.
fn all_apart(bench: Bench<'_>, ids: &[RecordId]) -> Verdict {
    for id in ids {
        same(&format!("{id:?} before it was claimed"), &bench.read(id)?, &None)?;
        let claimed = bench.claim(id)?;
        same("the name", &claimed.record.id, id)?;
        bench.applied(id, release(&claimed))?;
    }
    for id in ids {
        let found = bench.found(id)?;
        same("the name", &found.record.id, id)?;
        same("how many events there are", &bench.events(id)?.len(), &2)?;
        bench.applied(id, next_claim(&found, claim_id()))?;
    }
    Ok(())
}

fn apart(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = ["test", "prod", "PROD", "prod ", "default"].map(|namespace| id_in(namespace, "k"));
    all_apart(bench, &ids)?;
    for id in &ids {
        let namespace = Some(id.namespace.clone());
        let query = Query { namespace, ..Query::default() };
        let listed: Vec<_> = bench.list(query)?.items.into_iter().map(|item| item.record.id).collect();
        same("what its namespace lists", &listed, &vec![id.clone()])?;
    }
    let claim = bench.found(&ids[0])?.record.body.claim;
    let epoch = bench.found(&ids[0])?.record.body.epoch;
    let renewed = bench.renew(&ids[1], claim, epoch, Duration::from_secs(9))?;
    same("a renewal under another namespace", &renewed, &Renewed::Lost)
}

fn not_joined(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let pairs = [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a/b", "c"),
        ("a", "b/c"),
        ("a b", "c"),
        ("a", "b c"),
        ("ab", "c"),
        ("a", "bc"),
    ];
    all_apart(bench, &pairs.map(|(namespace, key)| id_in(namespace, key)))
}

fn bytewise(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    // é composed and decomposed, the Kelvin sign, the ligature fi, a soft hyphen, a trailing space.
    let keys = [
        "k",
        "K",
        "\u{212a}",
        "caf\u{e9}",
        "cafe\u{301}",
        "CAF\u{c9}",
        "fi",
        "\u{fb01}",
        "a\u{ad}b",
        "ab",
        "ab ",
        " ab",
        "1",
        "01",
        "1.0",
        "\u{e5}",
        "\u{212b}",
    ];
    let ids: Vec<_> = keys.iter().map(|key| id_in("test", key)).collect();
    all_apart(bench, &ids)
}

fn odd_names(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let long = "\u{1f600}".repeat(100);
    let names = [
        "'",
        "\"",
        "\\",
        "%",
        "_",
        "--",
        "'; DROP TABLE records; --",
        "\u{2028}",
        "\u{10ffff}",
        "\u{feff}k",
        &long,
        "NULL",
        "null",
    ];
    let ids: Vec<_> = names.iter().map(|name| id_in(name, name)).collect();
    all_apart(bench, &ids)?;
    for id in &ids {
        let query = Query {
            namespace: Some(Namespace::new(id.namespace.as_str()).map_err(|error| error.to_string())?),
            key_prefix: Some(id.key.to_string()),
            ..Query::default()
        };
        same("what is listed by its own name", &bench.keys(query)?, &vec![id.key.to_string()])?;
    }
    Ok(())
}
