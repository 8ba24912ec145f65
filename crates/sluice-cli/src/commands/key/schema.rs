//! `sluice contract schema`: what a `sluice.toml` may say, for editors.

use crate::exit;
use crate::report::tell;
use clap::Subcommand;
use serde_json::{Map, Value, json};
use sluice::core::contract::{Every, FIELDS, OWN_FIELDS, UniqueIn};
use sluice::core::downstream::known_names;

#[derive(Debug, Subcommand)]
pub enum ContractCommand {
    /// Print the JSON Schema of sluice.toml
    Schema,
}

pub fn contract(command: &ContractCommand) -> u8 {
    let ContractCommand::Schema = command;
    tell!("{:#}", schema());
    exit::OK
}

fn schema() -> Value {
    let fields = || FIELDS.iter().map(|(name, says)| ((*name).to_owned(), described(of(name), says)));
    let effect: Map<_, _> = fields().collect();
    let defaults: Map<_, _> = fields().filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str())).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sluice.toml",
        "type": "object",
        "required": ["version"],
        "additionalProperties": false,
        "properties": {
            "version": {"const": 1},
            "defaults": table(&defaults),
            "effect": {"type": "object", "additionalProperties": table(&effect)},
        },
    })
}

fn table(properties: &Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn described(mut schema: Value, says: &str) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.insert("description".to_owned(), says.into());
    }
    schema
}

fn of(name: &str) -> Value {
    let text = || json!({"type": "string", "minLength": 1});
    let texts = || json!({"type": "array", "items": text()});
    let time = || json!({"type": "string", "examples": ["7d", "90d", "30s"]});
    match name {
        "identity" | "scope" | "fingerprint" | "sensitive" | "also_writes" => texts(),
        "duplicates_arrive_within" | "remember" | "keep_result" | "deadline" => time(),
        "on_duplicate" => json!({"enum": ["replay", "already_processed", "conflict"]}),
        "on_indeterminate" => json!({"enum": ["refuse", "probe", "reclaim"]}),
        "on_failed" => json!({"enum": ["replay", "rerun"]}),
        "repeatable" | "marked" | "one_per_event" => json!({"type": "boolean"}),
        "tries" => json!({"type": "integer", "minimum": 1, "maximum": 100}),
        "ids_unique_in" => json!({"enum": UniqueIn::ALL.map(UniqueIn::as_str)}),
        "downstream" => json!({"anyOf": [{"enum": known_names()}, {"type": "object"}]}),
        "period" => json!({
            "type": "object", "additionalProperties": false, "required": ["every", "of"],
            "properties": {"every": {"enum": Every::ALL.map(Every::as_str)}, "of": text(), "tz": text()},
        }),
        "previous" => json!({"type": "array", "items": {
            "type": "object", "additionalProperties": false,
            "properties": {
                "effect": text(), "identity": texts(), "scope": texts(), "identity_key": text(), "replaced_at": {}, "remember": time(),
            },
        }}),
        _ => text(),
    }
}
